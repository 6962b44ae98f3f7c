/* Computes quick values of a block of inputs, node by node. */
#include "quick.h"
#include "beginning.h"
#include "quick_functions.h"
#include "ziv.h"

#include <stdlib.h>

enum { QUICK_SCRATCH = 3 };

#ifdef QUICK_LONG
#define quick               quick_long
#define quick_clear         quick_long_clear
#define reference_quick     reference_quick_long
#define STATE_OF(reference) (&(reference)->quick_long)
#define OF_MPFR             mpfr_get_ld
#define COMPARED_TO_MPFR    mpfr_cmp_ld
#define DIGITS              64
#define COARSE              0x1p-57L
#define COARSE_TINY         0x1p-1080L
#else
#define STATE_OF(reference) (&(reference)->quick)
#define OF_MPFR             mpfr_get_d
#define COMPARED_TO_MPFR    mpfr_cmp_d
#define DIGITS              53
#define COARSE              0x1p-36
#define COARSE_TINY         0x1p-300
#endif

/* The lanes of one expression's nodes. */
struct walk {
    const quick_op_table *ops;
    struct quick_lanes *lanes; /* indexed by place in the evaluator's nodes, followed by some for scratch */
    struct quick_lines lines;
};

struct quick {
    struct walk written, simplified;
};

static void fill_lanes(struct quick_lanes *r, quick_real value, quick_real error)
{
    for (size_t i = 0; i < QUICK_BLOCK; i++) {
        r->value[i] = value;
        r->error[i] = error;
    }
}

static quick_real nearest_to(mpq_srcptr q, bool *exact)
{
    mpfr_t number;
    mpfr_init2(number, DIGITS);
    *exact = mpfr_set_q(number, q, MPFR_RNDN) == 0;
    const quick_real nearest = OF_MPFR(number, MPFR_RNDN);
    mpfr_clear(number);
    return nearest;
}

/* Returns one of the scratch lanes that is neither of the two operands. */
static struct quick_lanes *unused(struct quick_lanes *scratch, quick_operand a, quick_operand b)
{
    struct quick_lanes *lanes = scratch;
    while (lanes == a || lanes == b) lanes++;
    return lanes;
}

/* Computes a power by products, as the language defines powers. The slack of each product covers underflow in
 * between. */
static void power(const struct walk *q, struct quick_lanes *restrict r, quick_operand a, mpq_srcptr exponent,
                  struct quick_lanes *scratch, size_t count)
{
    const bool by_products =
        mpz_cmp_ui(mpq_denref(exponent), 1) == 0 && mpz_cmpabs_ui(mpq_numref(exponent), 64) <= 0;
    if (!by_products) {
        bool exact;
        const quick_real rounded = nearest_to(exponent, &exact);
        fill_lanes(&scratch[0], rounded, exact ? 0 : QUICK_ROUNDING * fabs(rounded));
        (*q->ops)[EXPR_POWER](r, a, &scratch[0], NULL, count);
        return;
    }
    quick_op *times = (*q->ops)[EXPR_MUL];
    quick_operand square = a, result = NULL;
    for (unsigned long left = mpz_get_ui(mpq_numref(exponent)); left; left /= 2) {
        struct quick_lanes *next = unused(scratch, square, result);
        if (left % 2 && result) {
            times(next, result, square, NULL, count);
            result = next;
            next = unused(scratch, square, result);
        } else if (left % 2) {
            result = square;
        }
        if (left == 1) break;
        times(next, square, square, NULL, count);
        square = next;
    }
    struct quick_lanes *one = unused(scratch, square, result);
    if (!result || mpq_sgn(exponent) < 0) fill_lanes(one, 1, 0);
    if (mpq_sgn(exponent) < 0)
        (*q->ops)[EXPR_DIV](r, one, result, NULL, count);
    else
        *r = result ? *result : *one;
}

static void read_input(struct quick_lanes *restrict r, const double *restrict from, double doubt,
                       size_t count)
{
    for (size_t i = 0; i < count; i++) {
        r->value[i] = from[i];
        r->error[i] = isfinite(from[i]) ? doubt : INFINITY;
    }
}

