/* The time of calls, for planning by times, for `actgen bench` and for bench/. Contestants take turns, so
 * that a disturbance affects all of them. The least time of many rounds counts.
 *
 * Rounds begin at different places of the stack. Code that spills takes longer if its frame crosses cache
 * lines or pages. The address at one place would decide by chance. */
#ifndef ACTGEN_MEASURE_TIMING_H
#define ACTGEN_MEASURE_TIMING_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

struct timed_call {
    void (*run)(const void *context); /* NULL: it does not take part. */
    const void *context;
};

struct timing {
    /* Nanoseconds per call. 0: it did not take part. */
    double min, median;
    /* The greatest of the least times at each place of the stack. */
    double worst;
};

/* The number of places on the stack. A stack is aligned to 16 bytes at the beginning of a call, and addresses
 * repeat modulo 4 KiB. */
enum { ALL_STACK_PLACES = 4096 / 16, USUAL_STACK_PLACES = 16 };

struct timing_limits {
    /* The calls that are timed as one take about so long, much longer than reading the clock. */
    double slice_ns;
    /* So many rounds suffice if they take enough_ns. A disturbance passes in that time. */
    size_t rounds;
    /* So many rounds are made even if they take more than most_ns. */
    size_t least_rounds;
    double enough_ns, most_ns;
    /* The places at which rounds begin in turn, at most ALL_STACK_PLACES. 0: USUAL_STACK_PLACES. */
    size_t stack_places;
    bool (*is_stopped)(void *stop_context); /* NULL: never. */
    void *stop_context;
    /* The least time of the first call at each place, or NULL. The caller sets the times to infinity at
     * first. New times can only lower them. */
    double *least_at_place;
};

/* Measures the calls. times[i] belongs to calls[i]. Returns false if memory runs out. */
typedef bool (*timing_function)(const struct timed_call *calls, size_t count,
                                const struct timing_limits *limits, struct timing *times);
bool time_in_turn(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                  struct timing *times);

/* The thread pinned to the core where it runs. If the system does not allow that, times are noisier. */
struct core_pin {
    cpu_set_t before;
    bool is_pinned;
};
struct core_pin pin_to_a_core(void);
void unpin(const struct core_pin *pin);

#endif
