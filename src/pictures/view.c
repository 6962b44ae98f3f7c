/* A result of a kernel as a function of one of its inputs. */
#include "view.h"
#include "element.h"
#include "markup.h"
#include "options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- calls of one element ---- */

void call_open(struct call *c, const actgen_kernel *kernel)
{
    *c = (struct call){.kernel = kernel,
                       .count = actgen_kernel_operand_count(kernel),
                       .group_count = actgen_kernel_group_count(kernel)};
    c->operands = must_allocate(c->group_count, sizeof *c->operands);
    c->places = must_allocate(c->count, sizeof *c->places);
    for (size_t i = 0; i < c->count; i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, i, &info);
        const size_t bytes = actgen_type_bytes(info.type);
        if (info.part == 0) c->operands[info.group].data = must_allocate(info.parts, bytes);
        /* In a row of one column, packed and interleaved parts have the same places. */
        c->places[i] = (struct place){.name = info.name,
                                      .element = (char *)c->operands[info.group].data + info.part * bytes,
                                      .type = info.type,
                                      .is_result = info.is_result != 0};
    }
}

void call_close(struct call *c)
{
    for (size_t i = 0; i < c->group_count; i++) free((void *)c->operands[i].data);
    free(c->operands);
    free(c->places);
    *c = (struct call){0};
}

struct place *call_place(const struct call *c, const char *name, bool is_result)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->places[i].is_result == is_result && !strcmp(c->places[i].name, name)) return &c->places[i];
    return NULL;
}

double call_run(const struct call *c, const struct place *result)
{
    return actgen_run(c->kernel, 1, 1, c->operands, c->group_count, NULL)
               ? NAN
               : element_get(result->element, result->type);
}

/* ---- views ---- */

static double given_value(const struct view *v, const char *name)
{
    for (size_t i = 0; i < v->value_count; i++)
        if (!strcmp(v->values[i].name, name)) return v->values[i].value;
    return 1;
}

/* Compiles the gradient with the options of the kernel. */
static void compile_slope(struct view *v, const struct jobs *jobs, const struct job *job)
{
    actgen_options options;
    actgen_error error = {0};
    actgen_spec *spec = NULL;
    const actgen_spec *own = job_options(&options, jobs, job, NULL);
    if (!actgen_spec_gradient(&spec, own, job->kernel, &v->input, 1, &error)) {
        char *name = must_format("%s_backward", job->kernel);
        actgen_compile(&v->slope, jobs->engine, spec, name, &options, &error);
        free(name);
    }
    if (!v->slope) v->no_slope = must_format("%s", error.message);
    actgen_spec_free(spec);
}

static void describe_fixed(struct view *v, const struct call *call)
{
    struct buffer text = {0};
    for (size_t i = 0; i < call->count; i++) {
        const struct place *p = &call->places[i];
        if (p->is_result || !strcmp(p->name, v->input)) continue;
        put(&text, "%s%s = %g", text.size ? ", " : "", p->name, given_value(v, p->name));
    }
    v->fixed = must_format("%s", text.size ? text.data : "");
    buffer_free(&text);
}

static int check_values(const struct view *v, const struct call *call)
{
    double element;
    for (size_t i = 0; i < call->count; i++) {
        const struct place *p = &call->places[i];
        if (!p->is_result && !element_put(&element, p->type, given_value(v, p->name)))
            return print_error(EXIT_INPUT, "%g is too large for '%s', which is %s", given_value(v, p->name),
                               p->name, actgen_type_name(p->type));
    }
    return EXIT_GOOD;
}

