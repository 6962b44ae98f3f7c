/* Refuses constants that are infinite or NaN where they can only be a mistake. `1/0 + x` for example is
 * infinite at every input. Two kinds of constants are allowed. An infinity that has a name is meant, as in
 * `max(x, -inf)` and `where(m > -inf, ...)`. Any constant may be a branch of a choice, because a formula says
 * so that its result is NaN somewhere. */
#include "api.h"
#include "constants.h"

#include <string.h>

struct checking {
    const struct spec *spec;
    arena *memory;
    bool *seen; /* Indexed by node id. */
    struct constants *constants;
    struct diag *error;
};

/* Reports the error at the place of operation `at` in the file. A template that no file calls has no
 * place. */
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
    const enum constant_kind kind = constants_kind(c->constants, e);
    if (kind == CONSTANT_NAN)
        return refuse(c, e, e,
                      "the constant `%s` has no value (NaN); a result that is NaN in some cases has it as a "
                      "branch of its own: `if x < 0 then 0/0 else sqrt(x)`");
    if (kind == CONSTANT_INFINITE && !expr_has(c->memory, e, EXPR_INFINITY))
        return refuse(c, e, e,
                      "the constant `%s` is infinite; an infinity that is meant is written `inf` or `-inf`");
    return DIAG_OK;
}

/* Checks the largest constants directly below a node that is not constant itself. */
static int check_operands(const struct checking *c, const expr *e)
{
    for (unsigned k = 0; k < expr_arity(e->kind); k++) {
        const expr *operand = e->operand[k];
        const bool is_branch = e->kind == EXPR_IF && k > 0;
        if (!expr_is_constant(operand) || is_branch) continue;
        if (e->kind == EXPR_DIV && k == 1 && constants_kind(c->constants, operand) == CONSTANT_ZERO)
            return refuse(c, e, operand, "the divisor `%s` is 0");
        if (c->seen[operand->id]) continue;
        c->seen[operand->id] = true;
        const int status = check_constant(c, operand);
        if (status) return status;
    }
    return DIAG_OK;
}

/* Returns true if operand k of a choice is never chosen, because the condition is constant. */
static bool is_never_chosen(const struct checking *c, const expr *e, unsigned k)
{
    if (e->kind != EXPR_IF || !k || !expr_is_constant(e->operand[0])) return false;
    return constants_truth(c->constants, e->operand[0]) == (k == 1 ? TRUTH_FALSE : TRUTH_TRUE);
}

static int check_formula(const struct checking *c, const expr *e)
{
    uint32_t count;
    if (expr_is_constant(e)) return check_constant(c, e);
    const expr *const *nodes = expr_walk(c->memory, e, &count);
    bool *is_used = arena_alloc(c->memory, (size_t)e->id + 1);
    int status = DIAG_OK;
    is_used[e->id] = true;
    for (uint32_t i = count; i-- > 0 && !status;) { /* Users come before their operands. */
        const expr *node = nodes[i];
        if (!is_used[node->id] || expr_is_constant(node)) continue;
        for (unsigned k = 0; k < expr_arity(node->kind); k++)
            if (!is_never_chosen(c, node, k)) is_used[node->operand[k]->id] = true;
        status = check_operands(c, node);
    }
    return status;
}

static void add_formula(arena *memory, const expr ***list, uint32_t *count, const expr *e)
{
    if (!e) return;
    *list = arena_with_room(memory, *list, *count, sizeof **list);
    (*list)[(*count)++] = e;
}

static const expr **list_formulas(arena *memory, const struct spec *s, uint32_t *count)
{
    const expr **list = NULL;
    *count = 0;
    for (uint32_t i = 0; i < s->function_count; i++) add_formula(memory, &list, count, s->functions[i].value);
    for (uint32_t i = 0; i < s->kernel_count; i++) {
        const struct spec_kernel *k = &s->kernels[i];
        for (uint32_t n = 0; n < k->total_count; n++) add_formula(memory, &list, count, k->totals[n].value);
        for (uint32_t n = 0; n < k->result_count; n++) add_formula(memory, &list, count, k->results[n].value);
    }
    return list;
}

int check_constants(const struct spec *s, struct progress *progress, struct diag *error)
{
    arena *memory = expr_dag_memory(s->dag);
    uint32_t count;
    const expr **formulas = list_formulas(memory, s, &count);
    const struct checking c = {s, memory, arena_alloc(memory, expr_dag_count(s->dag) + 1),
                               constants_create(memory, formulas, count, progress), error};
    int status = c.constants ? DIAG_OK : diag_out_of_memory(error);
    progress_begin(progress, "reading", 0);
    for (uint32_t i = 0; i < count && !status; i++) {
        status = check_formula(&c, formulas[i]);
        if (!status && !progress_goes_on(progress))
            status = diag_set(error, DIAG_STOPPED, "stopped while reading");
    }
    constants_free(c.constants);
    return status;
}
