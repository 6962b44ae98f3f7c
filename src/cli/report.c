/* Writes the page of a report: HTML that needs no other file. */
#include "report.h"
#include "element.h"
#include "machine.h"
#include "markup.h"
#include "operands.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const size_t report_sizes[REPORT_SIZES] = {2048, 32768, 1048576};

/* The script is for browsers in which the style cannot open folded parts. */
static const char open_for_print[] =
    "<script>addEventListener(\"beforeprint\",()=>document.querySelectorAll(\"details\")"
    ".forEach((d)=>{d.open=true}))</script>\n";

/* Writes a link to the section of each kernel, if there are several. */
void report_begin(struct buffer *out, actgen_kernel *const *kernels, size_t count)
{
    char *title = count == 1 ? must_format("Report on %s", actgen_kernel_name(kernels[0]))
                             : must_format("Report on %zu kernels", count);
    put(out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>%s</title>\n"
        "<style>\n",
        title);
    put_lines(out, page_style);
    put_lines(out, chart_style);
    put(out, "</style>\n</head>\n<body>\n<h1>%s</h1>\n<nav>", title);
    free(title);
    for (size_t i = 0; i < count && count > 1; i++)
        put(out, "<a href=\"#k%zu\">%s</a>", i, actgen_kernel_name(kernels[i]));
    put(out,
        "</nav>\n<p>actgen %d.%d.%d, %s. Values and times are those of the compiled code; errors are its "
        "distance "
        "from the exact value.</p>\n",
        ACTGEN_VERSION_MAJOR, ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH, actgen_backend_version());
}

void report_end(struct buffer *out) { put(out, "%s</body>\n</html>\n", open_for_print); }

/* ---- tables ---- */

static void table_begin(struct buffer *out, const char *title, const char *const *heads, size_t count)
{
    put(out, "<div>\n<h3>");
    put_escaped(out, title);
    put(out, "</h3>\n<div class=\"scroll\"><table>\n<tr>");
    for (size_t i = 0; i < count; i++) put(out, "<th>%s</th>", heads[i]);
    put(out, "</tr>\n");
}

static void table_end(struct buffer *out) { put(out, "</table></div>\n</div>\n"); }

static void put_cells(struct buffer *out, const char *const *cells, size_t count)
{
    put(out, "<tr>");
    for (size_t i = 0; i < count; i++) put(out, "<td>%s</td>", cells[i]);
    put(out, "</tr>\n");
}

static void put_fact(struct buffer *out, const char *name, const char *text)
{
    put(out, "<tr><th>%s</th><td>", name);
    put_escaped(out, text);
    put(out, "</td></tr>\n");
}

static const char *number_text(struct cell *c, int digits, double value)
{
    if (isnan(value)) return "nan"; /* of either sign */
    snprintf(c->text, sizeof c->text, "%.*g", digits, value);
    return c->text;
}

/* Begins a table of errors. The error by the measure of the bound comes first. */
static void comparison_begin(struct buffer *out, const struct view *v, const char *title)
{
    static const char *const by_ulp[] = {"input", "ulp", "computed", "exact"};
    static const char *const by_abs[] = {"input", "error", "ulp", "computed", "exact"};
    if (v->measure == MEASURE_ABS)
        table_begin(out, title, by_abs, 5);
    else
        table_begin(out, title, by_ulp, 4);
}

/* Writes an input, its error, the computed value and the true value. The input's bits appear under the
 * pointer. */
static void put_comparison(struct buffer *out, const struct view *v, double x, double value, double truth)
{
    struct cell cells[6];
    char *input = must_format("<span title=\"%s\">%s</span>", cell_float(&cells[0], x),
                              isnan(x) ? "nan" : cell_decimal(&cells[1], x));
    const char *row[5] = {input};
    size_t count = 1;
    if (v->measure == MEASURE_ABS)
        row[count++] = number_text(&cells[2], 3, error_by(MEASURE_ABS, v->result_type, value, truth));
    row[count++] = number_text(&cells[3], 3, error_by(MEASURE_ULP, v->result_type, value, truth));
    row[count++] = number_text(&cells[4], 7, value);
    row[count++] = number_text(&cells[5], 7, truth);
    put_cells(out, row, count);
    free(input);
}

