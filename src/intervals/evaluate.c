/* Walks an expression's nodes, operands first, and keeps an interval for each. */
#include "evaluate.h"

#include <stdlib.h>

const mpfr_prec_t level_precision[LEVEL_COUNT] = {96, 144, 288, 576, 1152, 2304, 4608, 8192, 32768, 131072};

/* The most bits with which sizes beyond MPFR's range are computed. Such a size is e to a number of at most
 * 2^64. If this many bits of it decide nothing, more bits do not either. A logarithm with 131,072 bits takes
 * 50 ms. */
enum { MOST_BITS_OF_SIZE = 8192 };

/* The level from which on rational values are known exactly. Few inputs need it. */
enum { RATIONAL_LEVEL = 2 };
/* The level from which on a node may take a millisecond. */
enum { SLOW_LEVEL = 5 };

/* The values at one precision. Making a level evaluates the constants once. No level is made after the work
 * was stopped. */
struct level {
    bool rational;
    interval *values;             /* indexed by place in the evaluator's nodes */
    struct magnitude *magnitudes; /* indexed likewise, or NULL: see MOST_BITS_OF_SIZE */
    interval scratch[INTERVAL_SCRATCH];
};

void evaluator_prepare(struct evaluator *e, arena *memory, const expr *root)
{
    e->nodes = expr_walk(memory, root, &e->count);
    e->operands = expr_operand_places(memory, e->nodes, e->count);
}

static void level_free(struct level *level, uint32_t count)
{
    if (!level) return;
    for (uint32_t i = 0; i < count; i++) interval_clear(&level->values[i]);
    for (uint32_t i = 0; level->magnitudes && i < count; i++) magnitude_clear(&level->magnitudes[i]);
    for (int i = 0; i < INTERVAL_SCRATCH; i++) interval_clear(&level->scratch[i]);
    free(level->values);
    free(level->magnitudes);
    free(level);
}

void evaluator_clear(struct evaluator *e)
{
    for (int i = 0; i < LEVEL_COUNT; i++) level_free(e->levels[i], e->count);
    rationals_clear(&e->rationals);
}

/* Evaluates a difference, quotient or comparison of a node with itself. It is exact, whatever the
 * interval. */
static bool same_operand(enum expr_kind kind, interval *r, const interval *a)
{
    if (a->state != INTERVAL_DEFINED || !mpfr_number_p(a->lo) || !mpfr_number_p(a->hi)) return false;
    r->state = INTERVAL_DEFINED;
    switch (kind) {
    case EXPR_SUB: interval_integer(r, 0); return true;
    case EXPR_DIV:
        if (mpfr_sgn(a->lo) <= 0 && mpfr_sgn(a->hi) >= 0) return false;
        interval_integer(r, 1);
        return true;
    case EXPR_LT: r->truth = TRUTH_FALSE; return true;
    case EXPR_LE:
    case EXPR_EQ: r->truth = TRUTH_TRUE; return true;
    default: return false;
    }
}

static enum truth negate(enum truth t)
{
    return t == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : t == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
}

/* Combines truth values by and, or. `decisive` is the value of one operand that decides the result: false for
 * and, true for or. */
static void connect(interval *r, const interval *a, const interval *b, enum truth decisive)
{
    bool a_decides = a->state == INTERVAL_DEFINED && a->truth == decisive;
    bool b_decides = b->state == INTERVAL_DEFINED && b->truth == decisive;
    if (interval_inherit(r, a, b)) return;
    if (a_decides || b_decides)
        r->truth = decisive;
    else
        r->truth = a->truth == TRUTH_UNKNOWN || b->truth == TRUTH_UNKNOWN ? TRUTH_UNKNOWN : negate(decisive);
}

static void choose(interval *r, const interval *condition, const interval *then, const interval *otherwise)
{
    if (interval_inherit(r, condition, NULL)) return;
    switch (condition->truth) {
    case TRUTH_TRUE: interval_copy(r, then); break;
    case TRUTH_FALSE: interval_copy(r, otherwise); break;
    case TRUTH_UNKNOWN: interval_hull(r, then, otherwise); break;
    }
}

static void cast(interval *r, const interval *a, enum element_type type)
{
    if (element_types[type].format.precision)
        interval_cast(r, a, type);
    else /* no arithmetic is done in these types */
        interval_doubtful(r);
}

static void evaluate_leaf(interval *r, const expr *node, mpfr_srcptr const *inputs)
{
    switch (node->kind) {
    case EXPR_NUMBER: interval_ratio(r, node->number); break;
    case EXPR_PI: interval_pi(r); break;
    case EXPR_INFINITY:
        r->state = INTERVAL_DEFINED;
        mpfr_set_inf(r->lo, 1);
        mpfr_set_inf(r->hi, 1);
        break;
    default: /* EXPR_INPUT */
        r->state = INTERVAL_DEFINED;
        mpfr_set(r->lo, inputs[node->input], MPFR_RNDD);
        mpfr_set(r->hi, inputs[node->input], MPFR_RNDU);
        break;
    }
}

