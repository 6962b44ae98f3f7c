/* The project's goals, each with the figure measured here: ratios of the least times in one run. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum place { IN_L1, IN_L2, IN_DRAM, OF_1, OF_3, OF_8, OF_16, SIZES };
static const size_t sizes[SIZES] = {2048, SET_SIZE, 1u << 24, 1, 3, 8, 16};
static const char *const size_names[SIZES] = {"L1", "L2", "DRAM", "n = 1", "n = 3", "n = 8", "n = 16"};

/* Divisors of a kernel's time: the time of the fastest copying ReLU, a cycle per vector, or the time of a
 * library's fastest loop. */
static const char of_relu[] = "relu", of_cycles[] = "cycles a vector";
static const char eigen[] = "Eigen", sleef[] = "SLEEF", libmvec[] = "gcc", shape[] = "XNNPACK's form";
static const char plain_loop[] = "plain loop"; /* peer_plan.c */
/* gelu at abs 2^-22 from an object, called with pointers: peer_linked.c */
static const char linked[] = "linked object";

struct goal {
    const char *function, *accuracy, *with; /* the accuracy of a kernel in this process, or `linked` */
    double limit;
    enum place size;
};

#define SIX(accuracy, with, limit)                                                                           \
    {"gelu", accuracy, with, limit, IN_L2}, {"gelu_tanh", accuracy, with, limit, IN_L2},                     \
        {"gelu_sigmoid", accuracy, with, limit, IN_L2}, {"silu", accuracy, with, limit, IN_L2},              \
        {"tanh", accuracy, with, limit, IN_L2},                                                              \
    {                                                                                                        \
        "sigmoid", accuracy, with, limit, IN_L2                                                              \
    }
#define HARDSWISH(limit)                                                                                     \
    {"hardswish", "abs 2^-10", of_relu, limit, IN_L1}, {"hardswish", "abs 2^-22", of_relu, limit, IN_L1},    \
        {"hardswish", "3 ulp", of_relu, limit, IN_L1},                                                       \
    {                                                                                                        \
        "hardswish", "1 ulp", of_relu, limit, IN_L1                                                          \
    }

/* Calls of few elements, compared with a loop of intrinsics that has gelu's plan. */
#define CALLS(accuracy)                                                                                      \
    {"gelu", accuracy, plain_loop, 1.05, OF_1}, {"gelu", accuracy, plain_loop, 1.05, OF_3},                  \
        {"gelu", accuracy, plain_loop, 1.05, OF_8},                                                          \
    {                                                                                                        \
        "gelu", accuracy, plain_loop, 1.05, OF_16                                                            \
    }

