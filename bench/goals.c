/* The project's goals, each with what is measured here: ratios of minima inside one run. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ratios of a kernel's time in L2 to that of the fastest copying ReLU of the same size. */
static const struct goal {
    const char *function, *accuracy;
    double limit;
} relu_goals[] = {
    {"gelu", "abs 2^-22", 2.25},    {"gelu_tanh", "abs 2^-22", 2.4}, {"gelu_sigmoid", "abs 2^-22", 2.4},
    {"silu", "abs 2^-22", 2.4},     {"softplus", "abs 2^-22", 2.4},  {"tanh", "abs 2^-22", 2.25},
    {"sigmoid", "abs 2^-22", 2.25}, {"mish", "abs 2^-22", 2.8},      {"gelu", "3 ulp", 5},
    {"silu", "3 ulp", 2.9},         {"sigmoid", "3 ulp", 2.9},       {"tanh", "3 ulp", 2.9},
    {"elu", "3 ulp", 2.9},          {"gelu", "0.5 ulp", 14},         {"gelu", "abs 2^-10", 1.4},
};
enum { RELU_GOALS = sizeof relu_goals / sizeof relu_goals[0] };

static const double eigen_limit = 0.62; /* gelu, abs 2^-22, of Eigen's time in L2 */
static const double half_of_memcpy =
                        0.5, /* kernels below this share of memcpy's time in DRAM, by their time in L2, */
    stream_limit = 0.85;     /* take at most this share of it in DRAM */
static const double call_limit_ns = 15; /* of 16 elements */
static const char avx2_fast[] = "abs 2^-20", avx2_exact[] = "3 ulp";

enum { IN_L2, IN_DRAM, OF_16, AVX512_SIZES };
static const size_t sizes[AVX512_SIZES] = {SET_SIZE, 1u << 24, 16};

struct goals {
    struct inputs *in;
    struct contest wide, narrow; /* AVX-512; AVX2 */
    double fast;                 /* ns an element */
    bool json, first, all_met;
};

static double time_of(const struct contestant *c, int size) { return c ? c->times[size].min : 0; }

static double relu_time(struct goals *g, int size)
{
    double own = time_of(contest_find(&g->wide, "actgen", "relu", NULL, NULL), size);
    double compiled = time_of(contest_find(&g->wide, "limit", NULL, "relu", "avx512"), size);
    return own > 0 && own < compiled ? own : compiled;
}

static void print_titles(void)
{
    printf("\n| kernel | bound | goal | limit | measured | | max ulp | max abs "
           "|\n|---|---|---|--:|--:|---|--:|--:|\n");
}

/* `measured` 0: the kernel or what it is compared with is missing. */
static void print_goal(struct goals *g, const char *name, const char *bound, const char *what, double limit,
                       double measured, const struct contestant *c)
{
    bool met = measured > 0 && measured <= limit;
    const char *verdict = measured > 0 ? met ? "met" : "not met" : "not measured";
    double ulp = 0, abs = 0;
    for (int set = 0; c && set < INPUT_SETS; set++) {
        ulp = fmax(ulp, c->errors[set].max_ulp);
        abs = fmax(abs, c->errors[set].max_abs);
    }
    if (!met) g->all_met = false;
    if (g->json) {
        printf("%s\n {\"kernel\": \"%s\", \"bound\": \"%s\", \"goal\": \"%s\", \"limit\": %g, \"measured\": "
               "%.4g, "
               "\"verdict\": \"%s\", \"max_ulp\": %.4g, \"max_abs\": %.4g}",
               g->first ? "" : ",", name, bound, what, limit, measured, verdict, ulp, abs);
        g->first = false;
        return;
    }
    char error[2][32] = {"", ""};
    if (c) snprintf(error[0], sizeof error[0], ulp < 1e4 ? "%.3g" : "%.0e", ulp);
    if (c) snprintf(error[1], sizeof error[1], "%.1e", abs);
    printf("| %s | %s | %s | %g | %.3g | %s | %s | %s |\n", name, bound, what, limit, measured, verdict,
           error[0], error[1]);
}

static double quotient(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }

static void add_kernels(struct goals *g)
{
    contest_add_peers(&g->wide, "gelu", "Eigen", "avx512");
    contest_add_kernel(&g->wide, "relu", "3 ulp", "avx512");
    for (size_t i = 0; i < RELU_GOALS; i++)
        contest_add_kernel(&g->wide, relu_goals[i].function, relu_goals[i].accuracy, "avx512");
    for (size_t i = 0; bench_functions[i]; i++) { /* what "any kernel" means besides */
        const char *f = bench_functions[i];
        if (!contest_find(&g->wide, "actgen", f, "abs 2^-22", NULL))
            contest_add_kernel(&g->wide, f, "abs 2^-22", "avx512");
        if (!contest_find(&g->wide, "actgen", f, "3 ulp", NULL))
            contest_add_kernel(&g->wide, f, "3 ulp", "avx512");
        contest_add_kernel(&g->narrow, f, avx2_fast, "avx2");
        contest_add_kernel(&g->narrow, f, avx2_exact, "avx2");
        struct contest peers = {.count = 0};
        contest_add_peers(&peers, f, "Eigen,SLEEF", "avx2");
        for (size_t k = 0; k < peers.count; k++)
            if (!peers.list[k].is_limit && g->narrow.count < MOST_CONTESTANTS)
                g->narrow.list[g->narrow.count++] = peers.list[k];
    }
}

typedef bool (*chooser)(const struct contestant *c, double limit);