int views_add(struct views *views, const actgen_kernel *kernel, const struct jobs *jobs,
              const struct job *job, const struct options *options)
{
    struct call call;
    int code = EXIT_GOOD;
    call_open(&call, kernel);
    size_t inputs = 0;
    while (inputs < call.count && !call.places[inputs].is_result) inputs++;
    const struct place *varied = options->vary ? call_place(&call, options->vary, false) : NULL;
    for (size_t i = inputs; i < call.count && inputs && !code; i++) {
        views->list = must_grow(views->list, views->count + 1, sizeof *views->list);
        struct view *v = &views->list[views->count++];
        const bool is_alone = call.count == inputs + 1;
        *v = (struct view){.kernel = kernel,
                           .promise = ACTGEN_CERTIFICATE_INIT,
                           .name = must_format("%s%s%s", job->kernel, is_alone ? "" : ".",
                                               is_alone ? "" : call.places[i].name),
                           .input = varied ? varied->name : call.places[0].name,
                           .input_type = varied ? varied->type : call.places[0].type,
                           .result = call.places[i].name,
                           .result_number = i - inputs,
                           .result_type = call.places[i].type,
                           .values = options->values,
                           .value_count = options->value_count};
        actgen_kernel_certificate(kernel, &v->promise);
        v->measure = v->promise.bound_is_abs ? MEASURE_ABS : MEASURE_ULP;
        describe_fixed(v, &call);
        code = check_values(v, &call);
        if (!code) compile_slope(v, jobs, job);
    }
    call_close(&call);
    return code;
}

void views_close(struct views *views)
{
    for (size_t i = 0; i < views->count; i++) {
        free(views->list[i].name);
        free(views->list[i].fixed);
        free(views->list[i].no_slope);
        actgen_kernel_free(views->list[i].slope);
    }
    free(views->list);
    *views = (struct views){0};
}

static bool is_input(const struct views *views, const char *name)
{
    bool found = false;
    for (size_t i = 0; i < views->count && !found; i++) {
        struct call call;
        call_open(&call, views->list[i].kernel);
        found = call_place(&call, name, false) != NULL;
        call_close(&call);
    }
    return found;
}

int views_check(const struct views *views, const struct options *options)
{
    if (options->vary && !is_input(views, options->vary))
        return usage_error(options->command, "--vary: no kernel has an input '%s'", options->vary);
    for (size_t i = 0; i < options->value_count; i++)
        if (!is_input(views, options->values[i].name))
            return usage_error(options->command, "--value: no kernel has an input '%s'",
                               options->values[i].name);
    return EXIT_GOOD;
}

/* ---- probes ---- */

/* Returns the value of an input of the slope. Inputs of the kernel keep their values. The input d_<result> of
 * the view's own result is 1, and those of other results are 0. */
static double slope_input(const struct probe *p, const char *name)
{
    if (call_place(&p->value, name, false)) return given_value(p->view, name);
    return !strncmp(name, "d_", 2) && !strcmp(name + 2, p->view->result);
}

void probe_open(struct probe *p, const struct view *v)
{
    *p = (struct probe){.view = v};
    call_open(&p->value, v->kernel);
    p->x = call_place(&p->value, v->input, false);
    p->y = call_place(&p->value, v->result, true);
    p->x_number = (size_t)(p->x - p->value.places);
    p->inputs = must_allocate(p->value.count, sizeof *p->inputs);
    for (size_t i = 0; i < p->value.count && !p->value.places[i].is_result; i++) {
        const struct place *place = &p->value.places[i];
        element_put(place->element, place->type, given_value(v, place->name));
        p->inputs[i] = element_get(place->element, place->type);
    }
    if (!v->slope) return;
    call_open(&p->slope, v->slope);
    p->slope_x = call_place(&p->slope, v->input, false);
    p->slope_y = &p->slope.places[p->slope.count - 1];
    for (size_t i = 0; i + 1 < p->slope.count; i++)
        element_put(p->slope.places[i].element, p->slope.places[i].type,
                    slope_input(p, p->slope.places[i].name));
}

void probe_close(struct probe *p)
{
    free(p->inputs);
    call_close(&p->value);
    if (p->slope.kernel) call_close(&p->slope);
}

double probe_round(struct probe *p, double x)
{
    return element_put(p->x->element, p->x->type, x) ? element_get(p->x->element, p->x->type) : NAN;
}

double probe_value(struct probe *p, double x)
{
    return element_put(p->x->element, p->x->type, x) ? call_run(&p->value, p->y) : NAN;
}

double probe_slope(struct probe *p, double x)
{
    if (!p->slope.kernel || (p->slope_x && !element_put(p->slope_x->element, p->slope_x->type, x)))
        return NAN;
    return call_run(&p->slope, p->slope_y);
}

bool probe_truth(struct probe *p, double x, double *truth)
{
    p->inputs[p->x_number] = x;
    return !actgen_reference(p->view->kernel, p->view->result_number, p->inputs, truth, NULL);
}
