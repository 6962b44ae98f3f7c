/* The measuring itself: contestants in turn, minima. */
#include "bench.h"

#include <math.h>
#include <sched.h>
#include <string.h>
#include <time.h>

void run_kernel(const struct contestant *c)
{
    c->kernel(c->operands->shape.rows, c->operands->shape.cols, c->operands->list);
}

static size_t count_of(const struct contestant *c)
{
    return c->operands->shape.rows * c->operands->shape.cols;
}

static const actgen_operand *first_result(const struct contestant *c)
{
    return &c->operands->list[c->operands->input_count];
}

void run_first(const struct contestant *c)
{
    const actgen_operand operands[] = {c->operands->list[0], *first_result(c)};
    c->kernel(1, count_of(c), operands);
}

void run_relu(const struct contestant *c)
{
    c->relu(count_of(c), c->operands->list[0].data, (void *)first_result(c)->data);
}

void run_plain(const struct contestant *c)
{
    void *arrays[BENCH_MAX_OPERANDS];
    for (size_t i = 0; i < c->operands->count; i++) arrays[i] = (void *)c->operands->list[i].data;
    c->plain(count_of(c), arrays);
}

void run_memcpy(const struct contestant *c)
{
    memcpy((void *)first_result(c)->data, c->operands->list[0].data, count_of(c) * sizeof(float));
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double time_calls(const struct contestant *c, size_t calls)
{
    double start = now_ns();
    for (size_t i = 0; i < calls; i++) c->run(c);
    return now_ns() - start;
}

/* Calls for one measurement of at least 50 microseconds, beside which the clock's cost is small. */
static size_t calls_needed(const struct contestant *c)
{
    size_t calls = 1;
    time_calls(c, 1); /* first touches */
    while (calls < 1u << 20 && time_calls(c, calls) < 50e3) calls *= 2;
    return calls;
}

static void measure_in_turn(struct contestant *list, size_t count)
{
    enum { ROUNDS = 60, LEAST_ROUNDS = 5, MOST_CONTESTANTS = 8 };
    const double least_ns = 200e6, most_ns = 2e9; /* short rounds go on, so that a disturbance passes */
    size_t calls[MOST_CONTESTANTS];
    for (size_t i = 0; i < count; i++) {
        list[i].ns_per_element = INFINITY;
        calls[i] = list[i].run ? calls_needed(&list[i]) : 0;
    }
    double start = now_ns();
    for (size_t round = 0; !was_interrupted(); round++) {
        double elapsed = now_ns() - start;
        if ((round >= ROUNDS && elapsed >= least_ns) || (round >= LEAST_ROUNDS && elapsed >= most_ns)) break;
        for (size_t i = 0; i < count; i++) {
            if (!list[i].run) continue;
            /* Untimed first: processors change their clock, for tens of microseconds at a loss, when wide
             * vectors begin after scalar code, which no user of these kernels goes through at every call. */
            time_calls(&list[i], calls[i]);
            double ns = time_calls(&list[i], calls[i]) / (double)calls[i] / (double)count_of(&list[i]);
            if (ns < list[i].ns_per_element) list[i].ns_per_element = ns;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (isinf(list[i].ns_per_element)) list[i].ns_per_element = NAN;
}

void bench_measure(struct contestant *contestants, size_t count)
{
    cpu_set_t before, one;
    bool pinned = !sched_getaffinity(0, sizeof before, &before);
    int cpu = sched_getcpu();
    CPU_ZERO(&one);
    if (cpu >= 0) CPU_SET((size_t)cpu, &one);
    pinned = pinned && cpu >= 0 &&
             !sched_setaffinity(0, sizeof one, &one); /* where it may not, timing is noisier */
    measure_in_turn(contestants, count);
    if (pinned) sched_setaffinity(0, sizeof before, &before);
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