static void quick_node(const struct walk *q, struct quick_lanes *restrict r, const expr *node,
                       const quick_operand operand[3], struct quick_lanes *scratch, size_t count)
{
    quick_op *op = (*q->ops)[node->kind];
    if (node->kind == EXPR_POWER)
        power(q, r, operand[0], node->number, scratch, count);
    else if (!op || (node->kind == EXPR_CAST && node->type != ELEMENT_F32))
        fill_lanes(r, NAN, INFINITY);
    else
        op(r, operand[0], operand[1], operand[2], count);
}

/* Returns the line of the argument if node number `i` is a sine or cosine of a line, else NULL. */
static const struct quick_line *line_of_argument(const struct walk *q, const struct evaluator *e, uint32_t i)
{
    const enum expr_kind kind = e->nodes[i]->kind;
    return q->lines.of && (kind == EXPR_sin || kind == EXPR_cos) ? q->lines.of[e->operands[i][0]] : NULL;
}

/* Improves sin or cos of a x + b where x is exact and the argument's error would dominate. */
static void turn_exactly(struct quick_lanes *restrict r, const struct quick_line *line,
                         quick_operand argument, const double *restrict x, enum expr_kind kind, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(x[i]) || !(argument->error[i] > QUICK_FUNCTION)) continue;
        const struct quick_number sine = quick_sine_of_line(line, x[i], kind == EXPR_cos);
        r->value[i] = sine.value;
        r->error[i] = sine.error;
    }
}

static void walk_clear(struct walk *q)
{
    free(q->lanes);
    quick_lines_clear(&q->lines);
}

/* Makes the lanes. Each constant is the number nearest to the true one. */
static bool make_lanes(struct walk *q, struct evaluator *e)
{
    q->lanes = malloc((e->count + QUICK_SCRATCH) * sizeof *q->lanes);
    if (!q->lanes) {
        arena_fail(e->nodes[0]->memory);
        return false;
    }
    memset(q->lanes, 0, (e->count + QUICK_SCRATCH) * sizeof *q->lanes);
    q->ops = quick_ops(0);
    struct range saved = range_widen();
    if (!quick_lines_create(&q->lines, e)) arena_fail(e->nodes[0]->memory);
    for (uint32_t i = 0; i < e->count; i++) {
        const interval *constant = evaluator_constant(e, 0, i);
        quick_real value = NAN, error = INFINITY;
        if (constant && constant->state == INTERVAL_DEFINED) {
            value = OF_MPFR(constant->lo, MPFR_RNDN);
            bool exact = interval_is_point(constant) && COMPARED_TO_MPFR(constant->lo, value) == 0;
            quick_real width = OF_MPFR(constant->hi, MPFR_RNDN) - value;
            error = quick_bound(exact ? 0 : width + 2 * QUICK_ROUNDING * fabs(value) + QUICK_TINY);
            if (!isfinite(value)) error = INFINITY;
        }
        fill_lanes(&q->lanes[i], value, error);
    }
    range_restore(saved);
    return true;
}

/* Computes the root's lanes for `count` <= QUICK_BLOCK inputs from number `first` on. The errors hold for all
 * numbers within `doubt` of an input. Returns NULL if memory runs out. */
static const struct quick_lanes *walk_run(struct walk *q, struct evaluator *e, const double *const *inputs,
                                          double doubt, size_t first, size_t count)
{
    if (!q->lanes && !make_lanes(q, e)) return NULL;
    for (uint32_t i = 0; i < e->count; i++) {
        const expr *node = e->nodes[i];
        struct quick_lanes *r = &q->lanes[i];
        const quick_operand operand[3] = {&q->lanes[e->operands[i][0]], &q->lanes[e->operands[i][1]],
                                          &q->lanes[e->operands[i][2]]};
        if (node->kind == EXPR_INPUT)
            read_input(r, inputs[node->input] + first, doubt, count);
        else if (!expr_is_constant(node) || expr_is_truth(node))
            quick_node(q, r, node, operand, &q->lanes[e->count], count);
        const struct quick_line *line = doubt == 0 ? line_of_argument(q, e, i) : NULL;
        if (line) turn_exactly(r, line, operand[0], inputs[line->input] + first, node->kind, count);
    }
    return &q->lanes[e->count - 1];
}

void quick_clear(struct quick *q)
{
    if (!q) return;
    walk_clear(&q->written);
    walk_clear(&q->simplified);
    free(q);
}

