/* actgen run: a kernel over .npy files. */
#include "diagnostics.h"
#include "input.h"
#include "npy.h"
#include "options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int read_input(struct npy *out, const char *path)
{
    struct buffer file;
    char why[200];
    int code = file_read(&file, path, SIZE_MAX / 4);
    if (code) return code;
    if (npy_parse(out, file, why, sizeof why)) return EXIT_GOOD;
    npy_free(out);
    print_error("cannot use '%s': %s", path, why);
    return EXIT_INPUT;
}

static bool same_shape(const struct npy *a, const struct npy *b)
{
    return a->dimensions == b->dimensions && !memcmp(a->shape, b->shape, a->dimensions * sizeof a->shape[0]);
}

static int read_inputs(struct npy *arrays, const struct options *options)
{
    for (size_t i = 0; i < options->input_count; i++) {
        int code = read_input(&arrays[i], options->inputs[i]);
        if (code) return code;
        if (!same_shape(&arrays[0], &arrays[i])) {
            print_error("'%s' and '%s' have different shapes", options->inputs[0], options->inputs[i]);
            return EXIT_INPUT;
        }
    }
    return EXIT_GOOD;
}

/* Counts the kernel's operands, and says which ones are missing or too many. */
static int check_operands(const actgen_kernel *kernel, const struct options *options)
{
    size_t inputs = 0, results = 0;
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (actgen_kernel_operand_info(kernel, i, &info)) return EXIT_INTERNAL;
        if (info.type != ACTGEN_F32) {
            print_error("'%s' of %s is not f32; other types not yet", info.name, actgen_kernel_name(kernel));
            return EXIT_INPUT;
        }
        inputs += !info.is_result;
        results += info.is_result != 0;
    }
    if (inputs != options->input_count)
        return usage_error(options->command, "%s has %zu input%s, and --in is given %zu times",
                           actgen_kernel_name(kernel), inputs, inputs == 1 ? "" : "s", options->input_count);
    if (results != options->output_count)
        return usage_error(options->command, "%s has %zu result%s, and --out is given %zu times",
                           actgen_kernel_name(kernel), results, results == 1 ? "" : "s",
                           options->output_count);
    return EXIT_GOOD;
}

static int run_kernel(const actgen_kernel *kernel, const struct options *options)
{
    size_t inputs = options->input_count, results = options->output_count;
    struct npy *arrays = must_allocate(inputs + results, sizeof *arrays);
    struct output *outputs = must_allocate(results, sizeof *outputs);
    actgen_operand *operands = must_allocate(inputs + results, sizeof *operands);
    int code = read_inputs(arrays, options);
    for (size_t i = inputs; !code && i < inputs + results; i++) npy_create(&arrays[i], &arrays[0]);
    for (size_t i = 0; i < inputs + results; i++) operands[i].data = arrays[i].data;
    if (!code) {
        actgen_error error = {0};
        int status = actgen_run(kernel, arrays[0].rows, arrays[0].cols, operands, inputs + results, &error);
        if (status) print_error("%s", error.message);
        code = exit_of_status(status);
    }
    for (size_t i = 0; i < results; i++)
        outputs[i] = (struct output){.path = options->outputs[i], .content = arrays[inputs + i].file};
    if (!code) code = outputs_write(outputs, results);
    for (size_t i = 0; i < inputs + results; i++) npy_free(&arrays[i]);
    free(arrays);
    free(outputs);
    free(operands);
    return code;
}

int command_run(const struct options *options)
{
    if (!options->input_count || !options->output_count)
        return usage_error(options->command, "%s is missing", options->input_count ? "--out" : "--in");
    struct jobs jobs;
    int code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    if (jobs.count != 1) {
        code = usage_error(options->command,
                           "one kernel runs, and %zu are meant; name it with FILE:KERNEL, and one --isa",
                           jobs.count);
    } else {
        actgen_kernel *kernel = NULL;
        actgen_error error;
        code = job_compile(&kernel, &jobs, &jobs.list[0], &error);
        if (!code) code = check_operands(kernel, options);
        if (!code) code = run_kernel(kernel, options);
        actgen_kernel_free(kernel);
    }
    jobs_close(&jobs);
    return code;
}
