/* What a host may have set for its thread and what would change our results: how floating-point arithmetic
 * rounds, traps and treats subnormals, and the locale, which changes how numbers are printed and read. Only
 * thread_state.c knows how a processor keeps them. */
#ifndef ACTGEN_THREAD_STATE_H
#define ACTGEN_THREAD_STATE_H

#include <fenv.h>
#include <locale.h>

struct thread_state {
    fenv_t floats; /* with the exceptions that were raised */
    locale_t locale;
};

/* Gives this thread the state `next`; NULL is the library's own: to nearest, subnormals on, no exception
 * raised or trapped, the locale "C". Returns the state that it replaces. A compiler sees no floating-point
 * state and may move arithmetic on what it holds in registers across these calls, which it cannot do with
 * what is read from memory after the one and stored before the other: functions that call them compute
 * nothing from their own variables. */
struct thread_state thread_state_swap(const struct thread_state *next);
void thread_state_restore(const struct thread_state *before); /* what thread_state_swap returned */

/* Declares `before` and sets `next` until the block that it stands in is left, on whichever path. */
#define THREAD_STATE_IN_BLOCK(before, next)                                                                  \
    __attribute__((cleanup(thread_state_restore))) const struct thread_state before = thread_state_swap(next)

#endif