static const struct goal avx512_goals[] = {
    SIX("abs 2^-20", of_cycles, 7),
    SIX("abs 2^-22", of_cycles, 7.5),
    {"elu", "abs 2^-22", of_cycles, 7.5, IN_L2},
    {"exp", "abs 2^-22", of_cycles, 7.5, IN_L2},
    {"exp", "abs 2^-10", of_cycles, 4, IN_L2},
    {"gelu", "abs 2^-22", eigen, 0.62, IN_L2},
    {"gelu", "abs 2^-10", of_relu, 1.4, IN_L2},
    {"softplus", "abs 2^-22", of_relu, 2.4, IN_L2},
    {"mish", "abs 2^-22", of_relu, 2.8, IN_L2},
    {"gelu", "3 ulp", of_relu, 4.2, IN_L2},
    {"silu", "3 ulp", of_relu, 2.4, IN_L2},
    {"sigmoid", "3 ulp", of_relu, 2.4, IN_L2},
    {"tanh", "3 ulp", of_relu, 2.9, IN_L2},
    {"elu", "3 ulp", of_relu, 2.9, IN_L2},
    {"exp", "3 ulp", libmvec, 0.75, IN_L2},
    {"exp", "1 ulp", sleef, 0.65, IN_L2},
    {"elu", "1 ulp", sleef, 0.65, IN_L2},
    {"elu", "1 ulp", shape, 0.95, IN_L2},
    {"gelu", "0.5 ulp", of_relu, 12, IN_L2},
    HARDSWISH(1.9),
    CALLS("abs 2^-22"),
    CALLS(linked),
};
static const struct goal avx2_goals[] = {
    SIX("abs 2^-20", eigen, 0.85),
    SIX("abs 2^-20", shape, 0.85),
    SIX("abs 2^-22", of_cycles, 7.5),
    {"elu", "abs 2^-22", of_cycles, 7.5, IN_L2},
    {"exp", "abs 2^-22", of_cycles, 7.5, IN_L2},
    {"exp", "abs 2^-10", of_cycles, 6, IN_L2},
    {"softplus", "abs 2^-20", eigen, 1, IN_L2},
    {"mish", "abs 2^-20", eigen, 1, IN_L2},
    {"elu", "abs 2^-20", eigen, 1, IN_L2},
    {"exp", "abs 2^-20", eigen, 1, IN_L2},
    SIX("3 ulp", sleef, 1),
    {"softplus", "3 ulp", sleef, 1, IN_L2},
    {"mish", "3 ulp", sleef, 1, IN_L2},
    {"elu", "3 ulp", sleef, 1, IN_L2},
    {"exp", "3 ulp", sleef, 1, IN_L2},
    {"gelu", "3 ulp", of_relu, 9, IN_L2},
    {"silu", "3 ulp", of_relu, 4.6, IN_L2},
    {"sigmoid", "3 ulp", of_relu, 4.5, IN_L2},
    {"exp", "3 ulp", libmvec, 0.95, IN_L2},
    {"exp", "1 ulp", sleef, 0.8, IN_L2},
    {"elu", "1 ulp", sleef, 0.8, IN_L2},
    {"elu", "1 ulp", shape, 0.95, IN_L2},
    HARDSWISH(1.5),
    CALLS("abs 2^-22"),
    CALLS(linked),
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

/* The goals of an instruction set, and their contestants. */
struct field {
    const char *isa;
    size_t lanes;
    const struct goal *goals;
    size_t goal_count;
    struct contest contest;
    double cycle; /* ns */
};
enum { WIDE, NARROW, FIELDS };

static const double half_of_memcpy =
                        0.5, /* kernels whose time in L2 is below this share of memcpy's time in DRAM */
    stream_limit = 0.85;     /* must take at most this share of memcpy's time in DRAM */
static const double call_limit_ns = 15; /* for a call of 16 elements */

struct goals {
    struct inputs *in;
    struct field field[FIELDS];
    double fast; /* ns per element */
    bool json, first, all_met;
};

static double time_of(const struct contestant *c, enum place size) { return c ? c->times[size].min : 0; }
static double worst_of(const struct contestant *c, enum place size) { return c ? c->times[size].worst : 0; }

static void print_titles(void)
{
    printf("\n| kernel | bound | goal | limit | measured | at worst | | max ulp | max abs "
           "|\n|---|---|---|--:|--:|--:|---|--:|--:|\n");
}

/* Prints a goal. `measured` is 0 if the kernel or its divisor is missing. `worst` takes the kernel's time at
 * the worst place of the stack, and is 0 if unknown. */
static void print_goal(struct goals *g, const char *name, const char *bound, const char *what, double limit,
                       double measured, double worst, const struct contestant *c)
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
               "%.4g, \"worst\": %.4g, "
               "\"verdict\": \"%s\", \"max_ulp\": %.4g, \"max_abs\": %.4g}",
               g->first ? "" : ",", name, bound, what, limit, measured, worst, verdict, ulp, abs);
        g->first = false;
        return;
    }
    char error[2][32] = {"", ""}, at_worst[32] = "";
    if (worst > 0) snprintf(at_worst, sizeof at_worst, "%.3g", worst);
    if (c) snprintf(error[0], sizeof error[0], ulp < 1e4 ? "%.3g" : "%.0e", ulp);
    if (c) snprintf(error[1], sizeof error[1], "%.1e", abs);
    printf("| %s | %s | %s | %g | %.3g | %s | %s | %s | %s |\n", name, bound, what, limit, measured, at_worst,
           verdict, error[0], error[1]);
}

static double quotient(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }

/* -- contestants -- */

static bool has(const struct contest *c, const struct contestant *who)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->list[i].loop && c->list[i].loop == who->loop) return true;
    return false;
}

static void add_loops(struct contest *c, const char *function, const char *library, const char *isa)
{
    struct contest peers = {.count = 0};
    contest_add_peers(&peers, function, library, isa);
    for (size_t k = 0; k < peers.count && c->count < MOST_CONTESTANTS; k++)
        if (!has(c, &peers.list[k])) c->list[c->count++] = peers.list[k];
}

