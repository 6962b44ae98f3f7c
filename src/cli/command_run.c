/* Implements actgen run: a kernel over .npy files or numbers. */
#include "arrays.h"
#include "diagnostics.h"
#include "input.h"
#include "operands.h"
#include "options.h"

#include <stdlib.h>

static void print_run_object(struct json *j, const actgen_kernel *kernel, const struct arrays *arrays,
                             bool has_files)
{
    json_object(j);
    json_kernel(j, kernel);
    json_text(j, "backend", actgen_kernel_backend(kernel));
    json_count(j, "rows", arrays->rows);
    json_count(j, "cols", arrays->cols);
    if (!has_files) arrays_json(j, arrays);
    json_close(j);
}

static int run_kernel(const actgen_kernel *kernel, bool takes_type, const struct options *options)
{
    struct arrays arrays;
    int code = arrays_open(&arrays, kernel, takes_type, options);
    if (!code) code = arrays_run(&arrays);
    const bool has_files = options->output_count;
    if (!code && has_files) code = arrays_write(&arrays);
    if (!code && json_standard())
        print_run_object(json_standard(), kernel, &arrays, has_files);
    else if (!code && !has_files)
        arrays_print(&arrays);
    arrays_close(&arrays);
    return code;
}

int command_run(const struct options *options)
{
    if (!options->input_count) return usage_error(options->command, "--in is missing");
    struct jobs jobs;
    int code = EXIT_GOOD;
    for (size_t i = 0; i < options->output_count && !code; i++) {
        code = refuse_standard_output(options, options->outputs[i].path);
        if (!code) code = output_check(options->outputs[i].path);
    }
    if (!code) code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    if (!(code = jobs_check_one(&jobs, options->command))) {
        actgen_kernel *kernel = NULL;
        actgen_error error;
        code = job_compile(&kernel, &jobs, &jobs.list[0], &error);
        if (!code) code = run_kernel(kernel, !jobs.sources[0].is_file, options);
        actgen_kernel_free(kernel);
    }
    jobs_close(&jobs);
    return code;
}
