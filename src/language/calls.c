/* Elaborates calls: functions of the spec, which are inlined, elementary functions, min, max, clamp, diff,
 * and casts. */
#include "made_inputs.h"
#include "nearest.h"
#include "spellings.h"

#include <string.h>

/* Returns the calls that led back to `d`, as "f -> g -> f". */
static const char *circle(struct program *p, const struct frame *f, const struct declaration *d)
{
    struct text t = text_new(p->memory);
    const char *names[8];
    int count = 0;
    for (; f && f->declaration && count < 7; f = f->caller) {
        names[count++] = f->declaration->name;
        if (f->declaration == d) break;
    }
    while (count > 0) text_add(&t, "%s -> ", names[--count]);
    text_add(&t, "%s", d->name);
    return t.data;
}

/* Returns true if the parameter has this name, as its first or as another one. */
static bool is_named(const struct syntax_parameter *parameter, const char *name)
{
    const struct syntax_name *other = parameter->other;
    while (other && strcmp(other->name, name) != 0) other = other->next;
    return other || !strcmp(parameter->name, name);
}

static const struct argument *find_keyword(const struct call *call, const struct syntax_parameter *parameter)
{
    for (const struct argument *i = call->keywords; i; i = i->next)
        if (is_named(parameter, i->name)) return i;
    return NULL;
}

/* Returns the names as a list such as "`a`, `b`", or NULL if there are none. */
static const char *list_of(struct program *p, const char *const *names, uint32_t count)
{
    struct text t = text_new(p->memory);
    for (uint32_t i = 0; i < count; i++) text_add(&t, "%s`%.64s`", i ? ", " : "", names[i]);
    return count ? t.data : NULL;
}

/* Reports a parameter that the function lacks. Gives the advice of the table of spellings, the nearest
 * parameter `near`, or the list `all` of parameters. `near` and `all` may be NULL. */
static bool refuse_parameter(struct program *p, const struct frame *f, const struct call *s,
                             const struct argument *parameter, const char *near, const char *all)
{
    struct text key = text_new(p->memory);
    text_add(&key, "%s.%s", s->name, parameter->name);
    const size_t dot = strlen(s->name);
    const char *advice = spelling_advice(SPELLING_PARAMETER, key.data, key.length);
    if (!advice) advice = spelling_advice(SPELLING_PARAMETER, key.data + dot, key.length - dot);
    if (advice)
        return program_fail(p, f, DIAG_SYNTAX, parameter->place, "`%s` has no parameter `%.64s`; %s", s->name,
                            parameter->name, advice);
    if (!all) return program_fail(p, f, DIAG_SYNTAX, parameter->place, "`%s` has no parameters", s->name);
    return program_fail(p, f, DIAG_SYNTAX, parameter->place,
                        near ? "`%s` has no parameter `%.64s`; did you mean `%s`?"
                             : "`%s` has no parameter `%.64s`; it has %.0s%s",
                        s->name, parameter->name, near ? near : "", all);
}

/* Returns the parameter of the function that has this name, or NULL. */
static const struct syntax_parameter *find_parameter(const struct declaration *d, const char *name)
{
    const struct syntax_parameter *parameters = d->parameters + d->argument_count;
    for (uint32_t i = 0; i < d->parameter_count; i++)
        if (is_named(&parameters[i], name)) return &parameters[i];
    return NULL;
}

/* Reports a parameter that the function lacks. Near names are looked for among all names of parameters. */
static bool refuse_keyword(struct program *p, const struct frame *f, const struct call *s,
                           const struct declaration *d, const struct argument *k)
{
    const struct syntax_parameter *parameters = d->parameters + d->argument_count;
    uint32_t first = d->parameter_count, all = first;
    for (uint32_t i = 0; i < first; i++)
        for (const struct syntax_name *n = parameters[i].other; n; n = n->next) all++;
    const char **names = arena_alloc(p->memory, (all + 1) * sizeof *names);
    for (uint32_t i = 0, count = first; i < first; i++) {
        names[i] = parameters[i].name;
        for (const struct syntax_name *n = parameters[i].other; n; n = n->next) names[count++] = n->name;
    }
    return refuse_parameter(p, f, s, k, nearest_name(k->name, names, all), list_of(p, names, first));
}

