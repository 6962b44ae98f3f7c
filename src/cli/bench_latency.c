/* Implements actgen bench --latency: measures how long it takes to get a kernel, as medians of RUNS runs, or
 * of fewer if they take long. */
#include "bench.h"
#include "diagnostics.h"
#include "json.h"
#include "table.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { RUNS = 31, LEAST_RUNS = 5, HITS = 1000, PARSES = 100 };
static const double enough_ms = 500; /* the time for one figure, once it has LEAST_RUNS runs */

static struct column columns[] = {
    {"kernel", 0, false},  {"isa", 6, false},         {"cold ms", 8, true}, {"cold, cached ms", 0, true},
    {"of CPU", 0, true},   {"planning ms", 0, true},  {"warm ms", 8, true}, {"disk hit ms", 0, true},
    {"parse us", 8, true}, {"memory hit us", 0, true}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct latency { /* milliseconds; NaN if not measured */
    double cold, cold_cached, cached_cpu, planning, warm, disk, parse, memory;
};

static const struct latency unmeasured = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};

static bool is_expression(const struct options *options, const struct job *job)
{
    return !options->all && options->whats[job->source].is_expression;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, by_size);
    return values[count / 2];
}

/* Returns true if a figure needs another run after `run` of them, the first of which began at `start`. */
static bool is_run_wanted(int run, double start)
{
    return run < LEAST_RUNS || (run < RUNS && now_ms() - start < enough_ms);
}

/* -- new processes -- */

static double milliseconds(struct timeval t) { return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3; }

/* Runs this program, without its output, and measures its milliseconds of CPU. Returns false if it fails. */
static bool run_self(char *const *arguments, double *cpu)
{
    struct rusage usage = {0};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions)) return false;
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    const bool started = !posix_spawn(&child, "/proc/self/exe", &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (!started || wait4(child, &status, 0, &usage) != child) return false;
    *cpu = milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime);
    return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Returns the source of a job as a command line names it, or NULL if it cannot be read again. */
static char *what_of(const struct options *options, const struct jobs *jobs, const struct job *job)
{
    const struct source *source = &jobs->sources[job->source];
    if (is_expression(options, job)) return must_format("-e%s", source->text.data);
    if (!source->text.data) return must_format("%s", source->file);
    return strcmp(source->file, "<stdin>") ? must_format("%s:%s", source->file, job->kernel) : NULL;
}

enum { MOST_ARGUMENTS = 16 }; /* without the kernels */

/* Runs a new process that compiles `job_count` kernels for one instruction set. */
static double cold_process(const struct options *options, const struct jobs *jobs, const struct job *job,
                           size_t job_count, const char *cache, double *cpu)
{
    char **arguments = must_allocate(MOST_ARGUMENTS + job_count, sizeof *arguments);
    const char *const fixed[] = {"show", "--stage", "lane", "--isa", job->isa};
    size_t count = 0;
    arguments[count++] = must_format("actgen");
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        arguments[count++] = must_format("%s", fixed[i]);
    arguments[count++] = must_format(*cache ? "--cache=%s" : "--no-cache", cache);
    if (options->accuracy) arguments[count++] = must_format("--accuracy=%s", options->accuracy);
    if (options->type) arguments[count++] = must_format("--type=%s", options->type);
    if (options->profile) arguments[count++] = must_format("--profile=%s", options->profile);
    if (options->tune) arguments[count++] = must_format("--tune=%s", options->tune);
    if (options->plan_limit) arguments[count++] = must_format("--plan-limit=%s", options->plan_limit);
    if (options->tier) arguments[count++] = must_format("--tier=%s", options->tier);
    double times[RUNS], cpu_times[RUNS];
    int run = 0;
    bool good = true;
    for (size_t i = 0; i < job_count && good; i++)
        good = (arguments[count++] = what_of(options, jobs, &job[i])) != NULL;
    arguments[count] = NULL;
    for (const double begin = now_ms(); good && !was_interrupted() && is_run_wanted(run, begin); run++) {
        const double start = now_ms();
        good = run_self(arguments, &cpu_times[run]);
        times[run] = now_ms() - start;
    }
    for (size_t i = 0; i < count; i++) free(arguments[i]);
    free(arguments);
    good = good && !was_interrupted();
    if (good) *cpu = median(cpu_times, run);
    return good ? median(times, run) : NAN;
}

