/* Formulas as steps on blocks of lanes. */
#include "written.h"

#include "interp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 256 };

struct step {
    enum expr_kind
        kind; /* EXPR_INPUT, EXPR_NUMBER for any constant, arithmetic; EXPR_KIND_COUNT for a piece */
    uint32_t operand[3]; /* steps */
    uint32_t index;      /* of the kernel's operand, or of the piece */
    uint64_t inputs;     /* bit i: depends on operand i */
    float constant;
};

struct written {
    const struct verify_subject *subject;
    struct step *steps;
    uint32_t count;
    uint32_t *results; /* the step of each of the subject's results */
};

struct making {
    arena *memory;
    expr_dag *dag;
    struct written *w;
    const expr **pieces; /* the subject's, in this DAG */
    const expr **made;   /* by step: the node it computes */
    uint32_t capacity;
    bool impossible;
};

static bool is_leaf(const expr *e, const expr *root)
{
    return e->kind == EXPR_INPUT || (e->kind == EXPR_CAST && e != root);
}

/* Whether a leaf is reached from `root` on a way that avoids `barrier`. */
static bool escapes(arena *memory, const expr *root, const expr *barrier)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, root, &count);
    bool *reached = arena_alloc(memory, (size_t)root->id + 1);
    reached[root->id] = root != barrier;
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        if (!reached[e->id]) continue;
        if (is_leaf(e, root)) return true;
        for (unsigned k = 0; k < expr_arity(e->kind); k++)
            if (e->operand[k] != barrier) reached[e->operand[k]->id] = true;
    }
    return false;
}

/* The lowest number that `root` is a function of. */
static const expr *argument_of(arena *memory, const expr *root)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, root, &count);
    for (uint32_t i = 0; i < count; i++) /* operands come before users */
        if (!expr_is_constant(nodes[i]) && !expr_is_truth(nodes[i]) && !escapes(memory, root, nodes[i]))
            return nodes[i];
    return root;
}

static uint32_t make(struct making *m, const expr *e);

static uint32_t add_step(struct making *m, const expr *e, struct step s)
{
    m->w->steps[m->w->count] = s;
    m->made[m->w->count] = e;
    return m->w->count++;
}

static uint32_t make_constant(struct making *m, const expr *e)
{
    double value = 0, none = 0;
    reference *truth = reference_create(e, e, 0);
    if (!truth || reference_rounded(truth, &none, 24, -126, 127, &value) != REFERENCE_DECIDED)
        m->impossible = true;
    reference_free(truth);
    return add_step(m, e, (struct step){.kind = EXPR_NUMBER, .constant = (float)value});
}

static uint32_t make_piece(struct making *m, const expr *e, const expr *argument)
{
    const expr *formula = expr_substitute(m->dag, e, argument, expr_input(m->dag, 0));
    struct step s = {.kind = EXPR_KIND_COUNT, .inputs = e->inputs};
    while (s.index < m->w->subject->piece_count && m->pieces[s.index] != formula) s.index++;
    m->impossible = m->impossible || s.index == m->w->subject->piece_count;
    s.operand[0] = make(m, argument);
    return add_step(m, e, s);
}

static uint32_t make_arithmetic(struct making *m, const expr *e)
{
    struct step s = {.kind = e->kind, .inputs = e->inputs};
    for (unsigned k = 0; k < expr_arity(e->kind); k++) s.operand[k] = make(m, e->operand[k]);
    return add_step(m, e, s);
}

static uint32_t make(struct making *m, const expr *e)
{
    for (uint32_t i = 0; i < m->w->count; i++)
        if (m->made[i] == e) return i;
    if (m->impossible || m->w->count + 1 >= m->capacity) {
        m->impossible = true;
        return 0;
    }
    if (e->kind == EXPR_INPUT)
        return add_step(m, e, (struct step){.kind = EXPR_INPUT, .index = e->input, .inputs = e->inputs});
    if (e->kind == EXPR_CAST) return make(m, e->operand[0]); /* to f32, which every value is */
    if (expr_is_constant(e) && !expr_is_truth(e)) return make_constant(m, e);
    const expr *argument = expr_is_truth(e) ? e : argument_of(m->memory, e);
    return argument == e ? make_arithmetic(m, e) : make_piece(m, e, argument);
}

