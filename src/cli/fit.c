/* Fits free parameters of a function to another function. Both are compiled for f64, so that each error is
 * computed quickly. */
#include "fit.h"
#include "diagnostics.h"
#include "element.h"
#include "input.h"
#include "markup.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const measure_names[MEASURES + 1] = {"mse", "max", "ulp", NULL};

/* ---- points ---- */

static void add_point(struct points *p, double x, double weight)
{
    p->x = must_grow(p->x, p->count + 1, sizeof *p->x);
    p->weight = must_grow(p->weight, p->count + 1, sizeof *p->weight);
    p->x[p->count] = x;
    p->weight[p->count++] = weight;
}

void points_of_interval(struct points *p, const double interval[2])
{
    static const int STEPS = 4000;
    *p = (struct points){0};
    for (int i = 0; i <= STEPS; i++) {
        const double share = (double)i / STEPS;
        add_point(p, (1 - share) * interval[0] + share * interval[1], (i % STEPS ? 1.0 : 0.5) / STEPS);
    }
}

bool points_of_text(struct points *p, const char *text)
{
    static const int MOST = 100000;
    *p = (struct points){0};
    for (const char *c = text;; c++) {
        char *end;
        double numbers[3];
        size_t given = 0;
        for (bool goes_on = true; goes_on && given < 3; c = end + goes_on) {
            numbers[given++] = strtod(c, &end);
            if (end == c || !isfinite(numbers[given - 1])) return false;
            goes_on = *end == ':';
        }
        const double steps = given == 3 ? ceil((numbers[1] - numbers[0]) / numbers[2]) : given == 1;
        if (given == 2 || (*c && *c != ',') || !(steps >= 1 && steps <= MOST)) return false;
        for (double i = 0; i < steps; i++)
            add_point(p, given == 3 ? numbers[0] + i * numbers[2] : numbers[0], 1);
        if (!*c) break;
    }
    for (size_t i = 0; i < p->count; i++) p->weight[i] /= (double)p->count;
    return true;
}

void points_free(struct points *p)
{
    free(p->x);
    free(p->weight);
    *p = (struct points){0};
}

/* ---- text ---- */

struct lookup { /* the search for a built-in's definition */
    const char *name;
    char *definition, *alias_of;
};

static int look_up(void *payload, const actgen_builtin *builtin)
{
    struct lookup *l = payload;
    if (strcmp(builtin->name, l->name)) return 0;
    l->definition = must_format("%s", builtin->definition);
    l->alias_of = builtin->alias_of ? must_format("%s", builtin->alias_of) : NULL;
    return 1;
}

static char *definition_of(const char *name)
{
    struct lookup l = {.name = name};
    actgen_builtins(look_up, &l, NULL);
    if (!l.alias_of) return l.definition;
    char *definition = definition_of(l.alias_of);
    free(l.definition);
    free(l.alias_of);
    return definition;
}

