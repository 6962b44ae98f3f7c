/* Implements actgen bench, which compares nanoseconds per element with a copy, a copying ReLU, memcpy and a C
 * loop on libm. */
#include "bench.h"
#include "diagnostics.h"
#include "input.h"
#include "json.h"
#include "numbers.h"
#include "operands.h"
#include "options.h"
#include "parallel.h"
#include "rivals.h"
#include "table.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The last five columns are for --details. */
static struct column columns[] = {{"kernel", 0, false},    {"isa", 6, false},     {"n", 9, true},
                                  {"ns/element", 0, true}, {"copy", 7, true},     {"ratio", 5, true},
                                  {"libm", 7, true},       {"speed-up", 0, true}, {"worst", 7, true},
                                  {"copy relu", 0, true},  {"memcpy", 7, true},   {"max ulp", 9, true},
                                  {"max abs", 9, true}};
enum { COLUMNS = sizeof columns / sizeof columns[0], COMMON_COLUMNS = COLUMNS - 5 };

static size_t column_count(const struct options *o) { return o->details ? COLUMNS : COMMON_COLUMNS; }

struct bench {
    const struct options *options;
    struct jobs jobs;
    struct call_shape *shapes;
    size_t shape_count;
    bool has_rows;      /* --rows or --cols gave the shapes */
    double interval[2]; /* of --interval, if it was given */
};

struct result { /* the result for a kernel and a shape */
    struct call_shape shape;
    struct bench_times times;
    const actgen_report *report; /* NULL if there is none */
    const char *skipped;         /* why there is no result, or NULL */
};

/* Reads a number from 1 to 2^32. Returns 0 for another text. */
static size_t parse_count(const char *text)
{
    const char *end;
    uint64_t n;
    return read_count(&n, text, &end) && !*end && n <= 1ull << 32 ? (size_t)n : 0;
}

/* Adds a shape of n elements, or for n = 0 of rows x cols. Returns an exit code. */
static int add_shape(struct bench *b, size_t n, size_t rows, size_t cols, size_t stride)
{
    const struct options *o = b->options;
    const size_t whole = rows && cols ? rows * cols : n;
    if (!rows) rows = cols ? whole / cols : 1;
    if (!cols) cols = whole / rows;
    if (!rows || !cols || rows * cols != whole)
        return usage_error(o->command, "%zu elements do not make whole rows: change --rows or --cols", whole);
    if (stride && stride < cols)
        return usage_error(o->command, "a --stride of %zu is less than the %zu columns of a row", stride,
                           cols);
    b->shapes = must_grow(b->shapes, b->shape_count + 1, sizeof *b->shapes);
    b->shapes[b->shape_count++] = (struct call_shape){rows, cols, stride};
    return EXIT_GOOD;
}

static int parse_shapes(struct bench *b)
{
    const struct options *o = b->options;
    const char *const texts[] = {o->rows, o->cols, o->stride}, *const names[] = {"rows", "cols", "stride"};
    size_t numbers[3] = {0};
    for (size_t i = 0; i < 3; i++)
        if (texts[i] && !(numbers[i] = parse_count(texts[i])))
            return usage_error(o->command, "--%s wants a number from 1 to 2^32, not '%s'", names[i],
                               texts[i]);
    if (o->rows && o->cols && o->sizes)
        return usage_error(o->command, "--rows and --cols say how many elements there are: leave -n out");
    if (!o->sizes && !o->rows != !o->cols)
        return usage_error(o->command, "--rows needs --cols or -n, and so does --cols");
    b->has_rows = o->rows || o->cols;
    if (o->rows && o->cols) return add_shape(b, 0, numbers[0], numbers[1], numbers[2]);
    const char **words = split_commas(o->sizes ? o->sizes : "2048,32768,1048576,16777216");
    int code = EXIT_GOOD;
    for (size_t i = 0; words[i] && !code; i++) {
        const size_t n = parse_count(words[i]);
        code = n ? add_shape(b, n, numbers[0], numbers[1], numbers[2])
                 : usage_error(o->command, "-n wants numbers from 1 to 2^32, not '%s'", words[i]);
    }
    split_free(words);
    return code;
}

