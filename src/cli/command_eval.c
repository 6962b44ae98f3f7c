/* Implements actgen eval: a kernel at given inputs, with its slope, the exact value and the error. */
#include "arrays.h"
#include "diagnostics.h"
#include "element.h"
#include "input.h"
#include "operands.h"
#include "options.h"
#include "points.h"
#include "table.h"
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct name { /* one name of the kernel's operands */
    actgen_operand_info info;
    const struct array *array;
};

struct evaluation {
    const actgen_kernel *kernel;
    struct arrays arrays;
    struct name *names; /* inputs, then results */
    size_t input_count, count;
    struct named_value *point; /* the inputs at the current column */
    struct views views;        /* for each input, a view of each result; none with sums */
    enum measure measure;      /* the measure of the bound */
};

/* The result that is printed. */
struct result {
    const struct name *name;
    size_t number;              /* from 0 among results */
    const struct view **slopes; /* one per input; NULL without one */
    char no_exact[480];         /* why it has no exact value, or "" */
};

/* ---- values ---- */

/* Returns the place in its array that a name has at a column. Inputs that do not vary have one place. */
static size_t place_of(const struct evaluation *e, const struct name *name, size_t column)
{
    const actgen_operand_info *info = &name->info;
    const bool is_packed = info->layout == ACTGEN_LAYOUT_PACKED;
    if (info->shape == ACTGEN_SHAPE_ROWS) return 0;
    if (info->shape == ACTGEN_SHAPE_ONE) return info->part;
    return is_packed ? info->part * e->arrays.cols + column : column * info->parts + info->part;
}

static double column_value(const struct evaluation *e, const struct name *name, size_t column)
{
    return array_value(name->array, 0, place_of(e, name, column));
}

static void find_names(struct evaluation *e)
{
    e->count = actgen_kernel_operand_count(e->kernel);
    e->names = must_allocate(e->count, sizeof *e->names);
    e->point = must_allocate(e->count, sizeof *e->point);
    for (size_t i = 0; i < e->count; i++) {
        struct name *name = &e->names[i];
        name->info = (actgen_operand_info)ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(e->kernel, i, &name->info);
        name->array = &e->arrays.list[name->info.group];
        e->input_count += !name->info.is_result;
        e->point[i].name = (char *)(uintptr_t)name->info.name;
    }
}

static void move_to(struct evaluation *e, size_t column)
{
    for (size_t i = 0; i < e->input_count; i++) e->point[i].value = column_value(e, &e->names[i], column);
}

/* Computes the exact value at the point. Returns false if there is none; `error` says why. */
static bool exact_at(const struct evaluation *e, size_t result, double *exact, actgen_error *error)
{
    double *inputs = must_allocate(e->count, sizeof *inputs);
    for (size_t i = 0; i < e->input_count; i++) inputs[i] = e->point[i].value;
    const bool is_known = !actgen_reference(e->kernel, result, inputs, exact, error);
    free(inputs);
    if (!is_known) *exact = NAN;
    return is_known;
}

static double slope_at(const struct evaluation *e, const struct result *r, size_t input)
{
    struct probe probe;
    if (!r->slopes[input]) return NAN;
    probe_open(&probe, r->slopes[input]);
    const double slope = probe_slope(&probe, e->point[input].value);
    probe_close(&probe);
    return slope;
}

static bool has_slope(const struct result *r, size_t input)
{
    return r->slopes[input] && r->slopes[input]->slope;
}

/* Returns true for an input that varies smoothly; the values of a list have no slopes here. */
static bool varies_smoothly(const struct name *name)
{
    return !is_list(&name->info) && name->info.type != ACTGEN_U64 && name->info.type != ACTGEN_U1;
}

/* Compiles the derivative of each result by each input. Sums have none, because a single element does not
 * determine them. */