static bool check_keywords(struct program *p, const struct frame *f, const struct call *s,
                           const struct declaration *d)
{
    for (const struct argument *k = s->keywords; k; k = k->next) {
        const struct syntax_parameter *known = find_parameter(d, k->name);
        if (!known) return refuse_keyword(p, f, s, d, k);
        const struct argument *first = find_keyword(s, known);
        if (first == k) continue;
        if (!strcmp(first->name, k->name))
            return program_fail(p, f, DIAG_SYNTAX, k->place, "the parameter `%s` is given twice", k->name);
        return program_fail(p, f, DIAG_SYNTAX, k->place,
                            "the parameter `%s` is given twice: `%s` and `%s` are names of it", known->name,
                            first->name, k->name);
    }
    return true;
}

static bool check_count(struct program *p, const struct frame *f, const struct call *s, uint32_t wanted)
{
    if (s->argument_count == wanted) return true;
    const char *advice = spelling_advice(SPELLING_ARGUMENTS, s->name, strlen(s->name));
    return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` takes %u argument%s, here %s %u%s%s", s->name,
                        wanted, wanted == 1 ? "" : "s", s->argument_count == 1 ? "is" : "are",
                        s->argument_count, advice ? "; " : "", advice ? advice : "");
}

/* Refuses arguments that are too many. They may be meant for parameters, so the message shows the call with
 * names, as in "write `leaky_relu(x, slope = 0.2)`". */
static bool refuse_more(struct program *p, const struct frame *f, const struct call *s,
                        const struct declaration *d)
{
    if (s->argument_count > d->argument_count + d->parameter_count || !d->parameter_count || s->keywords)
        return check_count(p, f, s, d->argument_count);
    struct text t = text_new(p->memory);
    const struct argument *a = s->arguments;
    for (uint32_t i = 0; i < s->argument_count; i++, a = a->next) {
        if (i) text_add(&t, ", ");
        const char *parameter = i < d->argument_count ? NULL : d->parameters[i].name;
        const struct span value = a->value.place;
        const char *given = f->source->text + value.offset;
        const bool is_its_name = parameter && strlen(parameter) == value.length &&
                                 !memcmp(parameter, given, value.length) && !frame_find(f, parameter);
        if (parameter) text_add(&t, "%s = ", parameter);
        if (is_its_name) /* leaky_relu(x, slope), where nothing has that name */
            text_add(&t, "1");
        else
            text_bytes(&t, given, value.length);
    }
    return program_fail(p, f, DIAG_SYNTAX, s->place,
                        "`%s` takes %u argument%s, here are %u; parameters have names, so write `%s(%.200s)`",
                        s->name, d->argument_count, d->argument_count == 1 ? "" : "s", s->argument_count,
                        s->name, t.data);
}

/* Checks the number of arguments. Names those that are missing. */
static bool check_arguments(struct program *p, const struct frame *f, const struct call *s,
                            const struct declaration *d)
{
    if (s->argument_count > d->argument_count) return refuse_more(p, f, s, d);
    if (s->argument_count == d->argument_count) return true;
    struct text missing = text_new(p->memory);
    for (uint32_t i = s->argument_count; i < d->argument_count; i++)
        text_add(&missing, "%s`%.64s`", i == s->argument_count ? "" : ", ", d->parameters[i].name);
    const bool one = d->argument_count - s->argument_count == 1;
    return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` takes %u argument%s; %s %s missing", s->name,
                        d->argument_count, d->argument_count == 1 ? "" : "s", missing.data,
                        one ? "is" : "are");
}

static const expr *inline_function(struct program *p, struct frame *f, const struct call *s,
                                   struct declaration *d)
{
    if (d->active) return program_fail(p, f, DIAG_SYNTAX, s->sign, "recursion: %s", circle(p, f, d));
    if (!check_arguments(p, f, s, d) || !check_keywords(p, f, s, d)) return NULL;
    struct frame callee = {.source = d->source, .caller = f, .call = s, .declaration = d, .made = f->made};
    const struct argument *argument = s->arguments;
    uint32_t count = d->argument_count + d->parameter_count;
    /* In the arena, because the stack may hold many nested calls. */
    const expr **values = arena_alloc(p->memory, count * sizeof *values);
    /* All arguments are elaborated with the caller's names, before those of the callee exist. */
    for (uint32_t i = 0; i < count; i++) {
        const struct argument *given = i < d->argument_count ? argument : find_keyword(s, &d->parameters[i]);
        if (i < d->argument_count) argument = argument->next;
        if (given && !(values[i] = elaborate_number(p, f, &given->value))) return NULL;
    }
    d->active = true;
    const expr *result = NULL;
    bool good = true;
    /* A default sees the parameters before it but no arguments, so the arguments are bound last. */
    for (uint32_t i = d->argument_count; i < count && good; i++) {
        const struct syntax_parameter *parameter = &d->parameters[i];
        const expr *value = values[i] ? values[i] : elaborate_number(p, &callee, &parameter->value);
        good = value != NULL;
        if (good) frame_bind(p, &callee, parameter->name, parameter->place, value);
    }
    for (uint32_t i = 0; i < d->argument_count && good; i++)
        frame_bind(p, &callee, d->parameters[i].name, d->parameters[i].place, values[i]);
    if (good) result = elaborate_number(p, &callee, &d->body);
    d->active = false;
    return result;
}