/* -- this process -- */

static actgen_engine *open_engine(const char *cache)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *engine = NULL;
    options.cache_directory = cache;
    return actgen_engine_create_with(&engine, &options, NULL) ? NULL : engine;
}

/* Measures new compilations in this process. The engine forgets a kernel that nobody holds, so each run
 * compiles anew. The first run prepares LLVM and the disk cache, and does not count. */
static int time_compilations(struct latency *l, struct jobs *jobs, const struct job *job,
                             actgen_engine *engine, bool disk)
{
    double total[RUNS], planning[RUNS];
    int code = EXIT_GOOD, run = -1;
    jobs->engine = engine;
    for (const double begin = now_ms(); !code && is_run_wanted(run, begin); run++) {
        actgen_error error = {0};
        actgen_kernel *kernel;
        const double start = now_ms();
        code = job_compile(&kernel, jobs, job, &error);
        const double end = now_ms();
        if (code || run < 0) {
            actgen_kernel_free(kernel);
            continue;
        }
        planning[run] = actgen_kernel_plan_ms(kernel);
        total[run] = end - start - planning[run];
        actgen_kernel_free(kernel);
    }
    if (code) return code;
    *(disk ? &l->disk : &l->warm) = median(total, run);
    if (!disk) l->planning = median(planning, run);
    return EXIT_GOOD;
}

/* Compiles a kernel from its text, as a program does that keeps no specs. */
static int compile_unparsed(actgen_kernel **out, const struct options *options, const struct jobs *jobs,
                            const struct job *job, actgen_error *error)
{
    const struct source *source = &jobs->sources[job->source];
    const char *text = source->text.data;
    actgen_options how;
    job_options(&how, jobs, job, NULL);
    if (is_expression(options, job))
        return actgen_compile_expression(out, jobs->engine, text, options->type, &how, error);
    if (!text) return actgen_compile_builtin(out, jobs->engine, source->file, options->type, &how, error);
    return actgen_compile_text(out, jobs->engine, source->file, text, source->text.size, job->kernel, &how,
                               error);
}

static int time_memory_hits(struct latency *l, const struct options *options, struct jobs *jobs,
                            const struct job *job, actgen_engine *engine)
{
    double times[RUNS];
    int run = 0;
    actgen_error error = {0};
    actgen_kernel *kept, *again;
    jobs->engine = engine;
    int status = compile_unparsed(&kept, options, jobs, job, &error);
    for (const double begin = now_ms(); !status && is_run_wanted(run, begin); run++) {
        const double start = now_ms();
        for (int hit = 0; hit < HITS && !status; hit++) {
            status = compile_unparsed(&again, options, jobs, job, &error);
            actgen_kernel_free(again);
        }
        times[run] = (now_ms() - start) / (double)HITS;
    }
    actgen_kernel_free(kept);
    if (!status) l->memory = median(times, run);
    return status ? job_failed(jobs, job, &error) : EXIT_GOOD;
}

/* Makes a spec from its text, or from the name of a built-in. */
static bool parse_again(const struct source *source, bool as_expression, const char *type)
{
    actgen_spec *spec;
    const char *text = source->text.data;
    const int status = as_expression ? actgen_spec_expression_typed(&spec, text, type, NULL)
                       : text        ? actgen_spec_parse(&spec, source->file, text, source->text.size, NULL)
                                     : actgen_spec_builtin_typed(&spec, source->file, type, NULL);
    if (!status) actgen_spec_free(spec);
    return !status;
}

static double parse_time(const struct options *options, const struct jobs *jobs, const struct job *job)
{
    const struct source *source = &jobs->sources[job->source];
    double times[RUNS];
    int run = 0;
    for (const double begin = now_ms(); is_run_wanted(run, begin); run++) {
        const double start = now_ms();
        for (int n = 0; n < PARSES; n++)
            if (!parse_again(source, is_expression(options, job), options->type)) return NAN;
        times[run] = (now_ms() - start) / (double)PARSES;
    }
    return median(times, run);
}