static int open_slopes(struct evaluation *e, const struct jobs *jobs, const struct options *options)
{
    struct options of = *options;
    int code = EXIT_GOOD;
    of.values = e->point;
    of.value_count = e->input_count;
    if (actgen_kernel_workspace(e->kernel, 1, 1)) return code;
    move_to(e, 0);
    for (size_t i = 0; i < e->input_count && !code; i++) {
        of.vary = e->names[i].info.name;
        if (!varies_smoothly(&e->names[i])) continue;
        code = views_add(&e->views, e->kernel, jobs, &jobs->list[0], &of);
    }
    return code;
}

/* ---- one result ---- */

static void result_open(struct result *r, struct evaluation *e, size_t number)
{
    const size_t results = e->count - e->input_count;
    double exact;
    actgen_error error = {0};
    *r = (struct result){.name = &e->names[e->input_count + number], .number = number};
    r->slopes = must_allocate(e->input_count + 1, sizeof *r->slopes);
    move_to(e, 0);
    if (!exact_at(e, number, &exact, &error) && error.status == ACTGEN_EINVAL)
        snprintf(r->no_exact, sizeof r->no_exact, "%s", error.message);
    for (size_t i = 0, next = number; i < e->input_count && e->views.count && !*r->no_exact; i++) {
        if (!varies_smoothly(&e->names[i])) continue;
        r->slopes[i] = &e->views.list[next];
        next += results;
    }
}

static void result_close(struct result *r) { free(r->slopes); }

/* Returns the number of rows in the table. A sum over the row has one value. */
static size_t rows_of(const struct evaluation *e, const struct result *r)
{
    const int shape = r->name->info.shape;
    return shape == ACTGEN_SHAPE_ROWS || shape == ACTGEN_SHAPE_ONE ? 1 : e->arrays.cols;
}

/* ---- JSON ---- */

static void print_objects(struct json *j, struct evaluation *e, const struct result *r)
{
    const int type = r->name->info.type;
    const char **names = must_allocate(e->input_count + 1, sizeof *names);
    double *at = must_allocate(e->input_count, sizeof *at),
           *slopes = must_allocate(e->input_count, sizeof *at);
    for (size_t k = 0; k < rows_of(e, r); k++) {
        const double value = column_value(e, r->name, k);
        double exact;
        move_to(e, k);
        for (size_t i = 0; i < e->input_count; i++) {
            names[i] = e->point[i].name;
            at[i] = e->point[i].value;
            slopes[i] = slope_at(e, r, i);
        }
        const bool is_known = exact_at(e, r->number, &exact, NULL);
        json_object(j);
        json_kernel(j, e->kernel);
        json_text(j, "backend", actgen_kernel_backend(e->kernel));
        json_text(j, "result", r->name->info.name);
        json_texts(j, "inputs", names);
        json_numbers(j, "at", at, e->input_count);
        json_exact(j, "value", value);
        json_numbers(j, "slopes", slopes, e->input_count);
        json_exact(j, "exact", exact);
        json_exact(j, "error_ulp", is_known ? error_by(MEASURE_ULP, type, value, exact) : NAN);
        json_exact(j, "error_abs", is_known ? error_by(MEASURE_ABS, type, value, exact) : NAN);
        json_close(j);
    }
    free(names);
    free(at);
    free(slopes);
}

/* ---- the table ---- */

struct table {
    struct column *columns;
    char **texts; /* titles, then the cells, a row after the other */
    size_t width, count;
};

static void add_text_to(struct table *t, char *text)
{
    t->texts = must_grow(t->texts, t->count + 1, sizeof *t->texts);
    t->texts[t->count++] = text;
}

static void add_title(struct table *t, const char *first, const char *second)
{
    add_text_to(t, must_format("%s%s", first, second));
    t->width++;
}

static void add_cell(struct table *t, const char *text) { add_text_to(t, must_format("%s", text)); }

