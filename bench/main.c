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

static void time_function(struct contest *c, const struct inputs *in, const struct plan *plan, double seconds)
{
    struct contestant *list[MOST_CONTESTANTS];
    struct timing times[MOST_CONTESTANTS];
    double share = seconds / total_weight(plan);
    for (size_t i = 0; i < c->count; i++) list[i] = &c->list[i];
    for (size_t s = 0; s < plan->size_count; s++) {
        size_t n = plan->sizes[s].n;
        measure(list, c->count, inputs_of(in, INPUTS_NORMAL), n, share * weight_of(n), times);
        for (size_t i = 0; i < c->count; i++) c->list[i].times[s] = times[i];
    }
    for (int set = 1; set < INPUT_SETS; set++) {
        if (!plan->with_set[set]) continue;
        measure(list, c->count, inputs_of(in, (enum input_set)set), SET_SIZE, share, times);
        for (size_t i = 0; i < c->count; i++) c->list[i].others[set] = times[i];
    }
}

static int bench_function(const char *function, struct inputs *in, const struct plan *plan, double seconds,
                          bool first)
{
    struct contest c = {.count = 0};
    inputs_suit(in, function);
    contest_add_all(&c, function, plan->peers, plan->isas, plan->seconds >= 1);
    int status = errors_measure(&c, function, in) ? EXIT_SUCCESS : EXIT_FAILURE;
    time_function(&c, in, plan, seconds);
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

static int bench_all(struct inputs *in, const struct plan *plan, const char *only)
{
    size_t wanted = 0;
    int status = EXIT_SUCCESS;
    bool first = true;
    for (size_t i = 0; bench_functions[i]; i++) wanted += in_list(only, bench_functions[i]);
    if (plan->json) printf("{");
    report_machine(plan->json);
    if (plan->json)
        printf(",\n\"rows\": [");
    else
        report_titles(plan);
    for (size_t i = 0; bench_functions[i]; i++) {
        if (!in_list(only, bench_functions[i])) continue;
        if (bench_function(bench_functions[i], in, plan, plan->seconds / (double)wanted, first))
            status = EXIT_FAILURE;
        first = false;
    }
    if (plan->json) printf("\n]}\n");
    return status;
}

int main(int argc, char **argv)
{
    enum {
        GOALS,
        KERNELS,
        OFFSETS,
        LOOSER,
        RATIOS,
        BEST,
        PROCESSES,
        JSON,
        SECONDS,
        ONLY,
        PEER,
        ISA_LIST,
        SIZE,
        INPUTS,
        HELP
    };
    static const struct option options[] = {{"goals", no_argument, NULL, GOALS},
                                            {"kernels", no_argument, NULL, KERNELS},
                                            {"offsets", no_argument, NULL, OFFSETS},
                                            {"looser", no_argument, NULL, LOOSER},
                                            {"ratios", no_argument, NULL, RATIOS},
                                            {"best", no_argument, NULL, BEST},
                                            {"processes", required_argument, NULL, PROCESSES},
                                            {"json", no_argument, NULL, JSON},
                                            {"seconds", required_argument, NULL, SECONDS},
                                            {"only", required_argument, NULL, ONLY},
                                            {"peer", required_argument, NULL, PEER},
                                            {"isa", required_argument, NULL, ISA_LIST},
                                            {"size", required_argument, NULL, SIZE},
                                            {"inputs", required_argument, NULL, INPUTS},
                                            {"help", no_argument, NULL, HELP},
                                            {NULL, 0, NULL, 0}};
    struct plan plan = {.processes = 3};
    const char *only = NULL, *sizes = NULL, *sets = NULL;
    bool goals = false, kernels = false, offsets = false, looser = false, ratios = false;
    for (int o; (o = getopt_long(argc, argv, "", options, NULL)) != -1;) {
        switch (o) {
        case GOALS: goals = true; break;
        case KERNELS: kernels = true; break;
        case OFFSETS: offsets = true; break;
        case LOOSER: looser = true; break;
        case RATIOS: ratios = true; break;
        case BEST: plan.best = true; break;
        case PROCESSES: plan.processes = strtoul(optarg, NULL, 10); break;
        case JSON: plan.json = true; break;
        case SECONDS: plan.seconds = strtod(optarg, NULL); break;
        case ONLY: only = optarg; break;
        case PEER: plan.peers = optarg; break;
        case ISA_LIST: plan.isas = optarg; break;
        case SIZE: sizes = optarg; break;
        case INPUTS: sets = optarg; break;
        case HELP: fputs(usage, stdout); return EXIT_SUCCESS;
        default: fputs(usage, stderr); return 2;
        }
    }
    if (optind < argc || !choose_sizes(&plan, goals ? NULL : !sizes && plan.best ? "L2" : sizes)) return 2;
    if (plan.seconds <= 0) plan.seconds = goals ? 80 : kernels || ratios ? 20 : 120;
    if (offsets || looser || !plan.processes) plan.processes = 1; /* these repeat the times that matter */
    plan.seconds /= (double)plan.processes;
    if (plan.best && !sets) sets = input_set_names[INPUTS_NORMAL];
    for (int set = 0; set < INPUT_SETS; set++) plan.with_set[set] = in_list(sets, input_set_names[set]);
    struct inputs in;
    if (!processes_start(argv, plan.processes))
        fputs("actgen_bench: another process of this run cannot be started: fewer measure\n", stderr);
    if (!pin_to_a_core().is_pinned)
        fputs("actgen_bench: not pinned to a core: times will vary more\n", stderr);
    int status = EXIT_FAILURE;
    if (!inputs_make(&in, largest_size(&plan)))
        fputs("actgen_bench: no memory\n", stderr);
    else if (bench_open())
        status = kernels   ? bench_kernels(&plan, only)
                 : goals   ? bench_goals(&in, &plan)
                 : offsets ? bench_offsets(&plan, only)
                 : looser  ? bench_looser(&plan, only)
                 : ratios  ? bench_ratios(&plan)
                           : bench_all(&in, &plan, only);
    processes_end();
    bench_close();
    inputs_free(&in);
    return status;
}
