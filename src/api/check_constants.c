/* Refuses constants that are infinite or NaN where they can only be a slip: `1/0 + x` is infinite at every
 * input. An infinity that is named stays, since `max(x, -inf)` and `where(m > -inf, ...)` mean it; so does
 * any constant that is a branch of a choice, which is how a formula says that its result is NaN somewhere. */
#include "api.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct checking {
    const struct spec *spec;
    arena *memory;
    bool *seen; /* by node id */
    struct diag *error;
};

/* Returns the constant's value as a double: an infinity, NaN or 0 only where that is the exact value; 1
 * where nothing is known. */
static double value_of(const expr *e)
{
    enum { BITS = 64 };
    double value = 1, none = 0;
    bool is_zero = false;
    mpfr_t wide; /* has exponents that doubles lack */
    reference *truth = reference_create(e, e, 0);
    if (!truth) return value;
    mpfr_init2(wide, BITS);
    if (reference_value(truth, &none, &value, &is_zero) != REFERENCE_DECIDED || (value == 0 && !is_zero))
        value = 1;
    if (isinf(value) && reference_precise(truth, &none, BITS, wide) == REFERENCE_DECIDED && !mpfr_inf_p(wide))
        value = 1;
    mpfr_clear(wide);
    reference_free(truth);
    return value;
}

/* Puts the error where the file has the operation `at`. A template that no file calls has no place. */
static int refuse(const struct checking *c, const expr *at, const expr *constant, const char *what)
{
    enum { LONGEST = 60 };
    const struct spec *s = c->spec;
    struct text t = text_new(c->memory);
    expr_print(&t, constant, NULL);
    if (t.length > LONGEST) memcpy(t.data + LONGEST - 3, "...", 4);
    for (uint32_t i = 0; i < s->constant_count; i++)
        if (s->constants[i].value == at)
            return diag_at(c->error, DIAG_SYNTAX, s->text, s->constants[i].place, what, t.data);
    return diag_set(c->error, DIAG_SYNTAX, what, t.data);
}

static int check_constant(const struct checking *c, const expr *e)
{
    if (!expr_arity(e->kind) || expr_is_truth(e)) return DIAG_OK;
    const double value = value_of(e);
    if (isnan(value))
        return refuse(c, e, e,
                      "the constant `%s` has no value (NaN); a result that is NaN in some cases has it as a "
                      "branch of its own: `if x < 0 then 0/0 else sqrt(x)`");
    if (isinf(value) && !expr_has(c->memory, e, EXPR_INFINITY))
        return refuse(c, e, e,
                      "the constant `%s` is infinite; an infinity that is meant is written `inf` or `-inf`");
    return DIAG_OK;
}

/* The greatest constants below a node that is none itself. */
static int check_operands(const struct checking *c, const expr *e)
{
    for (unsigned k = 0; k < expr_arity(e->kind); k++) {
        const expr *operand = e->operand[k];
        const bool is_branch = e->kind == EXPR_IF && k > 0;
        if (!expr_is_constant(operand) || is_branch) continue;
        if (e->kind == EXPR_DIV && k == 1 && value_of(operand) == 0)
            return refuse(c, e, operand, "the divisor `%s` is 0");
        if (c->seen[operand->id]) continue;
        c->seen[operand->id] = true;
        const int status = check_constant(c, operand);
        if (status) return status;
    }
    return DIAG_OK;
}

/* Returns whether operand k of a choice is never chosen, since its condition is constant. */
static bool is_never_chosen(const struct checking *c, const expr *e, unsigned k)
{
    expr_dag *dag = c->spec->dag;
    if (e->kind != EXPR_IF || !k || !expr_is_constant(e->operand[0])) return false;
    const expr *holds = expr_if(dag, e->operand[0], expr_integer(dag, 1), expr_integer(dag, 2));
    return holds->kind == EXPR_IF && value_of(holds) == (k == 1 ? 2 : 1);
}

static int check_formula(const struct checking *c, const expr *e)
{
    uint32_t count;
    if (!e) return DIAG_OK;
    if (expr_is_constant(e)) return check_constant(c, e);
    const expr *const *nodes = expr_walk(c->memory, e, &count);
    bool *is_used = arena_alloc(c->memory, (size_t)e->id + 1);
    int status = DIAG_OK;
    is_used[e->id] = true;
    for (uint32_t i = count; i-- > 0 && !status;) { /* users before their operands */
        const expr *node = nodes[i];
        if (!is_used[node->id] || expr_is_constant(node)) continue;
        for (unsigned k = 0; k < expr_arity(node->kind); k++)
            if (!is_never_chosen(c, node, k)) is_used[node->operand[k]->id] = true;
        status = check_operands(c, node);
    }
    return status;
}

int check_constants(const struct spec *s, struct diag *error)
{
    arena *memory = expr_dag_memory(s->dag);
    const struct checking c = {s, memory, arena_alloc(memory, expr_dag_count(s->dag) + 1), error};
    int status = DIAG_OK;
    for (uint32_t i = 0; i < s->function_count && !status; i++)
        status = check_formula(&c, s->functions[i].value);
    for (uint32_t i = 0; i < s->kernel_count && !status; i++) {
        const struct spec_kernel *k = &s->kernels[i];
        for (uint32_t n = 0; n < k->total_count && !status; n++)
            status = check_formula(&c, k->totals[n].value);
        for (uint32_t n = 0; n < k->result_count && !status; n++)
            status = check_formula(&c, k->results[n].value);
    }
    return status;
}