static void print_bench_object(struct json *j, const actgen_kernel *kernel, const struct result *r)
{
    json_object(j);
    json_kernel(j, kernel);
    json_count(j, "n", r->shape.rows * r->shape.cols);
    json_count(j, "rows", r->shape.rows);
    json_count(j, "cols", r->shape.cols);
    json_count(j, "stride", r->shape.stride ? r->shape.stride : r->shape.cols);
    if (bench_has_sums(kernel)) json_text(j, "call", "actgen_run");
    json_number(j, "ns_per_element", r->times.ns);
    json_number(j, "worst_ns_per_element", r->times.worst);
    json_number(j, "copy_ns_per_element", r->times.copy);
    json_number(j, "copy_ratio", r->times.ns / r->times.copy);
    json_number(j, "copy_relu_ns_per_element", r->times.relu);
    json_number(j, "memcpy_ns_per_element", r->times.memcpy);
    json_number(j, "libm_ns_per_element", r->times.libm);
    json_number(j, "max_ulp", r->report ? r->report->max_ulp : NAN);
    json_number(j, "max_abs", r->report ? r->report->max_abs : NAN);
    json_text(j, "object_hash", actgen_kernel_object_hash(kernel));
    if (r->skipped) json_truth(j, "skipped", true);
    if (r->skipped) json_text(j, "message", r->skipped);
    json_close(j);
}

/* Prints a row of the table. The time of sums depends on the length of rows, so their n is printed as rows x
 * columns. */
static void print_row(const struct bench *b, const struct job *job, const actgen_kernel *kernel,
                      const struct result *r)
{
    const struct call_shape s = r->shape;
    const actgen_report *report = r->report;
    struct cell cells[COLUMNS];
    char shape[48];
    snprintf(shape, sizeof shape, "%zux%zu", s.rows, s.cols);
    const char *row[COLUMNS] = {job->kernel,
                                job->isa,
                                bench_has_sums(kernel) ? shape : cell_count(&cells[2], s.rows * s.cols),
                                r->skipped ? "skipped" : cell_number(&cells[3], "%.4f", r->times.ns),
                                cell_number(&cells[4], "%.4f", r->times.copy),
                                cell_number(&cells[5], "%.2f", r->times.ns / r->times.copy),
                                cell_number(&cells[6], "%.3f", r->times.libm),
                                cell_number(&cells[7], "%.1f", r->times.libm / r->times.ns),
                                cell_number(&cells[8], "%.4f", r->times.worst),
                                cell_number(&cells[9], "%.4f", r->times.relu),
                                cell_number(&cells[10], "%.4f", r->times.memcpy),
                                cell_number(&cells[11], "%.4g", report ? report->max_ulp : NAN),
                                cell_number(&cells[12], "%.2e", report ? report->max_abs : NAN)};
    table_row(columns, column_count(b->options), row);
}

static void print_result(const struct bench *b, const struct job *job, const actgen_kernel *kernel,
                         const struct result *r)
{
    if (json_standard())
        print_bench_object(json_standard(), kernel, r);
    else
        print_row(b, job, kernel, r);
}

static int stop_if_interrupted(void *payload, double done, double max_ulp)
{
    (void)payload, (void)done, (void)max_ulp;
    return was_interrupted();
}

/* Returns the shape of a call. For sums without --rows and --cols, n elements become rows of at most ROW
 * columns, and the remainder is left out. */
static struct call_shape shape_for(const struct bench *b, size_t i, const actgen_kernel *kernel)
{
    enum { ROW = 4096 };
    const struct call_shape given = b->shapes[i];
    if (b->has_rows || !bench_has_sums(kernel) || given.cols <= ROW) return given;
    return (struct call_shape){given.cols / ROW, ROW, given.stride};
}

