/* The settings of a thread that would change the library's results. One is the floating-point environment:
 * rounding, traps and subnormals. The other is the locale, which changes how numbers are printed and read.
 * Only thread_state.c knows how a processor keeps them. */
#ifndef ACTGEN_THREAD_STATE_H
#define ACTGEN_THREAD_STATE_H

#include <fenv.h>
#include <locale.h>

struct thread_state {
    fenv_t floats; /* Includes the exceptions that were raised. */
    locale_t locale;
};

/* Gives this thread the state `next`, and returns the old state. NULL is the library's own state: rounding to
 * nearest, subnormals on, no exception raised or trapped, the locale "C".
 *
 * A compiler does not see the floating-point state. It may move arithmetic on values in registers across
 * these calls. It cannot move arithmetic on values that are read from memory after one call and stored before
 * the other. So a function that calls these must not compute from its own variables. */
struct thread_state thread_state_swap(const struct thread_state *next);
/* Gives this thread the state that thread_state_swap returned. */
void thread_state_restore(const struct thread_state *before);

/* Declares `before` and sets `next` until control leaves the block, by any path. */
#define THREAD_STATE_IN_BLOCK(before, next)                                                                  \
    __attribute__((cleanup(thread_state_restore))) const struct thread_state before = thread_state_swap(next)

#endif