static void add_kernel(struct field *f, const char *function, const char *accuracy)
{
    if (!contest_find(&f->contest, "actgen", function, accuracy, NULL))
        contest_add_kernel(&f->contest, function, accuracy, f->isa);
}

static void add_contestants(struct field *f)
{
    add_kernel(f, "relu", "3 ulp");
    for (size_t i = 0; i < f->goal_count; i++) {
        const struct goal *goal = &f->goals[i];
        if (goal->accuracy == linked)
            add_loops(&f->contest, goal->function, linked, f->isa);
        else
            add_kernel(f, goal->function, goal->accuracy);
        if (goal->with != of_cycles) add_loops(&f->contest, goal->function, goal->with, f->isa);
    }
}

/* Adds the other kernels that "any kernel" includes, with AVX-512. */
static void add_others(struct field *f)
{
    for (const struct bench_function *b = bench_functions; b->name; b++) {
        if (!b->has_goals || b->is_gate || b->domain != DOMAIN_ALL) continue; /* other inputs */
        add_kernel(f, b->name, "abs 2^-22");
        add_kernel(f, b->name, "3 ulp");
    }
}

/* -- time -- */

typedef bool (*chooser)(const struct contestant *c, double limit);

/* Takes 3 n cycles. Each product waits 3 cycles for the one before, on Intel's cores since Nehalem and on
 * Zen. */
static void take_cycles(size_t n, const float *x, float *y)
{
    uint64_t product = (uintptr_t)x | 1;
    const uint64_t factor = UINT64_C(0x9e3779b97f4a7c15);
    (void)y;
    for (size_t i = 0; i < n; i++) {
        product *= factor;
        __asm__ volatile("" : "+r"(product));
    }
}

static const struct contestant clock = {.library = "clock", .function = "", .form = "", .loop = take_cycles};

static void time_contest(struct goals *g, struct contest *c, double seconds, enum place size, chooser choose,
                         double limit)
{
    struct contestant *list[MOST_CONTESTANTS] = {0};
    struct timing times[MOST_CONTESTANTS];
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        if (!choose || choose(&c->list[i], limit)) list[count++] = &c->list[i];
    measure(list, count, inputs_of(g->in, INPUTS_NORMAL), sizes[size], seconds, times);
    for (size_t i = 0; i < count; i++) list[i]->times[size] = times[i];
}

static double element_time(const struct contestant *c, enum place size)
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

static bool is_gelu(const struct contestant *c, double unused)
{
    (void)unused;
    return !strcmp(c->function, "gelu");
}

static bool is_in_l1(const struct contestant *c, double unused)
{
    (void)unused;
    return !strcmp(c->function, "hardswish") || !strcmp(c->function, "relu") ||
           (c->is_limit && !strcmp(c->form, "relu"));
}

static bool measure_errors(struct goals *g, struct contest *c)
{
    for (size_t i = 0; i < c->count; i++) {
        bool seen = c->list[i].is_limit;
        for (size_t k = 0; k < i; k++) seen = seen || !strcmp(c->list[k].function, c->list[i].function);
        if (!seen && !errors_measure(c, c->list[i].function, g->in)) return false;
    }
    return true;
}

/* Measures errors and times. The clock is timed in turn with the kernels, so that both have the same
 * frequency. */
static bool measure_field(struct goals *g, struct field *f, double seconds)
{
    struct contest *c = &f->contest;
    if (!measure_errors(g, c)) return false;
    if (c->count < MOST_CONTESTANTS) c->list[c->count++] = clock;
    time_contest(g, c, 0.9 * seconds, IN_L2, NULL, 0);
    time_contest(g, c, 0.1 * seconds, IN_L1, is_in_l1, 0);
    f->cycle = time_of(contest_find(c, "clock", NULL, NULL, NULL), IN_L2) / (3 * (double)sizes[IN_L2]);
    return true;
}

static bool measure_all(struct goals *g, double seconds)
{
    const double few_share = 0.0125; /* of the time, for each set and each size of few elements */
    struct contest *wide = &g->field[WIDE].contest;
    if (!measure_field(g, &g->field[WIDE], 0.35 * seconds) ||
        !measure_field(g, &g->field[NARROW], 0.35 * seconds))
        return false;
    for (int k = 0; k < FIELDS; k++)
        for (enum place few = OF_1; few <= OF_16; few++)
            time_contest(g, &g->field[k].contest, few_share * seconds, few, few == OF_16 ? NULL : is_gelu, 0);
    time_contest(g, wide, 0.05 * seconds, IN_DRAM, is_memcpy, 0);
    const struct contestant *copy = contest_find(wide, "limit", NULL, "memcpy", NULL);
    g->fast = half_of_memcpy * element_time(copy, IN_DRAM);
    time_contest(g, wide, 0.15 * seconds, IN_DRAM, is_fast, g->fast);
    return true;
}

