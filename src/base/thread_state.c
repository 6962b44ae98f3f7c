/* Swaps what a host has set for its thread for the library's own. */
#include "thread_state.h"

#include <stddef.h>

/* FE_DFL_ENV clears flush-to-zero and denormals-are-zero, too, in glibc and musl. newlocale allocates nothing
 * for "C". */
struct thread_state thread_state_swap(const struct thread_state *next)
{
    struct thread_state before;
    fegetenv(&before.floats);
    fesetenv(next ? &next->floats : FE_DFL_ENV);
    before.locale = uselocale(next ? next->locale : newlocale(LC_ALL_MASK, "C", (locale_t)0));
    return before;
}

void thread_state_restore(const struct thread_state *before)
{
    uselocale(before->locale);
    fesetenv(&before->floats);
}
