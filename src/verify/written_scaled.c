/* Products of f32 values and of f64 values that all elements of a row share, again: which they are, their
 * bits, and the error that docs/language.md promises for them ("Products with values of rows"). */
#include "element.h"
#include "written_making.h"

#include <math.h>

/* -- which products -- */

struct parts {
    const expr *factor[SCALED_MOST_FACTORS], *shared[SCALED_MOST_FACTORS];
    bool divides[SCALED_MOST_FACTORS];
    unsigned factors, shareds;
    bool negative, is_computed;
};

static bool is_of_row(const struct making *m, const expr *e)
{
    const struct lane_kernel *kernel = m->w->subject->kernel;
    if (expr_is_truth(e)) return false;
    for (uint32_t k = 0; k < kernel->operand_count + kernel->made_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (!expr_depends(e, k)) continue;
        if (element_is_bit(o->type) || (o->shape != SHAPE_ROWS && o->shape != SHAPE_ONE)) return false;
    }
    return true;
}

static bool find_factors(struct making *m, struct parts *p, const expr *e, bool inverted)
{
    if (is_of_row(m, e)) {
        if (p->shareds == SCALED_MOST_FACTORS) return false;
        p->divides[p->shareds] = inverted;
        p->shared[p->shareds++] = e;
        return true;
    }
    if (inverted) return false;
    if (e->kind == EXPR_NEG) p->negative = !p->negative;
    if (e->kind == EXPR_NEG) return find_factors(m, p, e->operand[0], false);
    if (e->kind == EXPR_MUL || e->kind == EXPR_DIV)
        return find_factors(m, p, e->operand[0], false) &&
               find_factors(m, p, e->operand[1], e->kind == EXPR_DIV);
    const expr *value = written_narrow_part(m, e);
    if (!value || p->factors == SCALED_MOST_FACTORS) return false;
    if (value->kind == EXPR_CAST && value->operand[0]->kind != EXPR_INPUT) p->is_computed = true;
    p->factor[p->factors++] = value;
    return true;
}

/* Returns how many f32 hold the scale: 1, 2, or 0 if the product is computed in f64. */
static unsigned words_of(const struct making *m, const struct parts *p, enum element_type type)
{
    const struct spec_bound *asked = &m->w->subject->asked;
    const double n = p->factors, small = 0x1p-10, ulps = asked->kind == BOUND_DEFAULT ? 3 : asked->value;
    const bool has_fma = m->w->subject->kernel->program->profile.fma;
    if (asked->kind == BOUND_ABS && asked->value >= (n + 1) * 0x1p-24 * (1 + small)) return 1;
    if (asked->kind == BOUND_ABS) return has_fma && asked->value >= 0x1p-23 ? 2 : 0;
    if (asked->kind != BOUND_DEFAULT && element_is_half(type)) return asked->value >= 0.5 + n * small;
    if (!p->is_computed && ulps >= n + 0.5 + small) return 1;
    return has_fma && ulps >= 0.5 + small ? 2 : 0;
}

/* Adds a step for a part of `e`, which other uses of `e` do not find. */
static uint32_t add_scaled_step(struct making *m, const expr *e, bool wide, struct step s)
{
    m->impossible = m->impossible || m->w->count + 1 >= m->capacity;
    if (m->impossible) return 0;
    const uint32_t number = written_add_step(m, e, operand_purpose(wide), s);
    m->made[number].node = NULL;
    return number;
}

