/* Implements actgen fit, which fits free parameters of a function to another function. */
#include "chart.h"
#include "diagnostics.h"
#include "fit.h"
#include "input.h"
#include "options.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row { /* a line of the table */
    const char *name;
    double parameters[MINIMIZE_MOST], measures[MEASURES], max_at;
};

static void print_fit_object(struct json *j, const struct options *o, const struct row *r)
{
    json_object(j);
    json_text(j, "parameters", r->name);
    for (size_t i = 0; i < o->parameter_count; i++) {
        char *name = must_format("parameter_%s", o->parameters[i].name);
        json_exact(j, name, r->parameters[i]);
        free(name);
    }
    json_exact(j, "mse", r->measures[MEASURE_MSE]);
    json_exact(j, "max", r->measures[MEASURE_MAX]);
    json_exact(j, "max_at", r->max_at);
    json_exact(j, "ulp", r->measures[MEASURE_ULP]);
    json_close(j);
}

static void print_rows(const struct options *o, const struct row *rows, size_t count)
{
    enum { OWN = 5 };
    struct column columns[OWN + MINIMIZE_MOST] = {{"parameters", 0, false}};
    struct cell cells[OWN + MINIMIZE_MOST];
    const char *texts[OWN + MINIMIZE_MOST];
    const size_t n = o->parameter_count;
    for (size_t i = 0; i < n; i++) columns[1 + i] = (struct column){o->parameters[i].name, 12, true};
    columns[n + 1] = (struct column){"mse", 10, true};
    columns[n + 2] = (struct column){"max", 10, true};
    columns[n + 3] = (struct column){"at", 9, true};
    columns[n + 4] = (struct column){"max ulp", 10, true};
    for (size_t r = 0; r < count && json_standard(); r++) print_fit_object(json_standard(), o, &rows[r]);
    if (json_standard()) return;
    table_titles(columns, n + OWN);
    for (size_t r = 0; r < count; r++) {
        texts[0] = rows[r].name;
        for (size_t i = 0; i < n; i++)
            texts[1 + i] = cell_number(&cells[1 + i], "%.9g", rows[r].parameters[i]);
        texts[n + 1] = cell_number(&cells[n + 1], "%.5g", rows[r].measures[MEASURE_MSE]);
        texts[n + 2] = cell_number(&cells[n + 2], "%.5g", rows[r].measures[MEASURE_MAX]);
        texts[n + 3] = cell_number(&cells[n + 3], "%.5g", rows[r].max_at);
        texts[n + 4] = cell_number(&cells[n + 4], "%.5g", rows[r].measures[MEASURE_ULP]);
        table_row(columns, n + OWN, texts);
    }
}

/* Draws the functions, and their differences from the target. */
static int draw_fit(const struct fit *f, const struct options *o, const struct row rows[2])
{
    enum { POINTS = 501 };
    static double x[POINTS], y[3][POINTS], difference[2][POINTS];
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < f->points.count; i++) {
        low = fmin(low, f->points.x[i]);
        high = fmax(high, f->points.x[i]);
    }
    for (size_t i = 0; i < POINTS; i++) x[i] = low + (high - low) * (double)i / (POINTS - 1);
    for (size_t r = 0; r < 2; r++) fit_evaluate(f, f->fitted, rows[r].parameters, x, y[r], POINTS);
    fit_evaluate(f, f->target, NULL, x, y[2], POINTS);
    for (size_t r = 0; r < 2; r++)
        for (size_t i = 0; i < POINTS; i++) difference[r][i] = y[r][i] - y[2][i];
    char *titles[2] = {must_format("%s, fitted to %s", o->whats[0].text, o->to),
                       must_format("Difference from %s", o->to)};
    const struct chart_curve values[] = {{o->to, x, y[2], POINTS, 0, false},
                                         {rows[1].name, x, y[1], POINTS, 1, true}};
    const struct chart_curve differences[] = {{rows[0].name, x, difference[0], POINTS, 0, false},
                                              {rows[1].name, x, difference[1], POINTS, 1, false}};
    const struct chart charts[2] = {{titles[0], {.title = "x"}, {0}, values, 2},
                                    {titles[1], {.title = "x"}, {0}, differences, 2}};
    struct output file = {.path = o->object};
    charts_write(&file.content, charts, 2);
    const int code = outputs_write(&file, 1);
    buffer_free(&file.content);
    free(titles[0]);
    free(titles[1]);
    return code;
}

static int find_points(struct points *p, const struct options *o)
{
    double interval[2];
    if (o->points && o->interval)
        return usage_error(o->command, "--points and --interval contradict each other");
    if (o->points && !points_of_text(p, o->points))
        return usage_error(o->command, "--points wants X,X,... or A:B:STEP,..., not '%s'", o->points);
    const int code = o->points ? EXIT_GOOD : options_interval(o, interval);
    if (!code && !o->points) points_of_interval(p, interval);
    return code;
}

static int choose_measure(const struct options *o, enum measure *measure, int *type)
{
    *measure = MEASURE_MSE;
    while (o->measure && measure_names[*measure] && strcmp(measure_names[*measure], o->measure)) ++*measure;
    if (!measure_names[*measure]) return print_unknown(EXIT_USAGE, "measure", o->measure, measure_names);
    return choose_type(type, o->type ? o->type : "f32");
}

static int check_usage(const struct options *o)
{
    if (o->what_count != 1)
        return usage_error(o->command, "fit takes one WHAT: a function's name or -e EXPR");
    if (!o->to) return usage_error(o->command, "--to is missing: what to fit to");
    if (!o->parameter_count || o->parameter_count > MINIMIZE_MOST)
        return usage_error(o->command, "--parameter must be given 1 to %d times", MINIMIZE_MOST);
    int code = refuse_standard_output(o, o->object);
    if (!code) code = refuse_format(o, o->object, "svg");
    return code || !o->object ? code : output_check(o->object);
}

int command_fit(const struct options *o)
{
    struct fit fit = {0};
    struct points points = {0};
    enum measure measure = MEASURE_MSE;
    int type = ACTGEN_F32;
    actgen_engine *engine = NULL;
    catch_interrupt();
    int code = check_usage(o);
    if (!code) code = choose_measure(o, &measure, &type);
    if (!code) code = find_points(&points, o);
    if (!code) code = engine_open(&engine, o);
    if (!code) code = fit_open(&fit, engine, &o->whats[0], o->to, o->parameters, o->parameter_count);
    fit.points = points;
    if (!code) {
        struct row rows[2] = {{.name = "start"}, {.name = "fitted"}};
        fit.measure = measure;
        fit.type = type;
        fit_prepare(&fit);
        for (size_t i = 0; i < o->parameter_count; i++)
            rows[0].parameters[i] = rows[1].parameters[i] = o->parameters[i].value;
        fit_run(&fit, rows[1].parameters);
        for (size_t r = 0; r < 2; r++)
            fit_measure(&fit, rows[r].parameters, rows[r].measures, &rows[r].max_at);
        if (isnan(rows[1].measures[measure]))
            code = print_error(
                EXIT_INPUT,
                "a function is not finite at some of these inputs: choose others with --interval");
        if (!code) print_rows(o, rows, 2);
        if (!code && o->object) code = draw_fit(&fit, o, rows);
    }
    fit_close(&fit);
    actgen_engine_free(engine);
    return code;
}
