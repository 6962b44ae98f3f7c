/* Runs the steps of formulas on blocks of lanes. */
#include "element.h"
#include "interp.h"
#include "written_steps.h"

#include <stdlib.h>

enum { BLOCK = 256 };

struct written_run {
    const struct written *w;
    interp **pieces;
    interp *scaled_exponential;     /* NULL if no step uses it */
    double *lanes;                  /* BLOCK lanes per step; truth values are 0 or 1 */
    float in[2][BLOCK], out[BLOCK]; /* operands and results of f32 programs */
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
    if (complete && w->subject->scaled_exponential) {
        r->scaled_exponential = interp_create(w->subject->scaled_exponential);
        complete = r->scaled_exponential != NULL;
    }
    if (complete) return r;
    written_run_free(r);
    return NULL;
}

void written_run_free(struct written_run *r)
{
    if (!r) return;
    for (uint32_t i = 0; r->pieces && i < r->w->subject->piece_count; i++) interp_free(r->pieces[i]);
    if (r->scaled_exponential) interp_free(r->scaled_exponential);
    free(r->pieces);
    free(r->lanes);
    free(r);
}

/* Rounds to an integer of the type, ties to even. NaN and zeros of either sign become 0. */
static double integer_rounded(double x, enum element_type type)
{
    const double least = element_least(type), most = element_most(type);
    if (isnan(x) || x == 0) return 0;
    if (x <= least) return least;
    if (x >= most) return most;
    const double below = floor(x), rest = x - below;
    const bool up = rest > 0.5 || (rest == 0.5 && fmod(below, 2) != 0);
    return (up ? below + 1 : below) + 0.0;
}

/* Returns the largest power of two of the type that is not above |x|. */
static double power_rounded(double x, const struct float_format *f)
{
    int exponent;
    frexp(x, &exponent); /* |x| < 2^exponent */
    if (!isfinite(x) || exponent - 1 > f->max_exponent) return NAN;
    return ldexp(1, x == 0 || exponent - 1 < f->min_exponent ? f->min_exponent : exponent - 1);
}

double written_rounded(double x, enum element_type type)
{
    const struct element_type_info *t = &element_types[type];
    if (element_is_integer(type) || element_is_bit(type)) return integer_rounded(x, type);
    if (element_is_power(type)) return power_rounded(x, &t->format);
    const double beyond = t->format.has_infinity ? (double)INFINITY : t->format.largest;
    if (isinf(x)) return copysign(beyond, x);
    if (type == ELEMENT_F64 || isnan(x) || x == 0) return x;
    int exponent;
    frexp(x, &exponent); /* |x| < 2^exponent */
    const int spacing = (exponent - 1 < t->format.min_exponent ? t->format.min_exponent : exponent - 1) -
                        (t->format.precision - 1);
    const double units = ldexp(fabs(x), -spacing), below = floor(units), rest = units - below; /* all exact */
    const bool up = rest > 0.5 || (rest == 0.5 && fmod(below, 2) == 1);
    const double size = ldexp(up ? below + 1 : below, spacing);
    return copysign(size > t->format.largest ? beyond : size, x);
}

/* Computes one operation with one rounding. min and max of a NaN are NaN. */
static double apply(enum expr_kind kind, double a, double b, double c)
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

/* Returns the remainder of |a| by |b| as kernels compute it: exactly, except that quotients of f64 beyond
 * 2^53 are rounded. */
static double remainder_of(double a, double b, bool wide)
{
    const double x = fabs(a), y = fabs(b), quotient = x / y;
    if (!wide || quotient < 0x1p53) return isinf(y) ? NAN : fmod(x, y);
    const double rest = fma(-floor(quotient), y, x);
    return rest < 0 ? rest + y : rest;
}

/* Returns the remainder with the sign of a, or of b. */
static double signed_remainder(double a, double b, bool takes_sign_of_b, bool wide)
{
    const bool differ = (a < 0 && b > 0) || (a > 0 && b < 0);
    double rest = remainder_of(a, b, wide);
    if (takes_sign_of_b && differ && rest > 0) rest = fabs(b) - rest;
    if (!wide) rest = (double)(float)rest;
    return signbit(takes_sign_of_b ? b : a) ? -rest : rest;
}

/* Computes one operation of f32. */
static float apply_narrow(enum expr_kind kind, float a, float b)
{
    switch (kind) {
    case EXPR_ADD: return a + b;
    case EXPR_SUB: return a - b;
    case EXPR_MUL: return a * b;
    default: return a / b;
    }
}

static bool is_rounding(enum expr_kind kind)
{
    return kind == EXPR_ADD || kind == EXPR_SUB || kind == EXPR_MUL || kind == EXPR_DIV;
}

static double input_value(const struct written_run *r, const struct kernel_row *rows, uint32_t k, size_t lane)
{
    const enum element_type type = r->w->subject->kernel->operands[k].type;
    return element_types[type].value(element_get(rows[k].data, type, kernel_row_index(rows[k], lane)));
}