static bool refuse_keywords(struct program *p, const struct frame *f, const struct call *s)
{
    if (!s->keywords) return true;
    return refuse_parameter(p, f, s, s->keywords, NULL, NULL);
}

/* Refuses to differentiate a total. It is one value of many elements, so its derivative by one of them is
 * not that of a formula. */
static const expr *refuse_totals(struct program *p, const struct frame *f, struct span place)
{
    return program_fail(p, f, DIAG_NOT_YET, place,
                        "a formula with a sum over the row cannot be differentiated yet");
}

/* Returns a derivative, unless it needs that of a function which has none. */
static const expr *checked_derivative(struct program *p, struct frame *f, struct span place, const expr *d)
{
    return program_has_slopes(p, f, place) ? d : NULL;
}

/* Elaborates diff(f, x). A variable replaces x in f, and x replaces the variable in the derivative. */
static const expr *elaborate_diff(struct program *p, struct frame *f, const struct call *s)
{
    const struct formula *of = &s->arguments->value, *by = &s->arguments->next->value;
    const char *name = arena_text(p->memory, f->source->text + by->place.offset, by->place.length);
    struct binding *b = by->is_name ? frame_find(f, name) : NULL;
    if (!b || b->values)
        return program_fail(p, f, DIAG_SYNTAX, by->place,
                            "expected the name of an argument or a value to differentiate by");
    b->used = true;
    const expr *value = b->value;
    /* The derivative by an operand includes values that are made of the operand. */
    if (value->kind == EXPR_INPUT && !f->declaration) {
        const expr *e = elaborate_number(p, f, of);
        if (e && (e->inputs & made_set(f->made, true))) return refuse_totals(p, f, of->place);
        return e ? checked_derivative(p, f, of->place, derivative_of(&p->calculus, p->dag, e, value)) : NULL;
    }
    if (expr_is_constant(value) && !f->declaration)
        return program_fail(p, f, DIAG_SYNTAX, by->place, "`%s` is a constant", name);
    if (made_is_full(f->made))
        return program_fail(p, f, DIAG_SYNTAX, s->place, "too many operands and `diff`s inside each other");
    const expr *variable = expr_input(p->dag, SPEC_MAX_OPERANDS - 1 - f->made->variables++);
    b->value = variable;
    const expr *e = elaborate_number(p, f, of);
    b->value = value;
    f->made->variables--;
    if (!e) return NULL;
    if (e->inputs & made_set(f->made, true)) return refuse_totals(p, f, of->place);
    if (!f->declaration) e = expr_substitute(p->dag, e, value, variable);
    const expr *d = derivative_of(&p->calculus, p->dag, e, variable);
    return checked_derivative(p, f, of->place, expr_substitute(p->dag, d, variable, value));
}

/* Elaborates min or max of two or more arguments, from left to right. If some are equal, the derivative is
 * that of a later one. */
