/* The time of calls, for planning by times, for `actgen bench` and for bench/: contestants in turn, so that
 * what disturbs one disturbs all, and the least of many rounds.
 *
 * Rounds begin at different places of the stack, for code that spills takes longer where its frame happens to
 * lie across cache lines or pages: by one address alone, a figure would be a draw from a lottery. */
#ifndef ACTGEN_MEASURE_TIMING_H
#define ACTGEN_MEASURE_TIMING_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct timed_call {
    void (*run)(const void *context); /* NULL: absent */
    const void *context;
};

struct timing {
    double min, median; /* ns a call; 0 where it did not take part */
    double worst;       /* of each place of the stack the least, of these the greatest */
};

/* A stack is aligned to 16 bytes where a call begins, and pages repeat after 4 KiB. */
enum { ALL_STACK_PLACES = 4096 / 16, USUAL_STACK_PLACES = 16 };

struct timing_limits {
    double slice_ns;     /* of calls timed as one: long beside the clock's own cost */
    size_t rounds;       /* that suffice if they take enough_ns, so that a disturbance passes */
    size_t least_rounds; /* that are made though they take most_ns */
    double enough_ns, most_ns;
    size_t stack_places; /* that rounds begin at in turn, at most ALL_STACK_PLACES; 0: USUAL_STACK_PLACES */
    bool (*is_stopped)(void *stop_context); /* NULL: never */
    void *stop_context;
    /* NULL, or of each place the first call's least time: of what stands there, infinity at first, and of
     * what is measured */
    double *least_at_place;
};

/* Returns false without memory. times[i] is of calls[i]. */
typedef bool (*timing_function)(const struct timed_call *calls, size_t count,
                                const struct timing_limits *limits, struct timing *times);
bool time_in_turn(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                  struct timing *times);

/* The thread on the core where it is now; where it may not be, timing is noisier. */
struct core_pin {
    cpu_set_t before;
    bool is_pinned;
};
struct core_pin pin_to_a_core(void);
void unpin(const struct core_pin *pin);

#endif