/* -- the table -- */

static double faster(double a, double b) { return a > 0 && (b <= 0 || a < b) ? a : b; }

/* Returns the time of the fastest way in which the library writes the function. */
static double library_time(const struct field *f, const char *library, const char *function, enum place size)
{
    double best = 0;
    for (size_t i = 0; i < f->contest.count; i++) {
        const struct contestant *c = &f->contest.list[i];
        if (!strncmp(c->library, library, strlen(library)) && !strcmp(c->function, function))
            best = faster(time_of(c, size), best);
    }
    return best;
}

static double relu_time(struct field *f, enum place size)
{
    return faster(time_of(contest_find(&f->contest, "actgen", "relu", NULL, NULL), size),
                  time_of(contest_find(&f->contest, "limit", NULL, "relu", f->isa), size));
}

static double time_of_goal(struct field *f, const struct goal *goal)
{
    if (goal->with == of_relu) return relu_time(f, goal->size);
    if (goal->with == of_cycles) return f->cycle * (double)sizes[goal->size] / (double)f->lanes;
    return library_time(f, goal->with, goal->function, goal->size);
}

static void print_field(struct goals *g, struct field *f)
{
    for (size_t i = 0; i < f->goal_count; i++) {
        const struct goal *goal = &f->goals[i];
        const struct contestant *c =
            goal->accuracy == linked
                ? contest_find(&f->contest, linked, goal->function, NULL, f->isa)
                : contest_find(&f->contest, "actgen", goal->function, goal->accuracy, f->isa);
        char what[64];
        const double with = time_of_goal(f, goal);
        snprintf(what, sizeof what, "%s, %s, %s%s", f->isa, size_names[goal->size],
                 goal->with == of_cycles ? "" : "of ", goal->with);
        print_goal(g, goal->function, goal->accuracy, what, goal->limit,
                   quotient(time_of(c, goal->size), with), quotient(worst_of(c, goal->size), with), c);
    }
}

/* Prints the goals for all kernels, by the row of the slowest kernel. */
static void print_worst_goals(struct goals *g)
{
    struct contest *wide = &g->field[WIDE].contest;
    double memcpy_time = time_of(contest_find(wide, "limit", NULL, "memcpy", NULL), IN_DRAM);
    const struct contestant *slowest_stream = NULL, *slowest_call = NULL;
    for (size_t i = 0; i < wide->count; i++) {
        const struct contestant *c = &wide->list[i];
        if (!c->kernel) continue;
        double in_l2 = time_of(c, IN_L2) / (double)sizes[IN_L2], dram = memcpy_time / (double)sizes[IN_DRAM];
        if (in_l2 <= half_of_memcpy * dram &&
            (!slowest_stream || time_of(c, IN_DRAM) > time_of(slowest_stream, IN_DRAM)))
            slowest_stream = c;
        if (!slowest_call || time_of(c, OF_16) > time_of(slowest_call, OF_16)) slowest_call = c;
    }
    const struct contestant *c = slowest_stream;
    print_goal(g, c ? c->function : "none", c ? c->form : "", "64 MiB, of memcpy; the slowest of the fast",
               stream_limit, quotient(time_of(c, IN_DRAM), memcpy_time),
               quotient(worst_of(c, IN_DRAM), memcpy_time), c);
    c = slowest_call;
    print_goal(g, c ? c->function : "none", c ? c->form : "", "n = 16, ns a call; the slowest of all",
               call_limit_ns, time_of(c, OF_16), worst_of(c, OF_16), c);
}

/* Prints the template whose time depends most on the place of the stack. */
static void print_places(struct goals *g, const struct field *f)
{
    struct place_figures most;
    char what[64];
    if (is_follower() || !most_varied(&most, f->isa)) return;
    snprintf(what, sizeof what, "%s, L1, worst of best of %d places of the stack", f->isa, ALL_STACK_PLACES);
    print_goal(g, most.kernel, most.accuracy, what, worst_place_limit, most.worst / most.best, 0, NULL);
}