const struct written *written_create(arena *memory, const struct verify_subject *subject)
{
    enum { NODES = 1 << 16 };
    struct making m = {.memory = memory, .dag = expr_dag_create(memory, NODES), .capacity = 1 << 14};
    struct written *w = m.w = arena_alloc(memory, sizeof *w);
    w->subject = subject;
    w->steps = arena_alloc(memory, m.capacity * sizeof *w->steps);
    m.made = arena_alloc(memory, m.capacity * sizeof *m.made);
    w->results = arena_alloc(memory, (subject->result_count + 1) * sizeof *w->results);
    m.pieces = arena_alloc(memory, (subject->piece_count + 1) * sizeof *m.pieces);
    for (uint32_t i = 0; i < subject->piece_count; i++)
        m.pieces[i] = expr_import(m.dag, subject->pieces[i].written);
    for (uint32_t i = 0; i < subject->result_count; i++)
        w->results[i] = make(&m, expr_import(m.dag, subject->results[i].written));
    return m.impossible || expr_dag_full(m.dag) ? NULL : w;
}

/* ---- running ---- */

struct written_run {
    const struct written *w;
    interp **pieces;
    float *lanes; /* BLOCK a step; truth values are 0 or 1 */
};

struct written_run *written_run_create(const struct written *w)
{
    struct written_run *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    const uint32_t count = w->subject->piece_count;
    r->w = w;
    r->pieces = calloc((size_t)count + 1, sizeof *r->pieces);
    r->lanes = malloc(((size_t)w->count + 1) * BLOCK * sizeof *r->lanes);
    bool complete = r->pieces && r->lanes;
    for (uint32_t i = 0; complete && i < count; i++) {
        r->pieces[i] = interp_create(w->subject->pieces[i].program);
        complete = r->pieces[i] != NULL;
    }
    if (complete) return r;
    written_run_free(r);
    return NULL;
}

void written_run_free(struct written_run *r)
{
    if (!r) return;
    for (uint32_t i = 0; r->pieces && i < r->w->subject->piece_count; i++) interp_free(r->pieces[i]);
    free(r->pieces);
    free(r->lanes);
    free(r);
}

/* One operation with its one rounding; a NaN in either number is the result of min and max. */
static float apply(enum expr_kind kind, float a, float b, float c)
{
    switch (kind) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    case EXPR_DIV: return a / b;
    case EXPR_MIN: return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
    case EXPR_MAX: return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
    case EXPR_IF: return a != 0 ? b : c;
    case EXPR_LT: return a < b;
    case EXPR_LE: return a <= b;
    case EXPR_EQ: return a == b;
    case EXPR_NOT: return a == 0;
    case EXPR_AND: return a != 0 && b != 0;
    case EXPR_OR: return a != 0 || b != 0;
    default: return NAN;
    }
}

/* A NaN in any operand that a choice depends on is the result. */
static bool has_nan(uint64_t inputs, float *const *operands, uint32_t operand_count, size_t lane)
{
    for (uint32_t k = 0; k < operand_count && k < 64; k++)
        if (inputs >> k & 1 && isnan(operands[k][lane])) return true;
    return false;
}

static void run_step(struct written_run *r, uint32_t number, float *const *operands, size_t first,
                     size_t count)
{
    const struct step *s = &r->w->steps[number];
    float *out = r->lanes + (size_t)number * BLOCK;
    float *a = r->lanes + (size_t)s->operand[0] * BLOCK, *b = r->lanes + (size_t)s->operand[1] * BLOCK,
          *c = r->lanes + (size_t)s->operand[2] * BLOCK;
    if (s->kind == EXPR_INPUT) {
        memcpy(out, operands[s->index] + first, count * sizeof *out);
    } else if (s->kind == EXPR_KIND_COUNT) {
        interp_run(r->pieces[s->index], (void *[]){a, out}, count);
    } else {
        const uint32_t operand_count = r->w->subject->kernel->operand_count;
        for (size_t i = 0; i < count; i++) {
            const bool nan = s->kind == EXPR_IF && has_nan(s->inputs, operands, operand_count, first + i);
            out[i] = s->kind == EXPR_NUMBER ? s->constant : nan ? NAN : apply(s->kind, a[i], b[i], c[i]);
        }
    }
}

static bool same(float a, float b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

uint64_t written_differ(struct written_run *r, float *const *operands, size_t count)
{
    const struct verify_subject *s = r->w->subject;
    uint64_t differ = 0;
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        for (uint32_t i = 0; i < r->w->count; i++) run_step(r, i, operands, first, n);
        for (size_t lane = 0; lane < n; lane++) {
            bool differs = false;
            for (uint32_t k = 0; k < s->result_count; k++)
                differs |= !same(r->lanes[(size_t)r->w->results[k] * BLOCK + lane],
                                 operands[s->results[k].operand][first + lane]);
            differ += differs;
        }
    }
    return differ;
}
