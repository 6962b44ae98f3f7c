/* Replaces the state that a host has set for its thread by the library's own. */
#include "thread_state.h"

/* Swaps the states. In glibc and musl, FE_DFL_ENV also clears flush-to-zero and denormals-are-zero. newlocale
 * allocates nothing for "C". */
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