static void evaluate_node(interval *r, const expr *node, const interval *const *operand, interval *scratch)
{
    const interval *a = operand[0], *b = operand[1];
    if (a == b && same_operand(node->kind, r, a)) return;
    switch (node->kind) {
    case EXPR_ADD: interval_add(r, a, b); break;
    case EXPR_SUB: interval_sub(r, a, b); break;
    case EXPR_MUL: interval_mul(r, a, b); break;
    case EXPR_DIV: interval_div(r, a, b); break;
    case EXPR_NEG: interval_neg(r, a); break;
    case EXPR_POWER: interval_power(r, a, node->number, scratch); break;
    case EXPR_MIN: interval_min(r, a, b); break;
    case EXPR_MAX: interval_max(r, a, b); break;
    case EXPR_CAST: cast(r, a, node->type); break;
    case EXPR_IF: choose(r, a, b, operand[2]); break;
    case EXPR_LT: interval_less(r, a, b); break;
    case EXPR_LE: interval_less_equal(r, a, b); break;
    case EXPR_EQ: interval_equal(r, a, b); break;
    case EXPR_NOT:
        if (!interval_inherit(r, a, NULL)) r->truth = negate(a->truth);
        break;
    case EXPR_AND: connect(r, a, b, TRUTH_FALSE); break;
    case EXPR_OR: connect(r, a, b, TRUTH_TRUE); break;
#define FUNCTION(name, ...)                                                                                  \
    case EXPR_##name:                                                                                        \
        interval_##name(r, a, scratch);                                                                      \
        break;
#include "functions.def"
#undef FUNCTION
    default: interval_undefined(r); break; /* leaves do not get here */
    }
}

void evaluator_step(const struct evaluator *e, interval *values, struct magnitude *magnitudes,
                    interval *scratch, uint32_t i, mpfr_srcptr const *inputs)
{
    const interval *operand[3] = {NULL, NULL, NULL};
    unsigned arity = expr_arity(e->nodes[i]->kind);
    for (unsigned k = 0; k < arity; k++) operand[k] = &values[e->operands[i][k]];
    if (arity)
        evaluate_node(&values[i], e->nodes[i], operand, scratch);
    else
        evaluate_leaf(&values[i], e->nodes[i], inputs);
    if (magnitudes) magnitude_find(&(struct magnitudes){e->nodes, e->operands, values, magnitudes}, i);
}

static void evaluate_at_level(struct evaluator *e, struct level *level, uint32_t i, mpfr_srcptr const *inputs)
{
    evaluator_step(e, level->values, level->magnitudes, level->scratch, i, inputs);
    if (!level->rational) return;
    const interval *condition = e->nodes[i]->kind == EXPR_IF ? &level->values[e->operands[i][0]] : NULL;
    const bool chosen = condition && condition->state == INTERVAL_DEFINED;
    const enum truth truth = chosen ? condition->truth : TRUTH_UNKNOWN;
    rationals_evaluate(&e->rationals, i, e->nodes[i], e->operands[i], truth, inputs, level->values);
    rationals_refine(&e->rationals, i, e->nodes[i], e->operands[i], &level->values[i]);
}

static struct level *level_make(struct evaluator *e, unsigned number)
{
    if (e->levels[number]) return e->levels[number];
    const bool rational =
        number < RATIONAL_LEVEL || e->rationals.count || rationals_create(&e->rationals, e->count);
    const bool has_sizes = level_precision[number] <= MOST_BITS_OF_SIZE;
    struct level *level = rational ? malloc(sizeof *level) : NULL;
    interval *values = level ? malloc(e->count * sizeof *values) : NULL;
    struct magnitude *magnitudes = values && has_sizes ? calloc(e->count, sizeof *magnitudes) : NULL;
    if (!values || (has_sizes && !magnitudes)) {
        free(values);
        free(level);
        arena_fail(e->nodes[0]->memory);
        return NULL;
    }
    level->values = values;
    level->magnitudes = magnitudes;
    level->rational = number >= RATIONAL_LEVEL;
    for (uint32_t i = 0; i < e->count; i++) interval_init(&values[i], level_precision[number]);
    for (int i = 0; i < INTERVAL_SCRATCH; i++) interval_init(&level->scratch[i], level_precision[number]);
    bool goes_on = true;
    for (uint32_t i = 0; i < e->count && goes_on; i++) {
        if (expr_is_constant(e->nodes[i])) evaluate_at_level(e, level, i, NULL);
        goes_on = progress_goes_on(e->progress);
    }
    if (goes_on) return e->levels[number] = level;
    level_free(level, e->count);
    return NULL;
}

const interval *evaluator_run(struct evaluator *e, unsigned level_number, mpfr_srcptr const *inputs,
                              bool *strained)
{
    struct level *level = level_make(e, level_number);
    if (!level) return NULL;
    mpfr_clear_flags();
    for (uint32_t i = 0; i < e->count; i++) {
        if (level_number >= SLOW_LEVEL && !progress_goes_on(e->progress)) return NULL;
        if (!expr_is_constant(e->nodes[i])) evaluate_at_level(e, level, i, inputs);
    }
    *strained = mpfr_overflow_p() || mpfr_underflow_p();
    return &level->values[e->count - 1];
}

enum truth evaluator_truth(struct evaluator *e, unsigned level_number, uint32_t node)
{
    struct level *level = level_make(e, level_number);
    const interval *known = level && expr_is_constant(e->nodes[node]) ? &level->values[node] : NULL;
    return known && known->state == INTERVAL_DEFINED ? known->truth : TRUTH_UNKNOWN;
}

const interval *evaluator_constant(struct evaluator *e, unsigned level_number, uint32_t node)
{
    struct level *level = level_make(e, level_number);
    if (!level || !expr_is_constant(e->nodes[node]) || expr_is_truth(e->nodes[node])) return NULL;
    return &level->values[node];
}