/* Prints the bound that loses most, compared with a tighter bound, over all templates in f32. */
static void print_looser(struct goals *g, const struct field *f)
{
    struct looser_figures most;
    char what[64];
    if (is_follower() || !most_lost(&most, f->isa)) return;
    snprintf(what, sizeof what, "%s, L1, of %s, which implies it", f->isa, most.tight);
    print_goal(g, most.kernel, most.loose, what, looser_limit, most.loose_ns / most.tight_ns, 0, NULL);
}

/* Prints how far the estimate for this processor is from the fastest that times find. */
static void print_estimates(struct goals *g, const struct field *f)
{
    struct estimate_figures e;
    char what[64];
    if (is_follower() || !compare_estimates(&e, f->isa)) return;
    snprintf(what, sizeof what, "%s, L1, of --plan measure, nine of ten", f->isa);
    print_goal(g, "--tune host", "", what, estimate_limit, e.ninth_decile, 0, NULL);
    snprintf(what, sizeof what, "%s, L1, of --plan measure, the worst", f->isa);
    print_goal(g, e.kernel, e.bound, what, worst_estimate_limit, e.worst, 0, NULL);
}

static void print_ratio(void *context, const char *isa, const struct ratio_figures *figures)
{
    char what[80];
    snprintf(what, sizeof what, "%s, L2, of %s", isa, figures->with);
    print_goal(context, figures->kernel, figures->bound, what, figures->limit, figures->measured,
               figures->worst, NULL);
    fflush(stdout);
}

/* Prints the rows of ratios.txt for each instruction set of the list that runs here. */
static bool print_ratios(struct goals *g, const char *isas, double seconds)
{
    const double share = seconds / (double)(FIELDS * count_ratios());
    bool done = true;
    for (int k = 0; k < FIELDS; k++)
        if (in_list(isas, g->field[k].isa) && actgen_isa_runs_here(g->field[k].isa) == 1)
            done = each_ratio(g->field[k].isa, share, print_ratio, g) && done;
    return done;
}

static struct goals *goals_new(const struct plan *plan)
{
    struct goals *g = calloc(1, sizeof *g);
    if (!g) return NULL;
    *g = (struct goals){
        .in = plan->inputs,
        .json = plan->json,
        .first = true,
        .all_met = true,
        .field = {
            [WIDE] = {.isa = "avx512", .lanes = 16, .goals = avx512_goals, .goal_count = COUNT(avx512_goals)},
            [NARROW] = {.isa = "avx2", .lanes = 8, .goals = avx2_goals, .goal_count = COUNT(avx2_goals)}}};
    return g;
}

static void print_beginning(const struct goals *g)
{
    if (g->json) printf("{");
    report_machine(g->json);
    if (g->json)
        printf(",\n\"goals\": [");
    else
        print_titles();
}

static void print_end(const struct goals *g)
{
    if (g->json) printf("\n], \"all_met\": %s}\n", g->all_met ? "true" : "false");
}

static const double share_of_ratios = 0.25; /* of the time of all goals */

int bench_goals(const struct plan *plan)
{
    struct goals *g = goals_new(plan);
    int status = EXIT_FAILURE;
    if (!g) return status;
    for (int k = 0; k < FIELDS; k++) add_contestants(&g->field[k]);
    add_others(&g->field[WIDE]);
    if (measure_all(g, (1 - share_of_ratios) * plan->seconds)) {
        print_beginning(g);
        for (int k = 0; k < FIELDS; k++) print_field(g, &g->field[k]);
        print_worst_goals(g);
        if (print_ratios(g, NULL, share_of_ratios * plan->seconds)) status = EXIT_SUCCESS;
        for (int k = 0; k < FIELDS; k++) print_places(g, &g->field[k]);
        for (int k = 0; k < FIELDS; k++) print_looser(g, &g->field[k]);
        for (int k = 0; k < FIELDS; k++) print_estimates(g, &g->field[k]);
        print_end(g);
    }
    for (int k = 0; k < FIELDS; k++) contest_free(&g->field[k].contest);
    free(g);
    return status;
}

int bench_ratios(const struct plan *plan)
{
    struct goals *g = goals_new(plan);
    if (!g) return EXIT_FAILURE;
    print_beginning(g);
    const bool done = print_ratios(g, plan->isas, plan->seconds);
    print_end(g);
    free(g);
    return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