uint32_t make_scaled(struct making *m, const expr *e, enum element_type type, uint32_t exact)
{
    struct parts p = {0};
    struct scaled_product *s = arena_alloc(m->memory, sizeof *s);
    if (type == ELEMENT_F64 || element_is_bit(type) || element_is_power(type) || !written_is_wide(m, e))
        return exact;
    if (!find_factors(m, &p, e, false) || !p.factors || !p.shareds) return exact;
    *s = (struct scaled_product){.exact = exact, .factors = p.factors, .words = words_of(m, &p, type)};
    if (!s->words) return exact;
    s->is_tight = m->w->subject->asked.kind == BOUND_ULP && m->w->subject->asked.value < 2;
    s->scale =
        add_scaled_step(m, e, true, (struct step){.kind = EXPR_NUMBER, .constant = p.negative ? -1 : 1});
    for (unsigned i = 0; i < p.shareds; i++) {
        struct step product = {.kind = p.divides[i] ? EXPR_DIV : EXPR_MUL};
        product.operand[0] = s->scale;
        product.operand[1] = written_make(m, p.shared[i], operand_purpose(true));
        s->scale = add_scaled_step(m, e, true, product);
    }
    for (unsigned i = 0; i < p.factors; i++)
        s->factor[i] = written_make(m, p.factor[i], operand_purpose(false));
    return add_scaled_step(m, e, false, (struct step){.kind = STEP_SCALED, .scaled = s});
}

/* -- their values -- */

static const double infinite = 0x1p128; /* the least magnitude beyond f32 */

/* Returns the bits of |x|, which are its exponent and fraction as one number. */
static int64_t size_of(float x)
{
    union {
        float value;
        uint32_t bits;
    } u = {fabsf(x)};
    return u.bits;
}

/* Returns true if the factors and the result are in the range where f32 holds all steps of the product. */
static bool fits_f32(const struct scaled_product *s, float scale, const float *factor, float last)
{
    const bool is_one_word = s->words == 1;
    const double size = fabs((double)scale);
    if (!is_one_word && (!isfinite(last) || (s->is_tight && last != 0 && fabs(last) < 0x1p-116)))
        return false;
    if (s->factors == 1) return size >= (is_one_word ? 0x1p-126 : 0x1p-100) && isfinite(scale);
    for (unsigned i = 1; i + 1 < s->factors; i++) {
        const double most = ldexp(1, 38 / (int)(s->factors - 2)), v = fabs((double)factor[i]);
        if ((v > 0 && v < 1 / most) || (is_one_word && !(v <= most))) return false;
    }
    if (!is_one_word && factor[0] == 0) return true;
    if (!(size >= (is_one_word ? 0x1p-126 : 0x1p-100) && size < 0x1p44)) return false; /* or NaN */
    if (factor[0] == 0) return true;
    if (is_one_word && !(fabs((double)factor[0]) <= 0x1p45)) return false;
    /* the sum of both exponents, with fractions, is at least that of 2^-62 */
    return size_of(factor[0]) + size_of(scale) >= size_of(1) + size_of(0x1p-62f);
}

/* Returns true if the result has the promised distance from the exact value, which f64 arithmetic knows to
 * 2^-50. */
static bool keeps_promise(const struct scaled_product *s, float result, double exact)
{
    const double allowed = s->words == 1                            ? s->factors + 0.5
                           : fabs(exact) < 0x1p-115 && !s->is_tight ? 1
                                                                    : 0.5,
                 slack = 0x1p-10;
    int exponent;
    if (isnan(exact)) return isnan(result);
    if (isinf(exact) || fabs(exact) >= infinite) exact = copysign(infinite, exact);
    frexp(exact, &exponent);
    const double ulp = ldexp(1, (exponent < -125 ? -125 : exponent) - 24);
    const double value = isinf(result) ? copysign(infinite, (double)result) : (double)result;
    return fabs(value - exact) <= (allowed + slack) * ulp;
}

double scaled_value(const struct scaled_product *s, double scale, double exact, const float *factor)
{
    const float high_scale = (float)scale, low_scale = (float)(scale - (double)high_scale);
    float high = high_scale, low = low_scale;
    for (unsigned i = 0; i < s->factors; i++) {
        const float f = factor[i], product = high * f;
        if (s->words == 1) {
            high = product;
        } else if (i + 1 == s->factors) {
            high = copysignf(fmaf(high, f, low * f), product);
        } else {
            low = fmaf(low, f, fmaf(high, f, -product));
            high = product;
        }
    }
    if (!fits_f32(s, high_scale, factor, high)) return exact;
    return keeps_promise(s, high, exact) ? (double)high : (double)NAN;
}
