/* Asks the C library for a thread's stack, except for the first thread. The first thread's stack grows to the
 * limit of the system. glibc would read all mappings of the process to find it. Its top is the place where
 * the system has put the name of the program. */
#include "stack.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t left_of(uintptr_t low, uintptr_t high, uintptr_t here)
{
    return here >= low && here < high ? here - low : SIZE_MAX;
}

static size_t left_of_first_thread(uintptr_t here)
{
    const uintptr_t top = (uintptr_t)getauxval(AT_EXECFN);
    struct rlimit limit;
    if (!top || getrlimit(RLIMIT_STACK, &limit) || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
    if (here > top) return SIZE_MAX;
    return top - here < limit.rlim_cur ? (size_t)limit.rlim_cur - (top - here) : SIZE_MAX;
}

size_t stack_left(void)
{
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (syscall(SYS_gettid) == getpid()) return left_of_first_thread(here);
    if (pthread_getattr_np(pthread_self(), &attributes)) return SIZE_MAX;
    const bool is_known = !pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    return is_known ? left_of((uintptr_t)low, (uintptr_t)low + size, here) : SIZE_MAX;
}