static int measure_shapes(struct bench *b, const struct job *job, const actgen_kernel *kernel,
                          const actgen_report *report)
{
    int code = EXIT_GOOD;
    struct rivals rivals;
    rivals_open(&rivals, b->jobs.engine, kernel);
    if (b->options->interval) rivals.interval = b->interval;
    for (size_t i = 0; i < b->shape_count && !code && !was_interrupted(); i++) {
        struct result result = {.shape = shape_for(b, i, kernel), .report = report};
        code = rivals_measure(&result.times, &rivals, result.shape);
        if (!code) print_result(b, job, kernel, &result);
    }
    rivals_close(&rivals);
    return code;
}

static int bench_job(struct bench *b, const struct job *job)
{
    actgen_error error = {0};
    actgen_kernel *kernel = NULL;
    int code = job_compile(&kernel, &b->jobs, job, &error);
    if (code) return code;
    if (job_is_repeated(&b->jobs, job, kernel)) {
        actgen_kernel_free(kernel);
        return EXIT_GOOD;
    }
    if (!is_machine_code(kernel)) {
        struct result none = {.times = {NAN, NAN, NAN, NAN, NAN, NAN},
                              .skipped = actgen_kernel_backend(kernel)};
        for (size_t i = 0; i < b->shape_count; i++) {
            none.shape = shape_for(b, i, kernel);
            print_result(b, job, kernel, &none);
        }
    } else { /* speed and error are of one and the same object */
        actgen_report report = ACTGEN_REPORT_INIT;
        actgen_verify_options verify = ACTGEN_VERIFY_OPTIONS_INIT;
        verify.parallel = parallel_for;
        verify.progress = stop_if_interrupted;
        int status = actgen_verify(kernel, &verify, &report, &error);
        if (status && status != ACTGEN_ESTOPPED) {
            code = job_failed(&b->jobs, job, &error);
        } else if (!status && !report.ok) {
            code = print_problem(&(struct problem){.code = EXIT_INPUT,
                                                   .name = job->kernel,
                                                   .isa = job->isa,
                                                   .message = "misses its bound; actgen verify says more"});
        }
        if (!was_interrupted())
            code = worse_exit(code, measure_shapes(b, job, kernel, status ? NULL : &report));
    }
    actgen_kernel_free(kernel);
    return code;
}

/* Refuses options of calls with --latency, which calls no kernel. */
static int check_latency(const struct options *o)
{
    const struct {
        const char *name;
        bool stands;
    } of_calls[] = {{"-n", o->sizes != NULL},    {"--rows", o->rows != NULL},
                    {"--cols", o->cols != NULL}, {"--stride", o->stride != NULL},
                    {"--details", o->details},   {"--interval", o->interval != NULL}};
    for (size_t i = 0; o->latency && i < sizeof of_calls / sizeof *of_calls; i++)
        if (of_calls[i].stands)
            return usage_error(o->command,
                               "--latency times compiling, which %s does not change: leave one of them out",
                               of_calls[i].name);
    return EXIT_GOOD;
}

int command_bench(const struct options *options)
{
    struct bench b = {.options = options};
    catch_interrupt();
    int code = check_latency(options);
    if (!code) code = parse_shapes(&b);
    if (!code) code = options_interval(options, b.interval);
    if (!code) code = jobs_open(&b.jobs, options, NULL);
    if (!code && options->latency) {
        code = bench_latency(options, &b.jobs);
        jobs_close(&b.jobs);
        free(b.shapes);
        return was_interrupted() ? EXIT_INTERRUPTED : code;
    }
    if (!code) {
        for (size_t i = 0; i < b.jobs.count; i++) table_widen(&columns[0], b.jobs.list[i].kernel);
        if (!json_standard()) table_titles(columns, column_count(options));
        for (size_t i = 0; i < b.jobs.count && !was_interrupted(); i++)
            code = worse_exit(code, bench_job(&b, &b.jobs.list[i]));
        if (!json_standard())
            puts("\nTimes are nanoseconds per element. 'copy' only moves the operands, and 'libm' is a C "
                 "loop.");
        jobs_close(&b.jobs);
    }
    free(b.shapes);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}