static void table_print(struct table *t)
{
    t->columns = must_allocate(t->width, sizeof *t->columns);
    for (size_t i = 0; i < t->width; i++) t->columns[i] = (struct column){t->texts[i], 0, true};
    for (size_t i = 0; i < t->count; i++) table_widen(&t->columns[i % t->width], t->texts[i]);
    for (size_t i = 0; i < t->count; i += t->width)
        table_row(t->columns, t->width, (const char *const *)&t->texts[i]);
    for (size_t i = 0; i < t->count; i++) free(t->texts[i]);
    free(t->texts);
    free(t->columns);
}

/* Writes more digits than the type has, so that the rounding can be seen. */
static const char *exact_text(struct cell *c, int type, double exact)
{
    enum { MOST_DIGITS = 17 };
    const int digits = 4 + (int)ceil(element_format(type).bits * 0.30103);
    if (isnan(exact)) return "-";
    snprintf(c->text, sizeof c->text, "%.*g", digits < MOST_DIGITS ? digits : MOST_DIGITS, exact);
    return c->text;
}

static const char *slope_text(struct cell *c, double slope)
{
    return isnan(slope) ? "nan" : cell_number(c, "%.6g", slope); /* of either sign */
}

static void add_titles(struct table *t, const struct evaluation *e, const struct result *r)
{
    const char *result = r->name->info.name;
    size_t slopes = 0;
    for (size_t i = 0; i < e->input_count; i++) {
        slopes += has_slope(r, i);
        if (!is_list(&e->names[i].info)) add_title(t, e->names[i].info.name, "");
    }
    add_title(t, result, "");
    for (size_t i = 0; i < e->input_count; i++) {
        if (!has_slope(r, i)) continue;
        if (slopes == 1)
            add_title(t, "slope", "");
        else
            add_title(t, "slope by ", e->names[i].info.name);
    }
    if (*r->no_exact) return;
    add_title(t, "exact", "");
    add_title(t, e->measure == MEASURE_ABS ? "error, abs" : "error, ulp", "");
}

static void add_row(struct table *t, struct evaluation *e, const struct result *r, size_t column)
{
    const int type = r->name->info.type;
    const double value = column_value(e, r->name, column);
    struct cell cell;
    double exact;
    move_to(e, column);
    for (size_t i = 0; i < e->input_count; i++)
        if (!is_list(&e->names[i].info))
            add_cell(t, array_text(&cell, e->names[i].array, 0, place_of(e, &e->names[i], column)));
    add_cell(t, element_text(&cell, type, value));
    for (size_t i = 0; i < e->input_count; i++)
        if (has_slope(r, i)) add_cell(t, slope_text(&cell, slope_at(e, r, i)));
    if (*r->no_exact) return;
    const bool is_known = exact_at(e, r->number, &exact, NULL);
    add_cell(t, is_known ? exact_text(&cell, type, exact) : "-");
    add_cell(t, cell_number(&cell, "%.3g", is_known ? error_by(e->measure, type, value, exact) : NAN));
}

static void print_result(struct evaluation *e, const struct result *r)
{
    const size_t rows = rows_of(e, r);
    struct table table = {0};
    struct cell cell;
    if (rows < e->arrays.cols || e->input_count == 0) { /* a sum over the row */
        printf("%s = %s\n", r->name->info.name,
               element_text(&cell, r->name->info.type, column_value(e, r->name, 0)));
        return;
    }
    add_titles(&table, e, r);
    for (size_t k = 0; k < rows; k++) add_row(&table, e, r, k);
    table_print(&table);
}

/* Prints why columns are missing, and which code computed the values. */
static void print_notes(const struct evaluation *e, const struct result *r)
{
    const char *result = r->name->info.name;
    if (*r->no_exact) printf("%s has no exact value and no slope here: %s.\n", result, r->no_exact);
    for (size_t i = 0; i < e->input_count; i++)
        if (r->slopes[i] && r->slopes[i]->no_slope)
            printf("%s has no slope by %s: %s.\n", result, e->names[i].info.name, r->slopes[i]->no_slope);
    if (r->name->info.type == ACTGEN_F64 && !*r->no_exact)
        puts("The exact value is rounded to f64, so the error of an f64 result is known to half an ulp.");
}

