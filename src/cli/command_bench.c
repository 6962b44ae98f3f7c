/* actgen bench: nanoseconds an element, beside a copying ReLU, memcpy and a C loop on libm. */
#include "bench.h"
#include "diagnostics.h"
#include "input.h"
#include "json.h"
#include "options.h"
#include "parallel.h"
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static struct column columns[] = {{"kernel", 0, false},    {"isa", 6, false},      {"n", 8, true},
                                  {"ns/element", 0, true}, {"copy relu", 0, true}, {"ratio", 5, true},
                                  {"memcpy", 7, true},     {"libm", 7, true},      {"speed-up", 0, true},
                                  {"max ulp", 9, true},    {"max abs", 9, true}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

enum { KERNEL, OWN_RELU, COMPILER_RELU, MEMCPY, LIBM, CONTESTANTS };

struct bench {
    const struct options *options;
    struct jobs jobs;
    struct bench_data data;
    size_t *sizes, size_count;
    actgen_spec *relu_spec;
    actgen_kernel *relu; /* for relu_isa */
    const char *relu_isa;
    struct json json;
};

static int parse_sizes(struct bench *b)
{
    const char **words = split_commas(b->options->sizes ? b->options->sizes : "2048,32768,1048576,16777216");
    int code = EXIT_GOOD;
    for (size_t i = 0; words[i] && !code; i++) {
        char *end;
        errno = 0;
        unsigned long long n = strtoull(words[i], &end, 10);
        if (words[i][0] < '0' || words[i][0] > '9' || *end || errno || n == 0 || n > (1ull << 32))
            code = usage_error(b->options->command, "-n wants numbers from 1 to 2^32, not '%s'", words[i]);
        b->sizes = must_grow(b->sizes, b->size_count + 1, sizeof *b->sizes);
        b->sizes[b->size_count++] = (size_t)n;
        if (n > b->data.capacity) b->data.capacity = (size_t)n;
    }
    split_free(words);
    return code;
}

/* Our own relu for the instruction set; without it the C compiler's alone is the measure. */
static actgen_fn own_relu(struct bench *b, const char *isa)
{
    if (b->relu_isa && !strcmp(b->relu_isa, isa)) return b->relu ? actgen_kernel_fn(b->relu) : NULL;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    actgen_kernel_free(b->relu);
    b->relu = NULL;
    b->relu_isa = isa;
    if (!b->relu_spec && actgen_spec_builtin(&b->relu_spec, "relu", NULL)) return NULL;
    if (actgen_compile(&b->relu, b->jobs.engine, b->relu_spec, NULL, &options, NULL)) return NULL;
    return actgen_kernel_fn(b->relu);
}

static void print_figures(struct bench *b, const struct job *job, const actgen_kernel *kernel, size_t n,
                          const struct contestant *c, const actgen_report *report, const char *skipped)
{
    double relu = fmin(c[OWN_RELU].ns_per_element, c[COMPILER_RELU].ns_per_element);
    double ns = c[KERNEL].ns_per_element, libm = c[LIBM].ns_per_element;
    struct json *j = &b->json;
    if (b->options->json) {
        json_object(j);
        json_text(j, "name", job->kernel);
        json_text(j, "isa", job->isa);
        json_text(j, "accuracy", actgen_kernel_accuracy(kernel));
        json_text(j, "plan", actgen_kernel_plan(kernel));
        json_count(j, "n", n);
        json_number(j, "ns_per_element", ns);
        json_number(j, "copy_relu_ns_per_element", relu);
        json_number(j, "memcpy_ns_per_element", c[MEMCPY].ns_per_element);
        json_number(j, "libm_ns_per_element", libm);
        json_number(j, "max_ulp", report ? report->max_ulp : NAN);
        json_number(j, "max_abs", report ? report->max_abs : NAN);
        json_text(j, "object_hash", actgen_kernel_object_hash(kernel));
        if (skipped) json_truth(j, "skipped", true);
        if (skipped) json_text(j, "message", skipped);
        json_close(j);
        return;
    }
    struct cell cells[COLUMNS];
    const char *row[COLUMNS] = {job->kernel,
                                job->isa,
                                cell_count(&cells[2], n),
                                skipped ? "skipped" : cell_number(&cells[3], "%.4f", ns),
                                cell_number(&cells[4], "%.4f", relu),
                                cell_number(&cells[5], "%.2f", ns / relu),
                                cell_number(&cells[6], "%.4f", c[MEMCPY].ns_per_element),
                                cell_number(&cells[7], "%.3f", libm),
                                cell_number(&cells[8], "%.1f", libm / ns),
                                cell_number(&cells[9], "%.4g", report ? report->max_ulp : NAN),
                                cell_number(&cells[10], "%.2e", report ? report->max_abs : NAN)};
    table_row(columns, COLUMNS, row);
}

static int stop_if_interrupted(void *payload, double done, double max_ulp)
{
    (void)payload, (void)done, (void)max_ulp;
    return was_interrupted();
}

static int measure_sizes(struct bench *b, const struct job *job, const actgen_kernel *kernel,
                         const actgen_report *report)
{
    size_t results = 0, inputs = 0, operands = actgen_kernel_operand_count(kernel);
    for (size_t i = 0; i < operands; i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (actgen_kernel_operand_info(kernel, i, &info)) return EXIT_INTERNAL;
        *(info.is_result ? &results : &inputs) += 1;
    }
    if (!bench_data_reserve(&b->data, inputs, results)) {
        print_error("no memory for %zu arrays of %zu floats", operands, b->data.capacity);
        return EXIT_INTERNAL;
    }
    struct libm_loop libm;
    libm_loop_open(&libm, kernel);
    actgen_fn relu = own_relu(b, job->isa);
    relu_loop compiler_relu = bench_relu(job->isa);
    for (size_t i = 0; i < b->size_count && !was_interrupted(); i++) {
        struct contestant contestants[CONTESTANTS] = {
            [KERNEL] = {.run = run_kernel, .kernel = actgen_kernel_fn(kernel)},
            [OWN_RELU] = {.run = relu ? run_kernel : NULL, .kernel = relu},
            [COMPILER_RELU] = {.run = compiler_relu ? run_loop : NULL, .loop = compiler_relu},
            [MEMCPY] = {.run = run_memcpy},
            [LIBM] = {.run = libm.call ? run_pointers : NULL, .pointers = libm.call},
        };
        for (size_t k = 0; k < CONTESTANTS; k++) {
            bool same = k == KERNEL || k == LIBM; /* as many operands as the kernel */
            contestant_prepare(&contestants[k], &b->data, same ? inputs : 1, same ? results : 1);
        }
        bench_measure(contestants, CONTESTANTS, b->sizes[i]);
        print_figures(b, job, kernel, b->sizes[i], contestants, report, NULL);
    }
    libm_loop_close(&libm);
    return EXIT_GOOD;
}

static int bench_job(struct bench *b, const struct job *job)
{
    actgen_error error = {0};
    actgen_kernel *kernel = NULL;
    int code = job_compile(&kernel, &b->jobs, job, &error);
    if (code) return code;
    if (!actgen_kernel_fn(kernel)) {
        struct contestant absent[CONTESTANTS];
        for (size_t i = 0; i < CONTESTANTS; i++) absent[i] = (struct contestant){.ns_per_element = NAN};
        for (size_t i = 0; i < b->size_count; i++)
            print_figures(b, job, kernel, b->sizes[i], absent, NULL, actgen_kernel_backend(kernel));
    } else { /* the errors are of this very kernel, so that speed and error are one object's */
        actgen_report report;
        actgen_verify_options verify = ACTGEN_VERIFY_OPTIONS_INIT;
        verify.parallel = parallel_for;
        verify.progress = stop_if_interrupted;
        int status = actgen_verify(kernel, &verify, &report, &error);
        if (status && status != ACTGEN_ESTOPPED) {
            print_error("%s (%s): %s", job->kernel, job->isa, error.message);
            code = exit_of_status(status);
        } else if (!status && !report.ok) {
            print_error("%s (%s): misses its bound; actgen verify says more", job->kernel, job->isa);
            code = EXIT_INPUT;
        }
        if (!was_interrupted())
            code = worse_exit(code, measure_sizes(b, job, kernel, status ? NULL : &report));
    }
    actgen_kernel_free(kernel);
    return code;
}

int command_bench(const struct options *options)
{
    struct bench b = {.options = options};
    catch_interrupt();
    int code = parse_sizes(&b);
    if (!code) code = jobs_open(&b.jobs, options, NULL);
    if (!code && options->latency) {
        code = bench_latency(options, &b.jobs);
        jobs_close(&b.jobs);
        free(b.sizes);
        return was_interrupted() ? EXIT_INTERRUPTED : code;
    }
    if (!code) {
        for (size_t i = 0; i < b.jobs.count; i++) table_widen(&columns[0], b.jobs.list[i].kernel);
        if (options->json)
            json_begin(&b.json);
        else
            table_titles(columns, COLUMNS);
        for (size_t i = 0; i < b.jobs.count && !was_interrupted(); i++)
            code = worse_exit(code, bench_job(&b, &b.jobs.list[i]));
        if (options->json) json_end(&b.json);
        actgen_kernel_free(b.relu);
        actgen_spec_free(b.relu_spec);
        jobs_close(&b.jobs);
    }
    bench_data_free(&b.data);
    free(b.sizes);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}
