/* actgen_bench: reads options, then times each function's contestants in turn, over sizes and inputs.
 * scripts/bench runs it. */
#include "bench.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
#include "usage.inc"
    ;

static size_t floor_power(size_t n)
{
    size_t power = 1;
    while (power * 2 <= n) power *= 2;
    return power;
}

/* Returns sizes for both arrays together: half of the L1 cache, a quarter of the L2, between L2 and L3, and
 * far beyond. */
static size_t cached_sizes(struct size *sizes)
{
    long l3 = sysconf(_SC_LEVEL3_CACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    size_t last = l3 > 0 ? (size_t)l3 : 32u << 20, second = l2 > 0 ? (size_t)l2 : 1u << 20;
    size_t between = last / 4 > 3 * second ? last / 4 : 3 * second; /* bytes of both arrays */
    sizes[0] = (struct size){"L1", 2048};
    sizes[1] = (struct size){"L2", 32768};
    sizes[2] = (struct size){"L3", floor_power(between / 8)};
    sizes[3] = (struct size){"DRAM", 16777216};
    return 4;
}

static bool choose_sizes(struct plan *plan, const char *list)
{
    struct size cached[4];
    size_t count = cached_sizes(cached);
    if (!list) list = "1,16,31,100,L1,L2,L3,DRAM";
    while (*list && plan->size_count < MOST_SIZES) {
        size_t length = strcspn(list, ","), i = 0;
        while (i < count && (strlen(cached[i].name) != length || strncmp(cached[i].name, list, length))) i++;
        struct size size = i < count ? cached[i] : (struct size){"", (size_t)strtoull(list, NULL, 10)};
        if (size.n == 0 || (i == count && size.n >= cached[0].n)) {
            fprintf(stderr, "actgen_bench: no size '%.*s'\n%s", (int)length, list, usage);
            return false;
        }
        plan->sizes[plan->size_count++] = size;
        list += length + (list[length] == ',');
    }
    return plan->size_count > 0;
}

static size_t largest_size(const struct plan *plan)
{
    size_t n = 0;
    for (size_t s = 0; s < plan->size_count; s++)
        if (plan->sizes[s].n > n) n = plan->sizes[s].n;
    return n;
}

/* Returns a share of the time. Arrays in DRAM take milliseconds per call. */
static double weight_of(size_t n) { return n > 4u << 20 ? 8 : n > SET_SIZE ? 3 : 1; }

static double total_weight(const struct plan *plan)
{
    double total = 0;
    for (size_t s = 0; s < plan->size_count; s++) total += weight_of(plan->sizes[s].n);
    for (int set = 1; set < INPUT_SETS; set++) total += plan->with_set[set] ? weight_of(SET_SIZE) : 0;
    return total;
}

static void time_function(struct contest *c, const struct plan *plan, double seconds)
{
    struct contestant *list[MOST_CONTESTANTS];
    struct timing times[MOST_CONTESTANTS];
    double share = seconds / total_weight(plan);
    for (size_t i = 0; i < c->count; i++) list[i] = &c->list[i];
    for (size_t s = 0; s < plan->size_count; s++) {
        size_t n = plan->sizes[s].n;
        measure(list, c->count, inputs_of(plan->inputs, INPUTS_NORMAL), n, share * weight_of(n), times);
        for (size_t i = 0; i < c->count; i++) c->list[i].times[s] = times[i];
    }
    for (int set = 1; set < INPUT_SETS; set++) {
        if (!plan->with_set[set]) continue;
        measure(list, c->count, inputs_of(plan->inputs, (enum input_set)set), SET_SIZE, share, times);
        for (size_t i = 0; i < c->count; i++) c->list[i].others[set] = times[i];
    }
}

static int time_contest(const char *function, const struct plan *plan, double seconds, bool first)
{
    struct contest c = {.count = 0};
    inputs_suit(plan->inputs, function);
    contest_add_all(&c, function, plan->peers, plan->isas, plan->seconds >= 1);
    int status = errors_measure(&c, function, plan->inputs) ? EXIT_SUCCESS : EXIT_FAILURE;
    time_function(&c, plan, seconds);
    if (plan->json)
        report_json(&c, plan, first);
    else
        report_function(&c, plan);
    for (size_t i = 0; i < c.count; i++)
        if (error_beyond_bound(&c.list[i])) {
            fprintf(stderr, "actgen_bench: %s, %s on %s misses its bound\n", function, c.list[i].form,
                    c.list[i].isa);
            status = EXIT_FAILURE;
        }
    contest_free(&c);
    return status;
}

static int bench_table(const struct plan *plan)
{
    size_t wanted = 0;
    int status = EXIT_SUCCESS;
    bool first = true;
    for (const struct bench_function *f = bench_functions; f->name; f++)
        wanted += in_list(plan->only, f->name);
    if (plan->json) printf("{");
    report_machine(plan->json);
    if (plan->json)
        printf(",\n\"rows\": [");
    else
        report_titles(plan);
    for (const struct bench_function *f = bench_functions; f->name; f++) {
        if (!in_list(plan->only, f->name)) continue;
        if (time_contest(f->name, plan, plan->seconds / (double)wanted, first)) status = EXIT_FAILURE;
        first = false;
    }
    if (plan->json) printf("\n]}\n");
    return status;
}

/* Numbers the options. Each one before TABLE names a mode, which prints something else than the table. */
enum { KERNELS, GOALS, OFFSETS, LOOSER, RATIOS, TABLE, BEST = TABLE, JSON, HELP, WITH_VALUE };
enum { PROCESSES = WITH_VALUE, SECONDS, ONLY, PEER, ISA_LIST, SIZE, INPUTS, OPTIONS };
static const char *const option_names[OPTIONS] = {
    [KERNELS] = "kernels",     [GOALS] = "goals",     [OFFSETS] = "offsets", [LOOSER] = "looser",
    [RATIOS] = "ratios",       [BEST] = "best",       [JSON] = "json",       [HELP] = "help",
    [PROCESSES] = "processes", [SECONDS] = "seconds", [ONLY] = "only",       [PEER] = "peer",
    [ISA_LIST] = "isa",        [SIZE] = "size",       [INPUTS] = "inputs",
};

/* Sets given[i] to the text of each option that is there, "" if it takes none. Returns false for others. */
static bool read_options(int argc, char **argv, const char *given[OPTIONS])
{
    struct option options[OPTIONS + 1] = {{0}};
    for (int i = 0; i < OPTIONS; i++)
        options[i] =
            (struct option){option_names[i], i < WITH_VALUE ? no_argument : required_argument, NULL, i};
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        if (o < 0 || o >= OPTIONS) return false;
        given[o] = optarg ? optarg : "";
    }
    return optind == argc;
}