/* Returns the length of the name at the beginning of a text. */
static size_t name_length(const char *text)
{
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

/* Returns the formula of a parameter's default in the text of `function name(x; parameter = formula, ...)`,
 * or NULL. */
static char *default_of(const char *text, const char *function, const char *parameter)
{
    const char *head = text;
    while ((head = strstr(head, "function"))) {
        head += strlen("function");
        head += strspn(head, " \t");
        if (name_length(head) == strlen(function) && !strncmp(head, function, strlen(function))) break;
    }
    const char *c = head ? strpbrk(head, ";)") : NULL;
    while (c && *c != ')') { /* the ';' or ',' before a parameter */
        c += 1 + strspn(c + 1, " \t\n");
        const char *name = c, *formula = strchr(c, '=');
        if (!formula) return NULL;
        int depth = 0;
        for (c = ++formula; *c && (depth || (*c != ',' && *c != ')')); c++)
            depth += (*c == '(') - (*c == ')');
        if (name_length(name) == strlen(parameter) && !strncmp(name, parameter, strlen(parameter)))
            return must_format("%.*s", (int)(c - formula), formula);
    }
    return NULL;
}

static bool is_name(const char *text) { return name_length(text) == strlen(text); }

/* Writes the spec: the kernels `fitted` and `target`, and `start`, whose results at 0 are the defaults. */
static void write_kernels(struct buffer *text, const char *function, const char *definition,
                          const char *formula, const char *to, const struct named_value *parameters,
                          size_t count)
{
    put(text, "kernel actgen_fitted(x: f64");
    for (size_t i = 0; i < count; i++) put(text, ", %s: f64[]", parameters[i].name);
    put(text, ") -> (actgen_y: f64) { actgen_y = %s", function ? function : formula);
    if (function) put(text, "(x");
    for (size_t i = 0; function && i < count; i++)
        put(text, ", %s = %s", parameters[i].name, parameters[i].name);
    put(text, "%s }\nkernel actgen_target(x: f64) -> (actgen_y: f64) { actgen_y = %s%s }\n",
        function ? ")" : "", to, is_name(to) ? "(x)" : "");
    for (size_t i = 0; i < count; i++) {
        char *formula_of = definition ? default_of(definition, function, parameters[i].name) : NULL;
        put(text, "kernel actgen_start%zu(x: f64) -> (actgen_y: f64) { actgen_y = x + (%s) }\n", i,
            formula_of ? formula_of : "1");
        free(formula_of);
    }
}

/* ---- opening ---- */

/* Prints an error in the formula with its place in the formula as it was typed. The formula stands once in
 * the text, from `from` on. */
static bool explain_formula(const char *text, size_t from, const char *formula, const actgen_error *error)
{
    const char *found = strstr(text + from, formula);
    const size_t start = found ? (size_t)(found - text) : 0, length = strlen(formula);
    if (!found || !error->line || error->offset < start || error->offset >= start + length) return false;
    actgen_error own = *error;
    own.offset -= (uint32_t)start;
    own.line = own.column = 1;
    for (size_t i = 0; i < own.offset; i++)
        if (formula[i] == '\n')
            own.line++, own.column = 1;
        else
            own.column++;
    print_diagnostic("fit", formula, length, &own);
    return true;
}

/* Prints an error without the generated text, which the user did not write. The message says enough, and the
 * parameters are listed. */
static int explain(const struct buffer *text, size_t generated, const char *file,
                   const char *const formulas[2], const char *definition, const actgen_error *error)
{
    if (error->line && error->offset < generated)
        return print_diagnostic(file, text->data, text->size, error);
    for (size_t i = 0; i < 2; i++)
        if (formulas[i] && explain_formula(text->data, generated, formulas[i], error))
            return exit_of_status(error->status);
    const int head = definition && !file ? (int)strcspn(definition, ")") + 1 : 0;
    return print_error(exit_of_status(error->status), "%s%s%.*s", error->message, head ? "; there is " : "",
                       head, head ? definition : "");
}

static int compile(actgen_kernel **out, actgen_engine *engine, const actgen_spec *spec, const char *name)
{
    actgen_error error = {0};
    const int status = actgen_compile(out, engine, spec, name, NULL, &error);
    return status ? print_error(exit_of_status(status), "%s: %s", name, error.message) : EXIT_GOOD;
}

/* Sets parameters without a value to their default, which is the value of `x + (default)` at 0. */
static int find_start(const struct fit *f, actgen_engine *engine, struct named_value *parameters)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < f->count && !code; i++) {
        if (!isnan(parameters[i].value)) continue;
        actgen_kernel *kernel = NULL;
        char *name = must_format("actgen_start%zu", i);
        const double zero = 0;
        code = compile(&kernel, engine, f->spec, name);
        if (!code) fit_evaluate(f, kernel, NULL, &zero, &parameters[i].value, 1);
        actgen_kernel_free(kernel);
        free(name);
    }
    return code;
}

/* Checks the target formula alone, which it allows because x is its only value. */
static int check_target(const char *to)
{
    actgen_error error = {0};
    actgen_spec *spec = NULL;
    int code = EXIT_GOOD;
    if (!is_name(to) && actgen_spec_expression(&spec, to, &error))
        code = print_diagnostic("fit", to, strlen(to), &error);
    actgen_spec_free(spec);
    return code;
}