static int by_error(const void *a, const void *b)
{
    const struct worst *const *left = a, *const *right = b;
    const double first = (*left)->error, second = (*right)->error;
    return first < second ? 1 : first > second ? -1 : *left < *right ? -1 : 1;
}

static void put_worst(struct buffer *out, const struct curves *c)
{
    enum { SHOWN = 8 };
    const struct worst **sorted = must_allocate(c->envelope.count, sizeof *sorted);
    for (size_t i = 0; i < c->envelope.count; i++)
        sorted[i] = &c->envelope.binades[i].worst[c->view->measure];
    qsort(sorted, c->envelope.count, sizeof *sorted, by_error);
    comparison_begin(out, c->view, "Worst inputs, one a binade");
    for (size_t i = 0; i < SHOWN && i < c->envelope.count && sorted[i]->error > 0; i++)
        put_comparison(out, c->view, sorted[i]->at, sorted[i]->value, sorted[i]->truth);
    table_end(out);
    free(sorted);
}

static void put_special(struct buffer *out, const struct curves *c)
{
    const struct element_format f = element_format(c->view->input_type);
    const double tiny = ldexp(1, f.least - f.bits + 1), normal = ldexp(1, f.least);
    const double largest = (2 - ldexp(1, 1 - f.bits)) * ldexp(1, f.greatest);
    const double inputs[] = {0,    -0.0,    tiny,     -tiny,    normal,    -normal,    1,
                             -1.0, largest, -largest, INFINITY, -INFINITY, (double)NAN};
    struct probe probe;
    probe_open(&probe, c->view);
    comparison_begin(out, c->view, "Special values");
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        double truth = 0;
        if (probe_truth(&probe, inputs[i], &truth))
            put_comparison(out, c->view, inputs[i], probe_value(&probe, inputs[i]), truth);
    }
    table_end(out);
    probe_close(&probe);
}

static void put_speed(struct buffer *out, const struct report_speed *speed)
{
    static const char *const heads[] = {"elements", "ns each", "copy, ns", "of the copy", "libm, ns"};
    if (!speed->is_there) return;
    char machine[128], date[DATE_SIZE];
    machine_name(machine, sizeof machine);
    date_of_today(date);
    char *title = must_format("Speed, on one core of %s, %s", machine, date);
    table_begin(out, title, heads, 5);
    free(title);
    for (size_t i = 0; i < REPORT_SIZES; i++) {
        const struct bench_times *t = &speed->times[i];
        struct cell cells[5];
        const char *row[] = {cell_count(&cells[0], report_sizes[i]), cell_number(&cells[1], "%.3f", t->ns),
                             cell_number(&cells[2], "%.3f", t->copy),
                             cell_number(&cells[3], "%.2f", t->ns / t->copy),
                             cell_number(&cells[4], "%.2f", t->libm)};
        put_cells(out, row, 5);
    }
    table_end(out);
}

/* ---- stages ---- */

/* Counts the lines of assembly that are indented and no directive. */
static size_t instruction_count(const char *text)
{
    size_t count = 0;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        count += line[0] == '\t' && line[1] != '.' && line[1] != '#';
    }
    return count;
}

static void put_stage(struct buffer *out, const actgen_kernel *kernel, int stage, const char *title)
{
    struct buffer text = {0};
    if (!actgen_show(kernel, stage, buffer_write, &text, NULL) && text.size) {
        put(out, "<details><summary>%s", title);
        if (stage == ACTGEN_STAGE_ASM) put(out, ", %zu", instruction_count(text.data));
        put(out, "</summary>\n<pre>");
        put_escaped(out, text.data);
        put(out, "</pre></details>\n");
    }
    buffer_free(&text);
}

