/* Finds the arguments that are linear in one input, and their slopes and offsets. */
#include "quick_line.h"

#include "interval.h"

#include <stdlib.h>
#include <string.h>

enum {
    BEHIND = 64 * QUICK_LINE_WORDS - QUICK_LINE_BEFORE, /* bits after the slope's binary point */
    MOST_EXPONENT = 60,
    /* The level of the constants: 2304 bits, enough for BEHIND and for the bits before the binary point. */
    LEVEL = 5
};

/* A node's value in terms of the input, a x + b. A constant has only the offset. */
struct form {
    enum { FORM_OTHER, FORM_CONSTANT, FORM_LINEAR } kind;
    bool needed;
    uint32_t input;
    interval slope, offset; /* initialized if needed */
};

static void classify(struct form *f, const expr *node, const struct form *a, const struct form *b)
{
    f->kind = FORM_OTHER;
    if (expr_is_constant(node)) {
        f->kind = expr_is_truth(node) ? FORM_OTHER : FORM_CONSTANT;
        return;
    }
    const struct form *linear = a->kind == FORM_LINEAR ? a : b;
    bool is_linear = false;
    switch (node->kind) {
    case EXPR_INPUT: f->kind = FORM_LINEAR, f->input = node->input; return;
    case EXPR_NEG: is_linear = a->kind == FORM_LINEAR; break;
    case EXPR_ADD:
    case EXPR_SUB:
        is_linear = a->kind != FORM_OTHER && b->kind != FORM_OTHER &&
                    (a->kind == FORM_CONSTANT || b->kind == FORM_CONSTANT || a->input == b->input);
        break;
    case EXPR_MUL:
        is_linear = (a->kind == FORM_LINEAR && b->kind == FORM_CONSTANT) ||
                    (a->kind == FORM_CONSTANT && b->kind == FORM_LINEAR);
        break;
    case EXPR_DIV: is_linear = a->kind == FORM_LINEAR && b->kind == FORM_CONSTANT; break;
    default: break;
    }
    if (is_linear) f->kind = FORM_LINEAR, f->input = linear->input;
}

/* Returns true if the node `user` is a sine or cosine of a linear argument. Excludes bare inputs, whose sines
 * are exact already. */
static bool is_argument(const struct evaluator *e, const struct form *forms, uint32_t user)
{
    const uint32_t argument = e->operands[user][0];
    return (e->nodes[user]->kind == EXPR_sin || e->nodes[user]->kind == EXPR_cos) &&
           forms[argument].kind == FORM_LINEAR && e->nodes[argument]->kind != EXPR_INPUT;
}

/* Marks the nodes that make up lines. Returns false if there are none. */
static bool mark_lines(const struct evaluator *e, struct form *forms)
{
    bool any = false;
    for (uint32_t i = 0; i < e->count; i++) {
        const uint32_t *operand = e->operands[i];
        classify(&forms[i], e->nodes[i], &forms[operand[0]], &forms[operand[1]]);
    }
    for (uint32_t i = e->count; i-- > 0;) {
        const bool is_sine = is_argument(e, forms, i);
        any |= is_sine;
        for (unsigned k = 0; k < expr_arity(e->nodes[i]->kind); k++)
            forms[e->operands[i][k]].needed |= is_sine || (forms[i].needed && forms[i].kind == FORM_LINEAR);
    }
    return any;
}

static void compute(struct form *f, const expr *node, const struct form *a, const struct form *b)
{
    const struct form *linear = a->kind == FORM_LINEAR ? a : b, *constant = linear == a ? b : a;
    switch (node->kind) {
    case EXPR_INPUT:
        interval_integer(&f->slope, 1);
        interval_integer(&f->offset, 0);
        break;
    case EXPR_NEG:
        interval_neg(&f->slope, &a->slope);
        interval_neg(&f->offset, &a->offset);
        break;
    case EXPR_ADD:
        interval_add(&f->slope, &a->slope, &b->slope);
        interval_add(&f->offset, &a->offset, &b->offset);
        break;
    case EXPR_SUB:
        interval_sub(&f->slope, &a->slope, &b->slope);
        interval_sub(&f->offset, &a->offset, &b->offset);
        break;
    case EXPR_MUL:
        interval_mul(&f->slope, &linear->slope, &constant->offset);
        interval_mul(&f->offset, &linear->offset, &constant->offset);
        break;
    default: /* EXPR_DIV */
        interval_div(&f->slope, &a->slope, &b->offset);
        interval_div(&f->offset, &a->offset, &b->offset);
        break;
    }
}

/* Converts radians into the interval `r` in quarter turns. Returns false if it is too large, or not known to
 * 2^-BEHIND. */