int fit_open(struct fit *f, actgen_engine *engine, const struct what *what, const char *to,
             struct named_value *parameters, size_t count)
{
    struct buffer text = {0};
    actgen_error error = {0};
    const char *colon = what->is_expression ? NULL : kernel_colon(what->text);
    const char *function = what->is_expression ? NULL : colon ? colon + 1 : what->text;
    char *file = colon ? must_format("%.*s", (int)(colon - what->text), what->text) : NULL,
         *definition = NULL;
    int code = file ? file_read(&text, file, (size_t)1 << 24) : check_target(to);
    *f = (struct fit){.count = count};
    if (!code && function) definition = file ? must_format("%s", text.data) : definition_of(function);
    if (!code && function && !definition)
        code = print_error(EXIT_INPUT, "there is no built-in '%s'; a file's function is FILE:FUNCTION",
                           function);
    if (!code) {
        if (file) put(&text, "\n");
        const size_t generated = text.size;
        const char *const formulas[2] = {function ? NULL : what->text, is_name(to) ? NULL : to};
        write_kernels(&text, function, definition, what->text, to, parameters, count);
        if (actgen_spec_parse(&f->spec, file, text.data, text.size, &error))
            code = explain(&text, generated, file, formulas, definition, &error);
    }
    if (!code) code = compile(&f->fitted, engine, f->spec, "actgen_fitted");
    if (!code) code = compile(&f->target, engine, f->spec, "actgen_target");
    if (!code) code = find_start(f, engine, parameters);
    buffer_free(&text);
    free(definition);
    free(file);
    return code;
}

void fit_close(struct fit *f)
{
    actgen_kernel_free(f->fitted);
    actgen_kernel_free(f->target);
    actgen_spec_free(f->spec);
    points_free(&f->points);
    free(f->y);
    free(f->target_y);
    *f = (struct fit){0};
}

/* ---- errors ---- */

void fit_evaluate(const struct fit *f, const actgen_kernel *kernel, const double *parameters, const double *x,
                  double *y, size_t count)
{
    actgen_operand operands[MINIMIZE_MOST + 2] = {{x, 0}};
    size_t used = 1;
    for (size_t i = 0; kernel == f->fitted && i < f->count; i++)
        operands[used++] = (actgen_operand){&parameters[i], 0};
    operands[used++] = (actgen_operand){y, 0};
    if (actgen_run(kernel, 1, count, operands, used, NULL))
        for (size_t i = 0; i < count; i++) y[i] = NAN;
}

void fit_prepare(struct fit *f)
{
    f->y = must_allocate(f->points.count, sizeof *f->y);
    f->target_y = must_allocate(f->points.count, sizeof *f->target_y);
    fit_evaluate(f, f->target, NULL, f->points.x, f->target_y, f->points.count);
}

void fit_measure(struct fit *f, const double *parameters, double measures[MEASURES], double *max_at)
{
    const struct points *p = &f->points;
    for (size_t m = 0; m < MEASURES; m++) measures[m] = 0;
    *max_at = p->x[0];
    fit_evaluate(f, f->fitted, parameters, p->x, f->y, p->count);
    for (size_t i = 0; i < p->count; i++) {
        const double error = fabs(f->y[i] - f->target_y[i]);
        if (isnan(error)) { /* these parameters do not suit the points */
            for (size_t m = 0; m < MEASURES; m++) measures[m] = NAN;
            return;
        }
        if (error > measures[MEASURE_MAX]) *max_at = p->x[i];
        measures[MEASURE_MSE] += p->weight[i] * error * error;
        measures[MEASURE_MAX] = fmax(measures[MEASURE_MAX], error);
        measures[MEASURE_ULP] = fmax(measures[MEASURE_ULP], error / element_spacing(f->type, f->target_y[i]));
    }
}

static double error_at(void *context, const double *parameters)
{
    struct fit *f = context;
    double measures[MEASURES], at;
    fit_measure(f, parameters, measures, &at);
    return measures[f->measure];
}

void fit_run(struct fit *f, double *parameters) { minimize(error_at, f, parameters, f->count); }