/* Lists what a run can print. */
static const struct mode {
    double seconds;   /* for all measurements, unless the user says */
    size_t processes; /* likewise at most; 1: the mode itself repeats the times that matter */
    bool takes_inputs;
    int (*print)(const struct plan *plan);
} modes[] = {
    [KERNELS] = {20, SIZE_MAX, false, bench_kernels}, [GOALS] = {80, SIZE_MAX, true, bench_goals},
    [OFFSETS] = {120, 1, false, bench_offsets},       [LOOSER] = {120, 1, false, bench_looser},
    [RATIOS] = {20, SIZE_MAX, false, bench_ratios},   [TABLE] = {120, SIZE_MAX, true, bench_table},
};

static bool make_plan(struct plan *plan, const struct mode *mode, const char *const given[OPTIONS])
{
    const bool best = given[BEST];
    const char *const sets = given[INPUTS] || !best ? given[INPUTS] : input_set_names[INPUTS_NORMAL];
    const char *const sizes = given[SIZE] || !best ? given[SIZE] : "L2";
    *plan = (struct plan){.only = given[ONLY],
                          .peers = given[PEER],
                          .isas = given[ISA_LIST],
                          .json = given[JSON],
                          .best = best};
    plan->seconds = given[SECONDS] ? strtod(given[SECONDS], NULL) : 0;
    if (plan->seconds <= 0) plan->seconds = mode->seconds;
    plan->processes = given[PROCESSES] ? strtoul(given[PROCESSES], NULL, 10) : 3;
    if (plan->processes > mode->processes || !plan->processes) plan->processes = 1;
    plan->seconds /= (double)plan->processes;
    for (int set = 0; set < INPUT_SETS; set++) plan->with_set[set] = in_list(sets, input_set_names[set]);
    return choose_sizes(plan, mode == &modes[GOALS] ? NULL : sizes);
}

/* Runs a mode in its processes, each pinned to a core. */
static int run(char **argv, const struct mode *mode, struct plan *plan)
{
    int status = EXIT_FAILURE;
    struct inputs in = {.capacity = 0};
    if (!processes_start(argv, plan->processes))
        fputs("actgen_bench: another process of this run cannot be started: fewer measure\n", stderr);
    if (!pin_to_a_core().is_pinned)
        fputs("actgen_bench: not pinned to a core: times will vary more\n", stderr);
    plan->inputs = &in;
    if (mode->takes_inputs && !inputs_make(&in, largest_size(plan)))
        fputs("actgen_bench: no memory\n", stderr);
    else if (bench_open())
        status = mode->print(plan);
    processes_end();
    bench_close();
    inputs_free(&in);
    return status;
}

int main(int argc, char **argv)
{
    const char *given[OPTIONS] = {NULL};
    const struct mode *mode = modes;
    struct plan plan;
    const bool understood = read_options(argc, argv, given), help = understood && given[HELP];
    if (!understood || help) {
        fputs(usage, help ? stdout : stderr);
        return help ? EXIT_SUCCESS : 2;
    }
    while (mode != &modes[TABLE] && !given[mode - modes]) mode++;
    return make_plan(&plan, mode, given) ? run(argv, mode, &plan) : 2;
}
