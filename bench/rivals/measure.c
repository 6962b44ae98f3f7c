/* Runs and times the contestants. */
#include "rivals.h"
#include "timing.h"

#include <math.h>
#include <string.h>

void run_kernel(const void *contestant)
{
    const struct contestant *c = contestant;
    c->kernel(c->operands->shape.rows, c->operands->shape.cols, c->operands->list);
}

/* Calls the kernel with all checks, as its users do. */
void run_whole(const void *contestant)
{
    const struct contestant *c = contestant;
    actgen_run(c->whole, c->operands->shape.rows, c->operands->shape.cols, c->operands->list,
               c->operands->count + 1, NULL);
}

static size_t count_of(const struct contestant *c)
{
    return c->operands->shape.rows * c->operands->shape.cols;
}

static const actgen_operand *first_result(const struct contestant *c)
{
    return &c->operands->list[c->operands->input_count];
}

void run_first(const void *contestant)
{
    const struct contestant *c = contestant;
    const actgen_operand operands[] = {c->operands->list[0], *first_result(c)};
    c->kernel(1, count_of(c), operands);
}

void run_relu(const void *contestant)
{
    const struct contestant *c = contestant;
    c->relu(count_of(c), c->operands->list[0].data, (void *)first_result(c)->data);
}

void run_plain(const void *contestant)
{
    const struct contestant *c = contestant;
    void *arrays[FILLED_MOST_OPERANDS];
    for (size_t i = 0; i < c->operands->count; i++) arrays[i] = (void *)c->operands->list[i].data;
    c->plain(count_of(c), arrays);
}

void run_memcpy(const void *contestant)
{
    const struct contestant *c = contestant;
    memcpy((void *)first_result(c)->data, c->operands->list[0].data,
           count_of(c) * actgen_type_bytes(c->operands->plain_type));
}

static bool is_interrupted(void *context)
{
    (void)context;
    return was_interrupted();
}

void bench_measure(struct contestant *contestants, size_t count)
{
    enum { MOST_CONTESTANTS = 8 };
    const struct timing_limits limits = {.slice_ns = 50e3,
                                         .rounds = 6 * USUAL_STACK_PLACES,
                                         .least_rounds = 5,
                                         .enough_ns = 200e6,
                                         .most_ns = 2e9,
                                         .is_stopped = is_interrupted};
    struct timed_call calls[MOST_CONTESTANTS];
    struct timing times[MOST_CONTESTANTS];
    for (size_t i = 0; i < count; i++) calls[i] = (struct timed_call){contestants[i].run, &contestants[i]};
    const struct core_pin pin = pin_to_a_core();
    time_in_turn(calls, count, &limits, times);
    unpin(&pin);
    for (size_t i = 0; i < count; i++) {
        const double elements = times[i].min > 0 ? (double)count_of(&contestants[i]) : NAN;
        contestants[i].ns_per_element = times[i].min / elements;
        contestants[i].worst_ns = times[i].worst / elements;
    }
}

relu_loop bench_relu(const char *isa)
{
    static const struct {
        const char *isa;
        relu_loop loop;
    } loops[] = {
        {"avx512", bench_relu_avx512},
        {"avx2", bench_relu_avx2},
        {"x86-64", bench_relu_baseline},
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (!strcmp(loops[i].isa, isa)) return loops[i].loop;
    return NULL;
}
