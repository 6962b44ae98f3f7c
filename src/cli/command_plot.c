/* Implements actgen plot: curves, derivatives and errors of kernels as a picture. */
#include "diagnostics.h"
#include "gallery.h"
#include "operands.h"
#include "options.h"

#include <math.h>
#include <string.h>

/* On the command line, errors by both measures are one panel. */
static const char *const panel_names[] = {
    [PANEL_CURVE] = "curve", [PANEL_DERIVATIVE] = "derivative", [PANEL_ERROR_ULP] = "error", NULL};

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
    wanted[PANEL_ERROR_ABS] = wanted[PANEL_ERROR_ULP];
    return code;
}

static void print_plot_object(struct json *j, const struct view *v, const struct curves *c)
{
    json_object(j);
    json_kernel(j, v->kernel);
    json_text(j, "of", v->input);
    json_text(j, "result", v->result);
    json_text(j, "fixed", v->fixed);
    json_text(j, "no_derivative", v->no_slope);
    const bool has_errors = c->envelope.count;
    json_count(j, "inputs", c->envelope.inputs);
    json_exact(j, "max_ulp", has_errors ? envelope_worst(&c->envelope, MEASURE_ULP).error : NAN);
    json_exact(j, "max_abs", has_errors ? envelope_worst(&c->envelope, MEASURE_ABS).error : NAN);
    json_text(j, "verdict", c->verdict);
    json_close(j);
}

static int plot(const struct jobs *jobs, const struct options *options, const bool wanted[PANELS],
                const double interval[2])
{
    struct gallery g;
    struct output file = {.path = options->object};
    int code = gallery_open(&g, jobs, options, interval, wanted[PANEL_ERROR_ULP]);
    for (size_t i = 0; i < g.views.count && !code; i++) {
        const struct view *v = &g.views.list[i];
        if (wanted[PANEL_DERIVATIVE] && v->no_slope)
            print_note("%s has no derivative by '%s': %s", v->name, v->input, v->no_slope);
        if (json_standard()) print_plot_object(json_standard(), v, &g.curves[i]);
    }
    if (!code) {
        curves_draw(&file.content, g.curves, g.views.count, wanted);
        code = outputs_write(&file, 1);
    }
    buffer_free(&file.content);
    gallery_close(&g);
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
    if (!code) code = refuse_format(options, options->object, "svg");
    if (!code) code = options_interval(options, interval);
    if (!code) code = choose_panels(options, wanted);
    if (!code) code = output_check(options->object);
    if (!code) code = jobs_open(&jobs, options, NULL);
    if (code) return code;
    code = plot(&jobs, options, wanted, interval);
    jobs_close(&jobs);
    return code;
}