static void time_processes(struct latency *l, const struct options *options, const struct jobs *jobs,
                           const struct job *job, size_t count, const char *folder)
{
    double cold_cpu;
    l->cold = cold_process(options, jobs, job, count, "", &cold_cpu);
    l->cold_cached = cold_process(options, jobs, job, count, folder, &l->cached_cpu);
}

static int measure_latency(struct latency *l, const struct options *options, struct jobs *jobs,
                           const struct job *job, const char *folder)
{
    actgen_engine *own = jobs->engine, *plain = open_engine(""), *cached = open_engine(folder);
    int code = plain && cached ? EXIT_GOOD : EXIT_INTERNAL;
    *l = unmeasured;
    if (!code) code = time_compilations(l, jobs, job, plain, false);
    if (!code) code = time_compilations(l, jobs, job, cached, true);
    if (!code) code = time_memory_hits(l, options, jobs, job, plain);
    jobs->engine = own;
    actgen_engine_free(plain);
    actgen_engine_free(cached);
    if (code) return code;
    l->parse = parse_time(options, jobs, job);
    time_processes(l, options, jobs, job, 1, folder);
    return EXIT_GOOD;
}

static void print_latency(const char *name, const char *isa, const struct latency *l)
{
    struct json *json = json_standard();
    if (json) {
        json_object(json);
        json_text(json, "name", name);
        json_text(json, "isa", isa);
        json_number(json, "cold_process_ms", l->cold);
        json_number(json, "cold_process_cached_ms", l->cold_cached);
        json_number(json, "cold_process_cached_cpu_ms", l->cached_cpu);
        json_number(json, "planning_ms", l->planning);
        json_number(json, "warm_ms", l->warm);
        json_number(json, "disk_hit_ms", l->disk);
        json_number(json, "parse_us", l->parse * 1e3);
        json_number(json, "memory_hit_us", l->memory * 1e3);
        json_close(json);
        return;
    }
    struct cell cells[COLUMNS];
    const char *row[COLUMNS] = {name,
                                isa,
                                cell_number(&cells[2], "%.2f", l->cold),
                                cell_number(&cells[3], "%.2f", l->cold_cached),
                                cell_number(&cells[4], "%.2f", l->cached_cpu),
                                cell_number(&cells[5], "%.2f", l->planning),
                                cell_number(&cells[6], "%.2f", l->warm),
                                cell_number(&cells[7], "%.3f", l->disk),
                                cell_number(&cells[8], "%.3f", l->parse * 1e3),
                                cell_number(&cells[9], "%.3f", l->memory * 1e3)};
    table_row(columns, COLUMNS, row);
}

/* Measures one new process for all kernels, if they are for one instruction set. The folder holds them all.
 */
static void measure_together(const struct options *options, const struct jobs *jobs, const char *folder)
{
    struct latency l = unmeasured;
    for (size_t i = 1; i < jobs->count; i++)
        if (strcmp(jobs->list[i].isa, jobs->list[0].isa) != 0) return;
    char *name = must_format("%zu together", jobs->count);
    time_processes(&l, options, jobs, jobs->list, jobs->count, folder);
    print_latency(name, jobs->list[0].isa, &l);
    free(name);
}

int bench_latency(const struct options *options, struct jobs *jobs)
{
    const char *parent = getenv("TMPDIR");
    char *folder = must_format("%s/actgenXXXXXX", parent && *parent ? parent : "/tmp");
    int code = EXIT_GOOD;
    if (!mkdtemp(folder)) {
        code = print_file_error(EXIT_IO, folder, "no temporary folder %s for a cache", folder);
        free(folder);
        return code;
    }
    for (size_t i = 0; i < jobs->count; i++) table_widen(&columns[0], jobs->list[i].kernel);
    if (!json_standard()) table_titles(columns, COLUMNS);
    for (size_t i = 0; i < jobs->count && !was_interrupted(); i++) {
        struct latency l;
        const int one = measure_latency(&l, options, jobs, &jobs->list[i], folder);
        if (!one) print_latency(jobs->list[i].kernel, jobs->list[i].isa, &l);
        code = worse_exit(code, one);
    }
    if (jobs->count > 1 && !code && !was_interrupted()) measure_together(options, jobs, folder);
    remove_folder(folder);
    free(folder);
    return code;
}
