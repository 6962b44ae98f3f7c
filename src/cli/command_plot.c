/* actgen plot: curves, derivatives and errors of kernels as a picture. */
#include "curves.h"
#include "diagnostics.h"
#include "operands.h"
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const panel_names[] = {
    [PANEL_CURVE] = "curve", [PANEL_DERIVATIVE] = "derivative", [PANEL_ERROR] = "error", NULL};

static int choose_panels(const struct options *options, bool wanted[PANELS])
{
    int code = EXIT_GOOD;
    for (size_t p = 0; p < PANELS; p++) wanted[p] = !options->panels;
    const char **words = options->panels ? split_commas(options->panels) : NULL;
    for (size_t i = 0; words && words[i] && !code; i++) {
        size_t p = 0;
        while (panel_names[p] && strcmp(panel_names[p], words[i])) p++;
        if (panel_names[p])
            wanted[p] = true;
        else
            code = print_unknown(EXIT_USAGE, "panel", words[i], panel_names);
    }
    split_free(words);
    return code;
}

static void print_object(struct json *j, const struct view *v, const struct curves *c)
{
    json_object(j);
    json_kernel(j, v->kernel);
    json_text(j, "of", v->input);
    json_text(j, "result", v->result);
    json_text(j, "fixed", v->fixed);
    json_text(j, "no_derivative", v->no_slope);
    json_count(j, "inputs", c->envelope.inputs);
    json_exact(j, "max_ulp", c->envelope.count ? envelope_worst(&c->envelope)->max_ulp : NAN);
    json_close(j);
}

/* The kernels stay as long as the views. */
static int compile_views(struct views *views, actgen_kernel **kernels, const struct jobs *jobs,
                         const struct options *options)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < jobs->count && !was_interrupted(); i++) {
        actgen_error error;
        int one = job_compile(&kernels[i], jobs, &jobs->list[i], &error);
        if (!one) one = views_add(views, kernels[i], jobs, &jobs->list[i], options);
        code = worse_exit(code, one);
    }
    return code ? code : views_check(views, options);
}

static int plot(const struct jobs *jobs, const struct options *options, const bool wanted[PANELS],
                const double interval[2])
{
    struct views views = {0};
    struct output file = {.path = options->object};
    actgen_kernel **kernels = must_allocate(jobs->count, sizeof *kernels);
    int code = compile_views(&views, kernels, jobs, options);
    struct curves *curves = must_allocate(views.count, sizeof *curves);
    for (size_t i = 0; i < views.count && !code && !was_interrupted(); i++) {
        curves_open(&curves[i], &views.list[i], interval, wanted[PANEL_ERROR]);
        if (wanted[PANEL_DERIVATIVE] && views.list[i].no_slope)
            print_note("%s has no derivative by '%s': %s", views.list[i].name, views.list[i].input,
                       views.list[i].no_slope);
        if (json_standard()) print_object(json_standard(), &views.list[i], &curves[i]);
    }
    if (!code && !was_interrupted()) {
        curves_draw(&file.content, curves, views.count, wanted);
        code = outputs_write(&file, 1);
    }
    buffer_free(&file.content);
    for (size_t i = 0; i < views.count; i++) curves_close(&curves[i]);
    free(curves);
    views_close(&views);
    for (size_t i = 0; i < jobs->count; i++) actgen_kernel_free(kernels[i]);
    free(kernels);
    return code;
}

int command_plot(const struct options *options)
{
    struct jobs jobs;
    bool wanted[PANELS];
    double interval[2];
    catch_interrupt();
    if (!options->object) return usage_error(options->command, "-o is missing: the picture to write");
    int code = refuse_standard_output(options, options->object);
    if (!code) code = options_interval(options, interval);
    if (!code) code = choose_panels(options, wanted);
    if (!code) code = output_check(options->object);
    if (!code) code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    code = plot(&jobs, options, wanted, interval);
    jobs_close(&jobs);
    return was_interrupted() ? EXIT_INTERRUPTED : code;
}