/* Returns true if the value is too coarse to decide the rounding of a float with high probability. For long
 * doubles the goal is the error of a double, to some hundredths of an ulp. */
static bool is_coarse(quick_real value, quick_real error)
{
    return error == INFINITY || (error > COARSE * fabs(value) && error > COARSE_TINY);
}

static bool any_coarse(const quick_real *value, const quick_real *error, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) any |= is_coarse(value[i], error[i]);
    return any;
}

/* Takes the other form's value where its bound is tighter. If both contradict each other, the value is
 * unknown. */
static void merge(quick_real *value, quick_real *error, quick_operand other, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_coarse(value[i], error[i]) || !(other->error[i] < error[i])) continue;
        bool apart = error[i] < INFINITY &&
                     fabs(value[i] - other->value[i]) > (error[i] + other->error[i]) * QUICK_GROW;
        value[i] = other->value[i];
        error[i] = apart ? INFINITY : other->error[i];
    }
}

#ifdef QUICK_LONG
#define BEGINNING_KNOWS(r, x, count, known) false
#else
/* Asks the series for values of the inputs. True if it knows some. */
#define BEGINNING_KNOWS(r, x, count, known)                                                                  \
    ((r)->beginning && beginning_values((r)->beginning, x, count, (known)->value, (known)->error))

void quick_around_zero(reference *r, double reach, double *value, double *error)
{
    struct walk walk = {0};
    const double zero = 0;
    const struct quick_lanes *root =
        walk_run(&walk, &r->written, (const double *const[]){&zero}, reach, 0, 1);
    *value = root ? root->value[0] : NAN;
    *error = root ? root->error[0] : INFINITY;
    walk_clear(&walk);
}
#endif

/* Computes the values by the formula, node by node. */
static void walk_block(reference *r, struct quick *q, const double *const *inputs, size_t first, size_t count,
                       quick_real *value, quick_real *error)
{
    quick_operand written = q ? walk_run(&q->written, &r->written, inputs, 0, first, count) : NULL;
    for (size_t i = 0; i < count; i++) {
        value[i] = written ? written->value[i] : NAN;
        error[i] = written ? written->error[i] : INFINITY;
    }
    if (!written || r->same || !any_coarse(value, error, count)) return;
    quick_operand simplified = walk_run(&q->simplified, &r->simplified, inputs, 0, first, count);
    if (simplified) merge(value, error, simplified, count);
}

static void quick_block(reference *r, struct quick *q, const double *const *inputs, size_t first,
                        size_t count, quick_real *value, quick_real *error)
{
    struct quick_lanes known;
    const bool begins = BEGINNING_KNOWS(r, inputs[0] + first, count, &known);
    if (begins && !any_coarse(known.value, known.error, count)) {
        memcpy(value, known.value, count * sizeof *value);
        memcpy(error, known.error, count * sizeof *error);
        return;
    }
    walk_block(r, q, inputs, first, count, value, error);
    if (begins) merge(value, error, &known, count);
    /* A NaN counts even in a branch that is not taken. */
    for (unsigned k = 0; k < r->input_count && k < 64; k++) {
        if (!expr_depends(r->root, k)) continue;
        for (size_t i = 0; i < count; i++) error[i] = isnan(inputs[k][first + i]) ? INFINITY : error[i];
    }
}

#ifndef QUICK_LONG
void reference_begin(reference *r, const struct beginning *beginning) { r->beginning = beginning; }
#endif

void reference_quick(reference *r, const double *const *inputs, size_t count, quick_real *value,
                     quick_real *error)
{
    struct quick **state = STATE_OF(r);
    const bool goes_on = progress_goes_on(r->progress);
    if (!*state) *state = calloc(1, sizeof **state);
    r->work += (uint64_t)(r->written.count + r->simplified.count) * count;
    for (size_t i = 0; !goes_on && i < count; i++)
        value[i] = (quick_real)NAN, error[i] = (quick_real)INFINITY;
    for (size_t first = 0; goes_on && first < count; first += QUICK_BLOCK) {
        const size_t left = count - first, n = left < QUICK_BLOCK ? left : QUICK_BLOCK;
        quick_block(r, *state, inputs, first, n, value + first, error + first);
    }
}