static bool in_quarters(interval *r, const interval *radians, interval scratch[2])
{
    interval_pi(&scratch[0]);
    interval_div(&scratch[1], radians, &scratch[0]);
    interval_integer(&scratch[0], 2);
    interval_mul(r, &scratch[1], &scratch[0]);
    if (r->state != INTERVAL_DEFINED || !mpfr_number_p(r->lo) || !mpfr_number_p(r->hi)) return false;
    mpfr_sub(scratch[0].hi, r->hi, r->lo, MPFR_RNDU);
    return mpfr_cmp_ui_2exp(scratch[0].hi, 1, -BEHIND) < 0;
}

/* Computes the integer part of 2^bits |x| modulo 2^(64 count), as words with the highest first. */
static void cut_words(uint64_t *words, size_t count, mpfr_srcptr x, long bits)
{
    mpfr_t scaled;
    mpz_t integer;
    mpfr_init2(scaled, mpfr_get_prec(x));
    mpz_init(integer);
    mpfr_mul_2si(scaled, x, bits, MPFR_RNDN);
    mpfr_abs(scaled, scaled, MPFR_RNDN);
    mpfr_get_z(integer, scaled, MPFR_RNDZ);
    mpz_fdiv_r_2exp(integer, integer, 64 * count);
    size_t written = 0;
    memset(words, 0, count * sizeof *words);
    const size_t used = (mpz_sizeinbase(integer, 2) + 63) / 64;
    mpz_export(&words[count - used], &written, 1, sizeof *words, 0, 0, integer);
    mpz_clear(integer);
    mpfr_clear(scaled);
}

/* Returns NULL if the numbers are too large, or not known well enough. Sets `*enough` to false if memory
 * runs out. */
static struct quick_line *line_of_form(const struct form *f, interval scratch[3], bool *enough)
{
    interval *quarters = &scratch[2];
    struct quick_line found = {.input = f->input};
    if (!in_quarters(quarters, &f->slope, scratch)) return NULL;
    if (!mpfr_zero_p(quarters->lo) && mpfr_get_exp(quarters->lo) > MOST_EXPONENT) return NULL;
    found.falls = mpfr_signbit(quarters->lo);
    cut_words(found.slope, QUICK_LINE_WORDS, quarters->lo, BEHIND);
    if (!in_quarters(quarters, &f->offset, scratch)) return NULL;
    cut_words(found.offset, 2, quarters->lo, 126);
    if (mpfr_signbit(quarters->lo)) { /* negates in two's complement */
        found.offset[1] = -found.offset[1];
        found.offset[0] = ~found.offset[0] + !found.offset[1];
    }
    struct quick_line *line = malloc(sizeof *line);
    *enough = *enough && line;
    if (line) *line = found;
    return line;
}

static void form_init(struct form *f, struct evaluator *e, uint32_t i)
{
    const mpfr_prec_t precision = level_precision[LEVEL];
    interval_init(&f->slope, precision);
    interval_init(&f->offset, precision);
    if (f->kind != FORM_CONSTANT) return;
    const interval *constant = evaluator_constant(e, LEVEL, i);
    interval_integer(&f->slope, 0);
    if (constant) interval_copy(&f->offset, constant);
}

static bool make_lines(struct quick_lines *lines, struct evaluator *e, struct form *forms)
{
    bool enough = true;
    interval scratch[3];
    for (size_t k = 0; k < 3; k++) interval_init(&scratch[k], level_precision[LEVEL]);
    for (uint32_t i = 0; i < e->count; i++) {
        const uint32_t *operand = e->operands[i];
        if (forms[i].needed) form_init(&forms[i], e, i);
        if (forms[i].needed && forms[i].kind == FORM_LINEAR)
            compute(&forms[i], e->nodes[i], &forms[operand[0]], &forms[operand[1]]);
        if (is_argument(e, forms, i) && !lines->of[operand[0]])
            lines->of[operand[0]] = line_of_form(&forms[operand[0]], scratch, &enough);
    }
    for (size_t k = 0; k < 3; k++) interval_clear(&scratch[k]);
    for (uint32_t i = 0; i < e->count; i++) {
        if (!forms[i].needed) continue;
        interval_clear(&forms[i].slope);
        interval_clear(&forms[i].offset);
    }
    return enough;
}

bool quick_lines_create(struct quick_lines *lines, struct evaluator *e)
{
    struct form *forms = calloc(e->count, sizeof *forms);
    bool enough = forms;
    if (forms && mark_lines(e, forms)) {
        lines->count = e->count;
        lines->of = calloc(e->count, sizeof(struct quick_line *));
        enough = lines->of && make_lines(lines, e, forms);
    }
    free(forms);
    return enough;
}

void quick_lines_clear(struct quick_lines *lines)
{
    for (uint32_t i = 0; lines->of && i < lines->count; i++) free(lines->of[i]);
    free(lines->of);
    *lines = (struct quick_lines){0};
}