static void print_tables(struct evaluation *e)
{
    const char *backend = actgen_kernel_backend(e->kernel);
    for (size_t i = 0; i < e->count - e->input_count; i++) {
        struct result r;
        if (i) putchar('\n');
        result_open(&r, e, i);
        print_result(e, &r);
        print_notes(e, &r);
        result_close(&r);
    }
    putchar('\n');
    if (actgen_kernel_workspace(e->kernel, 1, 1)) puts("The inputs are one row.");
    printf("%s, compiled for %s: the bound is %s.\n", actgen_kernel_name(e->kernel),
           actgen_kernel_isa(e->kernel), actgen_kernel_accuracy(e->kernel));
    if (strcmp(backend, "machine code") != 0) printf("%s\n", backend);
}

/* ---- all together ---- */

static int evaluate_kernels(struct evaluation *e, const struct jobs *jobs, const struct options *options,
                            const struct points *points)
{
    struct options run = *options;
    actgen_certificate promise = ACTGEN_CERTIFICATE_INIT;
    run.inputs = points->files;
    run.input_count = points->count;
    int code = arrays_open(&e->arrays, e->kernel, !jobs->sources[0].is_file, &run);
    if (!code) code = arrays_run(&e->arrays);
    if (!code) {
        find_names(e);
        actgen_kernel_certificate(e->kernel, &promise);
        e->measure = promise.bound_is_abs ? MEASURE_ABS : MEASURE_ULP;
        code = open_slopes(e, jobs, options);
    }
    if (!code && !json_standard()) print_tables(e);
    for (size_t i = 0; i < e->count - e->input_count && !code && json_standard(); i++) {
        struct result r;
        result_open(&r, e, i);
        print_objects(json_standard(), e, &r);
        result_close(&r);
    }
    views_close(&e->views);
    arrays_close(&e->arrays);
    free(e->names);
    free(e->point);
    return code;
}

/* Finds the WHAT: -e EXPR, or the first word. The other words stay in `words`. */
static int split_words(const struct options *options, struct what *what, struct what *words, size_t *count)
{
    *what = (struct what){0};
    *count = 0;
    for (size_t i = 0; i < options->what_count; i++)
        if (options->whats[i].is_expression) *what = options->whats[i];
    for (size_t i = 0; i < options->what_count; i++) {
        if (!what->text)
            *what = options->whats[i];
        else if (options->whats[i].text != what->text)
            words[(*count)++] = options->whats[i];
    }
    if (!what->text)
        return usage_error(options->command, "a WHAT is missing: a file, a built-in's name or -e EXPR");
    if (!what->is_expression && is_number_word(what->text))
        return usage_error(options->command, "the kernel stands before its inputs, as in gelu %s",
                           what->text);
    return EXIT_GOOD;
}

int command_eval(const struct options *options)
{
    struct what what, *words = must_allocate(options->what_count + 1, sizeof *words);
    struct options one = *options;
    struct jobs jobs;
    size_t count;
    catch_interrupt();
    int code = split_words(options, &what, words, &count);
    one.whats = &what;
    one.what_count = 1;
    if (!code && !(code = jobs_open(&jobs, &one, NULL))) {
        actgen_kernel *kernel = NULL;
        actgen_error error;
        struct points points = {0};
        code = jobs_check_one(&jobs, options->command);
        if (!code) code = job_compile(&kernel, &jobs, &jobs.list[0], &error);
        if (!code) code = points_open(&points, kernel, options->command, words, count);
        if (!code) code = evaluate_kernels(&(struct evaluation){.kernel = kernel}, &jobs, options, &points);
        points_close(&points);
        actgen_kernel_free(kernel);
        jobs_close(&jobs);
    }
    free(words);
    return code;
}