/* Returns true if some operand that a choice depends on is NaN. The choice is then NaN. */
static bool has_nan(const struct written_run *r, uint64_t inputs, const struct kernel_row *rows, size_t lane)
{
    for (uint32_t k = 0; k < r->w->subject->kernel->operand_count && k < 64; k++)
        if (inputs >> k & 1 && isnan(input_value(r, rows, k, lane))) return true;
    return false;
}

/* Runs a program of one or two values. */
static void run_program(struct written_run *r, interp *program, bool wide, const double *a, const double *b,
                        double *out, size_t count)
{
    if (wide) {
        interp_run(program, (void *[]){(void *)a, out}, count);
        return;
    }
    for (size_t i = 0; i < count; i++) { /* exact */
        r->in[0][i] = (float)a[i];
        if (b) r->in[1][i] = (float)b[i];
    }
    interp_run(program, b ? (void *[]){r->in[0], r->in[1], r->out} : (void *[]){r->in[0], r->out}, count);
    for (size_t i = 0; i < count; i++) out[i] = (double)r->out[i];
}

/* Rounds an input to f32 for f32 arithmetic, because sums have more bits. */
static double input_in(const struct step *s, double value) { return s->wide ? value : (double)(float)value; }

static void run_scaled(const struct written_run *r, const struct scaled_product *s, double *out, size_t count)
{
    float factor[SCALED_MOST_FACTORS];
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < s->factors; k++)
            factor[k] = (float)r->lanes[s->factor[k] * (size_t)BLOCK + i];
        out[i] = scaled_value(s, r->lanes[s->scale * (size_t)BLOCK + i],
                              r->lanes[s->exact * (size_t)BLOCK + i], factor);
    }
}

static void run_step(struct written_run *r, uint32_t number, const struct kernel_row *rows, size_t first,
                     size_t count)
{
    const struct step *s = &r->w->steps[number];
    double *out = r->lanes + (size_t)number * BLOCK;
    const double *a = r->lanes + (size_t)s->operand[0] * BLOCK, *b = r->lanes + (size_t)s->operand[1] * BLOCK,
                 *c = r->lanes + (size_t)s->operand[2] * BLOCK;
    if (s->kind == STEP_PIECE || s->kind == STEP_SCALED_EXPONENTIAL) {
        const bool is_piece = s->kind == STEP_PIECE;
        run_program(r, is_piece ? r->pieces[s->index] : r->scaled_exponential, s->wide, a,
                    is_piece ? NULL : b, out, count);
        return;
    }
    if (s->kind == STEP_SCALED) {
        run_scaled(r, s->scaled, out, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (s->kind == EXPR_INPUT)
            out[i] = input_in(s, input_value(r, rows, s->index, first + i));
        else if (s->kind == EXPR_NUMBER)
            out[i] = s->constant;
        else if (s->kind == EXPR_CAST)
            out[i] = written_rounded(a[i], s->type);
        else if (s->kind == STEP_FMA)
            out[i] = (double)fmaf((float)a[i], (float)b[i], (float)c[i]);
        else if (s->kind == STEP_REMAINDER)
            out[i] = signed_remainder(a[i], b[i], s->index, s->wide);
        else if (s->kind == EXPR_IF && has_nan(r, s->nan_inputs, rows, first + i))
            out[i] = NAN;
        else if (!s->wide && is_rounding((enum expr_kind)s->kind))
            out[i] = (double)apply_narrow((enum expr_kind)s->kind, (float)a[i], (float)b[i]);
        else
            out[i] = apply((enum expr_kind)s->kind, a[i], b[i], c[i]);
    }
}

static bool same(double a, double b) { return isnan(a) ? isnan(b) : a == b && !signbit(a) == !signbit(b); }

/* Returns the number that memory holds after a store. */
static double value_in_memory(double value, enum element_type type)
{
    const double rounded = written_rounded(value, type);
    return isnan(rounded) ? element_types[type].value(element_types[type].near(rounded)) : rounded;
}

uint64_t written_differ(struct written_run *r, const struct kernel_row *rows, size_t count)
{
    const struct verify_subject *s = r->w->subject;
    uint64_t differ = 0;
    for (size_t first = 0; first < count; first += BLOCK) {
        const size_t n = count - first < BLOCK ? count - first : BLOCK;
        for (uint32_t i = 0; i < r->w->count; i++) run_step(r, i, rows, first, n);
        for (size_t lane = 0; lane < n; lane++) {
            bool differs = false;
            for (uint32_t k = 0; k < s->result_count; k++) {
                const uint32_t operand = s->results[k].operand;
                const double value = r->lanes[(size_t)r->w->results[k] * BLOCK + lane];
                differs |= !same(value_in_memory(value, s->kernel->operands[operand].type),
                                 input_value(r, rows, operand, first + lane));
            }
            differ += differs;
        }
    }
    return differ;
}
