/* Operands for measuring, and the measuring itself. */
#include "bench.h"

#include <math.h>
#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
    HUGE_PAGE = 2 << 20,
    STAGGER = 2048 + 320
}; /* of arrays; 37 cache lines, so that multiples of it spread over 4 KiB */

static uint64_t next_random(uint64_t *state) /* splitmix64 (Steele, Lea, Flood, 2014) */
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void fill_normal(float *out, size_t n, uint64_t seed) /* Box and Muller's pairs */
{
    const double tau = 6.283185307179586;
    for (size_t i = 0; i < n; i += 2) {
        double u = ((double)(next_random(&seed) >> 11) + 1) * 0x1p-53,
               v = (double)(next_random(&seed) >> 11) * 0x1p-53;
        double radius = 2 * sqrt(-2 * log(u));
        out[i] = (float)(radius * cos(tau * v));
        if (i + 1 < n) out[i + 1] = (float)(radius * sin(tau * v));
    }
}

static size_t bytes_of(const struct bench_data *data)
{
    size_t bytes = data->capacity * sizeof(float) + 4096;
    return (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

static float *new_array(const struct bench_data *data, size_t place)
{
    size_t bytes = bytes_of(data);
    char *memory = aligned_alloc(HUGE_PAGE, bytes);
    if (!memory) return NULL;
    madvise(memory, bytes,
            MADV_HUGEPAGE); /* a hint: fewer misses of address translation in what is measured */
    memset(memory, 0, bytes);
    return (float *)(void *)(memory + place * STAGGER % 4096);
}

static void free_array(float *array) { free((void *)((uintptr_t)array & ~(uintptr_t)4095)); }

bool bench_data_reserve(struct bench_data *data, size_t inputs, size_t results)
{
    if (inputs > BENCH_MAX_OPERANDS || results > BENCH_MAX_OPERANDS) return false;
    for (; data->input_count < inputs; data->input_count++) {
        size_t i = data->input_count;
        if (!(data->inputs[i] = new_array(data, 2 * i))) return false;
        fill_normal(data->inputs[i], data->capacity, 1 + i);
    }
    for (; data->result_count < results; data->result_count++) {
        size_t i = data->result_count;
        if (!(data->results[i] = new_array(data, 2 * i + 1))) return false;
    }
    return true;
}

void bench_data_free(struct bench_data *data)
{
    for (size_t i = 0; i < data->input_count; i++) free_array(data->inputs[i]);
    for (size_t i = 0; i < data->result_count; i++) free_array(data->results[i]);
    *data = (struct bench_data){0};
}

void contestant_prepare(struct contestant *c, const struct bench_data *data, size_t inputs, size_t results)
{
    for (size_t i = 0; i < inputs + results; i++) {
        c->arrays[i] = i < inputs ? data->inputs[i] : data->results[i - inputs];
        c->operands[i] = (actgen_operand){c->arrays[i], 0};
    }
}

void run_kernel(const struct contestant *c, size_t n) { c->kernel(1, n, c->operands); }

void run_loop(const struct contestant *c, size_t n) { c->loop(n, c->arrays[0], c->arrays[1]); }

void run_pointers(const struct contestant *c, size_t n) { c->pointers(n, c->arrays); }

void run_memcpy(const struct contestant *c, size_t n)
{
    memcpy(c->arrays[1], c->arrays[0], n * sizeof(float));
}

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static double time_calls(const struct contestant *c, size_t n, size_t calls)
{
    double start = now_ns();
    for (size_t i = 0; i < calls; i++) c->run(c, n);
    return now_ns() - start;
}

/* Calls for one measurement of at least 50 microseconds, beside which the clock's cost is small. */
static size_t calls_needed(const struct contestant *c, size_t n)
{
    size_t calls = 1;
    time_calls(c, n, 1); /* first touches */
    while (calls < 1u << 20 && time_calls(c, n, calls) < 50e3) calls *= 2;
    return calls;
}

static void measure_in_turn(struct contestant *list, size_t count, size_t n)
{
    enum { ROUNDS = 60, LEAST_ROUNDS = 5, MOST_CONTESTANTS = 8 };
    const double least_ns = 200e6, most_ns = 2e9; /* short rounds go on, so that a disturbance passes */
    size_t calls[MOST_CONTESTANTS];
    for (size_t i = 0; i < count; i++) {
        list[i].ns_per_element = INFINITY;
        calls[i] = list[i].run ? calls_needed(&list[i], n) : 0;
    }
    double start = now_ns();
    for (size_t round = 0; !was_interrupted(); round++) {
        double elapsed = now_ns() - start;
        if ((round >= ROUNDS && elapsed >= least_ns) || (round >= LEAST_ROUNDS && elapsed >= most_ns)) break;
        for (size_t i = 0; i < count; i++) {
            if (!list[i].run) continue;
            /* Untimed first: processors change their clock, for tens of microseconds at a loss, when wide
             * vectors begin after scalar code, which no user of these kernels goes through at every call. */
            time_calls(&list[i], n, calls[i]);
            double ns = time_calls(&list[i], n, calls[i]) / (double)calls[i] / (double)n;
            if (ns < list[i].ns_per_element) list[i].ns_per_element = ns;
        }
    }
    for (size_t i = 0; i < count; i++)
        if (isinf(list[i].ns_per_element)) list[i].ns_per_element = NAN;
}

void bench_measure(struct contestant *contestants, size_t count, size_t n)
{
    cpu_set_t before, one;
    bool pinned = !sched_getaffinity(0, sizeof before, &before);
    int cpu = sched_getcpu();
    CPU_ZERO(&one);
    if (cpu >= 0) CPU_SET((size_t)cpu, &one);
    pinned = pinned && cpu >= 0 &&
             !sched_setaffinity(0, sizeof one, &one); /* where it may not, timing is noisier */
    measure_in_turn(contestants, count, n);
    if (pinned) sched_setaffinity(0, sizeof before, &before);
}

relu_loop bench_relu(const char *isa)
{
    static const struct {
        const char *isa;
        relu_loop loop;
    } loops[] = {
#if defined(__x86_64__)
        {"avx512", bench_relu_avx512},
        {"avx2", bench_relu_avx2},
#endif
        {"x86-64", bench_relu_baseline},
    };
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        if (!strcmp(loops[i].isa, isa)) return loops[i].loop;
    return NULL;
}
