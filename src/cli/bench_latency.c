/* actgen bench --latency: how long it takes to get a kernel, medians of RUNS. */
#include "bench.h"
#include "diagnostics.h"
#include "json.h"
#include "table.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { RUNS = 31, HITS = 1000, PARSES = 100 };

static struct column columns[] = {
    {"kernel", 0, false},  {"isa", 6, false},         {"cold ms", 8, true}, {"cold, cached ms", 0, true},
    {"of CPU", 0, true},   {"planning ms", 0, true},  {"warm ms", 8, true}, {"disk hit ms", 0, true},
    {"parse us", 8, true}, {"memory hit us", 0, true}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

struct latency { /* milliseconds; NaN where it could not be measured */
    double cold, cold_cached, cached_cpu, planning, warm, disk, parse, memory;
};

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

static double median(double *values)
{
    qsort(values, RUNS, sizeof *values, by_size);
    return values[RUNS / 2];
}

/* -- new processes -- */

static double milliseconds(struct timeval t) { return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3; }

/* Runs this program, with the milliseconds of CPU that it takes; false if it fails. What it prints is lost. */
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

static double cold_process(const struct options *options, const struct jobs *jobs, const struct job *job,
                           const char *cache, double *cpu)
{
    const struct source *source = &jobs->sources[job->source];
    const bool is_expression = !options->all && options->whats[job->source].is_expression;
    const bool is_file = !is_expression && source->text.data;
    char *arguments[16] = {"actgen", "show", "--stage", "lane", "--isa", must_format("%s", job->isa)};
    size_t count = 6;
    arguments[count++] = must_format(*cache ? "--cache=%s" : "--no-cache", cache);
    if (options->accuracy) arguments[count++] = must_format("--accuracy=%s", options->accuracy);
    if (options->type) arguments[count++] = must_format("--type=%s", options->type);
    if (options->profile) arguments[count++] = must_format("--profile=%s", options->profile);
    if (options->tune) arguments[count++] = must_format("--tune=%s", options->tune);
    if (options->plan_limit) arguments[count++] = must_format("--plan-limit=%s", options->plan_limit);
    if (options->tier) arguments[count++] = must_format("--tier=%s", options->tier);
    if (is_expression)
        arguments[count++] = must_format("-e%s", source->text.data);
    else
        arguments[count++] =
            is_file ? must_format("%s:%s", source->file, job->kernel) : must_format("%s", source->file);
    double times[RUNS], cpu_times[RUNS];
    bool good = !is_file || strcmp(source->file, "<stdin>") != 0;
    for (int run = 0; run < RUNS && good && !was_interrupted(); run++) {
        const double start = now_ms();
        good = run_self(arguments, &cpu_times[run]);
        times[run] = now_ms() - start;
    }
    for (size_t i = 5; i < count; i++) free(arguments[i]);
    good = good && !was_interrupted();
    if (good) *cpu = median(cpu_times);
    return good ? median(times) : NAN;
}

/* -- this process -- */

static actgen_engine *open_engine(const char *cache)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *engine = NULL;
    options.cache_directory = cache;
    return actgen_engine_create_with(&engine, &options, NULL) ? NULL : engine;
}

/* A kernel that nobody holds is forgotten by its engine: each time is a new compilation. The first makes LLVM and
 * the disk's cache ready and does not count. */
static int time_compilations(struct latency *l, struct jobs *jobs, const struct job *job,
                             actgen_engine *engine, bool disk)
{
    double total[RUNS], planning[RUNS];
    int code = EXIT_GOOD;
    jobs->engine = engine;
    for (int run = -1; run < RUNS && !code; run++) {
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
    *(disk ? &l->disk : &l->warm) = median(total);
    if (!disk) l->planning = median(planning);
    return EXIT_GOOD;
}

static int time_memory_hits(struct latency *l, struct jobs *jobs, const struct job *job,
                            actgen_engine *engine)
{
    double times[RUNS];
    actgen_error error = {0};
    actgen_kernel *kept, *again;
    jobs->engine = engine;
    int code = job_compile(&kept, jobs, job, &error);
    for (int run = 0; run < RUNS && !code; run++) {
        const double start = now_ms();
        for (int hit = 0; hit < HITS && !code; hit++) {
            code = job_compile(&again, jobs, job, &error);
            actgen_kernel_free(again);
        }
        times[run] = (now_ms() - start) / (double)HITS;
    }
    actgen_kernel_free(kept);
    if (!code) l->memory = median(times);
    return code;
}

/* From its text, or the name of a built-in. */
static bool parse_again(const struct source *source, bool is_expression, const char *type)
{
    actgen_spec *spec;
    const char *text = source->text.data;
    const int status = is_expression ? actgen_spec_expression_typed(&spec, text, type, NULL)
                       : text        ? actgen_spec_parse(&spec, source->file, text, source->text.size, NULL)
                                     : actgen_spec_builtin_typed(&spec, source->file, type, NULL);
    if (!status) actgen_spec_free(spec);
    return !status;
}

static double parse_time(const struct options *options, const struct jobs *jobs, const struct job *job)
{
    const struct source *source = &jobs->sources[job->source];
    const bool is_expression = !options->all && options->whats[job->source].is_expression;
    double times[RUNS];
    for (int run = 0; run < RUNS; run++) {
        const double start = now_ms();
        for (int n = 0; n < PARSES; n++)
            if (!parse_again(source, is_expression, options->type)) return NAN;
        times[run] = (now_ms() - start) / (double)PARSES;
    }
    return median(times);
}

static int measure(struct latency *l, const struct options *options, struct jobs *jobs, const struct job *job,
                   const char *folder)
{
    actgen_engine *own = jobs->engine, *plain = open_engine(""), *cached = open_engine(folder);
    int code = plain && cached ? EXIT_GOOD : EXIT_INTERNAL;
    *l = (struct latency){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!code) code = time_compilations(l, jobs, job, plain, false);
    if (!code) code = time_compilations(l, jobs, job, cached, true);
    if (!code) code = time_memory_hits(l, jobs, job, plain);
    jobs->engine = own;
    actgen_engine_free(plain);
    actgen_engine_free(cached);
    if (code) return code;
    l->parse = parse_time(options, jobs, job);
    double cold_cpu;
    l->cold = cold_process(options, jobs, job, "", &cold_cpu);
    l->cold_cached = cold_process(options, jobs, job, folder, &l->cached_cpu);
    return EXIT_GOOD;
}

static void print_latency(const struct job *job, const struct latency *l)
{
    struct json *json = json_standard();
    if (json) {
        json_object(json);
        json_text(json, "name", job->kernel);
        json_text(json, "isa", job->isa);
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
    const char *row[COLUMNS] = {job->kernel,
                                job->isa,
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
        const int one = measure(&l, options, jobs, &jobs->list[i], folder);
        if (!one) print_latency(&jobs->list[i], &l);
        code = worse_exit(code, one);
    }
    remove_folder(folder);
    free(folder);
    return code;
}