static void put_formula(struct buffer *out, const actgen_kernel *kernel)
{
    struct buffer text = {0};
    if (!actgen_show(kernel, ACTGEN_STAGE_SPEC, buffer_write, &text, NULL) && text.size) {
        put(out, "<pre>");
        put_escaped(out, text.data);
        put(out, "</pre>\n");
    }
    buffer_free(&text);
}

/* Writes the largest errors of planning, first by the measure of the bound. */
static void put_errors(struct buffer *out, const actgen_certificate *c)
{
    struct cell ulp, ulp_at, absolute, abs_at, inputs;
    const char *of = c->is_whole ? "" : ", of each function of one value";
    char *in_ulps = must_format("%s ulp at %s", cell_number(&ulp, "%.4g", c->max_ulp),
                                cell_float(&ulp_at, c->max_ulp_at));
    char *in_values = must_format("%s at %s", cell_number(&absolute, "%.3g", c->max_abs),
                                  cell_float(&abs_at, c->max_abs_at));
    char *error = must_format("%s, of %s inputs%s", c->bound_is_abs ? in_values : in_ulps,
                              cell_count(&inputs, c->inputs), of);
    put_fact(out, c->exhaustive ? "largest error of all inputs" : "largest error found", error);
    put_fact(out, c->bound_is_abs ? "in ulps" : "error / max(1, |y|)", c->bound_is_abs ? in_ulps : in_values);
    free(error);
    free(in_values);
    free(in_ulps);
}

static void put_facts(struct buffer *out, const actgen_kernel *kernel, const struct curves *list,
                      size_t count)
{
    actgen_certificate c = ACTGEN_CERTIFICATE_INIT;
    actgen_kernel_certificate(kernel, &c);
    char *proof = proof_text(&c);
    put(out, "<table class=\"facts\">\n");
    put_fact(out, "bound", c.accuracy);
    if (count) {
        const struct verdict verdict = verdict_on(list, count);
        char *text = verdict_text(list[0].view, &verdict);
        put_fact(out, "verdict", text);
        free(text);
    }
    if (proof) put_fact(out, "analysis", proof);
    if (c.inputs) put_errors(out, &c);
    put_fact(out, "plan", c.plan);
    put_fact(out, "chosen by", actgen_kernel_chosen_by(kernel));
    put_fact(out, "instruction set", actgen_kernel_isa(kernel));
    put_fact(out, "bits of profile", c.profile);
    put_fact(out, "object", actgen_kernel_object_hash(kernel));
    put(out, "</table>\n");
    free(proof);
}

static void put_result(struct buffer *out, const struct curves *c, bool is_alone)
{
    if (!is_alone) {
        put(out, "<h3>");
        put_escaped(out, c->view->name);
        put(out, "</h3>\n");
    }
    put(out, "<div class=\"charts\">\n");
    for (enum panel p = 0; p < PANELS; p++) curves_panel(out, c, 1, p);
    put(out, "</div>\n<p>Error: the largest of %" PRIu64 " inputs, %s.", c->envelope.inputs,
        c->envelope.is_exhaustive ? "all numbers of the type" : "some of each binade");
    if (c->view->no_slope) {
        put(out, " No derivative: ");
        put_escaped(out, c->view->no_slope);
    }
    put(out, "</p>\n<div class=\"tables\">\n");
    put_worst(out, c);
    put_special(out, c);
}

void report_kernel(struct buffer *out, size_t number, const actgen_kernel *kernel, const struct curves *list,
                   size_t count, const struct report_speed *speed)
{
    put(out, "<section>\n<h2 id=\"k%zu\">%s</h2>\n", number, actgen_kernel_name(kernel));
    put_formula(out, kernel);
    put_facts(out, kernel, list, count);
    for (size_t i = 0; i < count; i++) {
        put_result(out, &list[i], count == 1);
        if (i == 0) put_speed(out, speed);
        put(out, "</div>\n");
    }
    put_stage(out, kernel, ACTGEN_STAGE_PLAN, "Plan");
    put_stage(out, kernel, ACTGEN_STAGE_LANE, "Lane program");
    put_stage(out, kernel, ACTGEN_STAGE_ASM, "Instructions");
    put(out, "</section>\n");
}