static const expr *elaborate_extreme(struct program *p, struct frame *f, const struct call *s,
                                     enum expr_kind kind)
{
    const expr *extreme = NULL;
    if (s->argument_count < 2)
        return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` takes two or more arguments, here %s", s->name,
                            s->argument_count ? "is one" : "are none");
    for (const struct argument *item = s->arguments; item; item = item->next) {
        const expr *a = elaborate_number(p, f, &item->value);
        if (!a) return NULL;
        extreme = extreme ? expr_binary(p->dag, kind, extreme, a) : a;
        if (expr_dag_full(p->dag)) break; /* fits_in_dag() in formula.c reports it */
    }
    return extreme;
}

/* Elaborates where(condition or mask, a, b). */
static const expr *elaborate_where(struct program *p, struct frame *f, const struct call *s)
{
    const struct argument *given = s->arguments;
    const expr *condition = elaborate_choice(p, f, &given->value);
    const expr *a = condition ? elaborate_number(p, f, &given->next->value) : NULL;
    const expr *b = a ? elaborate_number(p, f, &given->next->next->value) : NULL;
    return b ? expr_if(p->dag, condition, a, b) : NULL;
}

static const expr *elaborate_special(struct program *p, struct frame *f, const struct call *s,
                                     enum special special)
{
    if (!refuse_keywords(p, f, s)) return NULL;
    if (special == SPECIAL_UNIFORM || special == SPECIAL_BERNOULLI)
        return elaborate_draw(p, f, s, special == SPECIAL_BERNOULLI);
    if (special == SPECIAL_ROW) return elaborate_row(p, f, s);
    if (special == SPECIAL_MIN || special == SPECIAL_MAX)
        return elaborate_extreme(p, f, s, special == SPECIAL_MIN ? EXPR_MIN : EXPR_MAX);
    const uint32_t wanted = special == SPECIAL_DETACH ? 1 : special == SPECIAL_DIFF ? 2 : 3;
    if (!check_count(p, f, s, wanted)) return NULL;
    if (special == SPECIAL_DETACH) return detached_total(p, f, s);
    if (special == SPECIAL_DIFF) return elaborate_diff(p, f, s);
    if (special == SPECIAL_WHERE) return elaborate_where(p, f, s);
    const expr *a[3] = {NULL};
    int i = 0;
    for (const struct argument *item = s->arguments; item; item = item->next)
        if (!(a[i++] = elaborate_number(p, f, &item->value))) return NULL;
    return expr_binary(p->dag, EXPR_MIN, expr_binary(p->dag, EXPR_MAX, a[0], a[1]), a[2]);
}

/* A formula cannot call a kernel, but it can have the formula of one whose only statement is its result's. */
static const expr *refuse_kernel(struct program *p, const struct frame *f, const struct call *s,
                                 const struct declaration *d)
{
    const struct syntax_statement *only = d->statements && !d->statements->next ? d->statements : NULL;
    const struct span all = only ? only->value.place : (struct span){0, 0};
    if (!only || all.length > 100) {
        const char *advice = spelling_find(SPELLING_FUNCTION, s->name, strlen(s->name), NULL, 0).advice;
        return program_fail(p, f, DIAG_SYNTAX, s->sign, "`%s` is a kernel; formulas call functions%s%s",
                            s->name, advice ? "; " : "", advice ? advice : "");
    }
    return program_fail(p, f, DIAG_SYNTAX, s->sign,
                        "`%s` is a kernel; formulas call functions, so write its formula, `%.*s`", s->name,
                        (int)all.length, d->source->text + all.offset);
}

const expr *elaborate_call(struct program *p, struct frame *f, const struct call *s,
                           enum operand_reduction *reduction)
{
    struct target t = program_resolve(p, f->source, s->name, false);
    *reduction = REDUCE_NONE;
    if (t.kind == TARGET_FUNCTION) return inline_function(p, f, s, t.declaration);
    if (t.kind == TARGET_SPECIAL) return elaborate_special(p, f, s, t.special);
    *reduction = reduction_named(s->name);
    if (*reduction) return elaborate_summand(p, f, s, reduction);
    if (t.kind == TARGET_KERNEL) return refuse_kernel(p, f, s, t.declaration);
    if (t.kind == TARGET_NONE) {
        if (frame_find(f, s->name))
            return program_fail(p, f, DIAG_SYNTAX, s->sign,
                                "`%s` is a value, not a function; a product is written with `*`", s->name);
        if (!strcmp(s->name, "col"))
            return program_fail(p, f, DIAG_SYNTAX, s->sign,
                                "`col` is a number, not a function; it is written without parentheses");
        const char *advice = program_advice(p, f, s->name, false, true, false);
        if (*advice)
            return program_fail(p, f, DIAG_SYNTAX, s->sign, "unknown function `%.64s`%s", s->name, advice);
        return program_fail(p, f, DIAG_SYNTAX, s->sign,
                            "unknown function `%.64s`; there are %s, and the built-in activations", s->name,
                            program_functions(p));
    }
    if (t.kind == TARGET_TYPE) return elaborate_cast(p, f, s, t.type);
    if (!refuse_keywords(p, f, s) || !check_count(p, f, s, 1)) return NULL;
    const expr *a = elaborate_number(p, f, &s->arguments->value);
    return a ? expr_unary(p->dag, t.function, a) : NULL;
}