static void time_contest(struct goals *g, struct contest *c, double seconds, int size, chooser choose,
                         double limit)
{
    struct contestant *list[MOST_CONTESTANTS] = {0};
    struct timing times[MOST_CONTESTANTS];
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!choose || choose(&c->list[i], limit)) list[count++] = &c->list[i];
    measure(list, count, g->in->x[INPUTS_NORMAL], g->in->y, sizes[size], seconds, times);
    for (size_t i = 0; i < count; i++) list[i]->times[size] = times[i];
}

static double element_time(const struct contestant *c, int size)
{
    return time_of(c, size) / (double)sizes[size];
}

static bool is_memcpy(const struct contestant *c, double unused)
{
    (void)unused;
    return c->is_limit && !strcmp(c->form, "memcpy");
}

static bool is_fast(const struct contestant *c, double limit)
{
    return is_memcpy(c, 0) || (c->kernel && element_time(c, IN_L2) <= limit);
}

static bool measure_all(struct goals *g, double seconds)
{
    for (size_t i = 0; bench_functions[i]; i++)
        if (!errors_measure(&g->wide, bench_functions[i], g->in) ||
            !errors_measure(&g->narrow, bench_functions[i], g->in))
            return false;
    time_contest(g, &g->wide, 0.4 * seconds, IN_L2, NULL, 0);
    time_contest(g, &g->narrow, 0.25 * seconds, IN_L2, NULL, 0);
    time_contest(g, &g->wide, 0.05 * seconds, OF_16, NULL, 0);
    time_contest(g, &g->wide, 0.05 * seconds, IN_DRAM, is_memcpy, 0);
    const struct contestant *copy = contest_find(&g->wide, "limit", NULL, "memcpy", NULL);
    g->fast = half_of_memcpy * element_time(copy, IN_DRAM);
    time_contest(g, &g->wide, 0.25 * seconds, IN_DRAM, is_fast, g->fast);
    return true;
}

static void print_relu_goals(struct goals *g)
{
    for (size_t i = 0; i < RELU_GOALS; i++) {
        const struct goal *goal = &relu_goals[i];
        struct contestant *c = contest_find(&g->wide, "actgen", goal->function, goal->accuracy, NULL);
        double time = time_of(c, IN_L2);
        print_goal(g, goal->function, goal->accuracy, "L2, of relu", goal->limit,
                   quotient(time, relu_time(g, IN_L2)), c);
        if (i) continue;
        double eigen = time_of(contest_find(&g->wide, "Eigen", "gelu", NULL, "avx512"), IN_L2);
        print_goal(g, goal->function, goal->accuracy, "L2, of Eigen", eigen_limit, quotient(time, eigen), c);
    }
}

/* The slowest kernel's row stands for all of them. */
static void print_worst_goals(struct goals *g)
{
    double memcpy_time = time_of(contest_find(&g->wide, "limit", NULL, "memcpy", NULL), IN_DRAM);
    const struct contestant *slowest_stream = NULL, *slowest_call = NULL;
    for (size_t i = 0; i < g->wide.count; i++) {
        const struct contestant *c = &g->wide.list[i];
        if (!c->kernel) continue;
        double in_l2 = time_of(c, IN_L2) / (double)sizes[IN_L2], dram = memcpy_time / (double)sizes[IN_DRAM];
        if (in_l2 <= half_of_memcpy * dram &&
            (!slowest_stream || time_of(c, IN_DRAM) > time_of(slowest_stream, IN_DRAM)))
            slowest_stream = c;
        if (!slowest_call || time_of(c, OF_16) > time_of(slowest_call, OF_16)) slowest_call = c;
    }
    const struct contestant *c = slowest_stream;
    print_goal(g, c ? c->function : "none", c ? c->form : "", "64 MiB, of memcpy; the slowest of the fast",
               stream_limit, quotient(time_of(c, IN_DRAM), memcpy_time), c);
    c = slowest_call;
    print_goal(g, c ? c->function : "none", c ? c->form : "", "n = 16, ns a call; the slowest of all",
               call_limit_ns, time_of(c, OF_16), c);
}

/* Against the fastest of the library's ways to write the function. */
static void print_avx2_goals(struct goals *g, const char *library, const char *accuracy)
{
    for (size_t i = 0; bench_functions[i]; i++) {
        const char *f = bench_functions[i];
        double best = 0;
        for (size_t k = 0; k < g->narrow.count; k++) {
            const struct contestant *c = &g->narrow.list[k];
            if (strncmp(c->library, library, strlen(library)) || strcmp(c->function, f)) continue;
            if (best == 0 || time_of(c, IN_L2) < best) best = time_of(c, IN_L2);
        }
        struct contestant *c = contest_find(&g->narrow, "actgen", f, accuracy, NULL);
        char what[64];
        snprintf(what, sizeof what, "AVX2, L2, of %s", library);
        print_goal(g, f, accuracy, what, 1, quotient(time_of(c, IN_L2), best), c);
    }
}

int bench_goals(struct inputs *in, const struct plan *plan)
{
    struct goals g = {.in = in, .json = plan->json, .first = true, .all_met = true};
    add_kernels(&g);
    int status = EXIT_FAILURE;
    if (measure_all(&g, plan->seconds)) {
        status = EXIT_SUCCESS;
        if (g.json) printf("{");
        report_machine(g.json);
        if (g.json)
            printf(",\n\"goals\": [");
        else
            print_titles();
        print_relu_goals(&g);
        print_worst_goals(&g);
        print_avx2_goals(&g, "Eigen", avx2_fast);
        print_avx2_goals(&g, "SLEEF", avx2_exact);
        if (g.json) printf("\n], \"all_met\": %s}\n", g.all_met ? "true" : "false");
    }
    contest_free(&g.wide);
    contest_free(&g.narrow);
    return status;
}
