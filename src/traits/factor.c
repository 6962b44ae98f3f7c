/* Finds the parts of a decaying function that its values tell: its power at 0, its end, its mirror image, its
 * root, and the remaining factor. */
#include "traits.h"

#include <math.h>

enum { VALUE_BITS = 100, REST_BITS = 136 };

static void add_quad(mpfr_t sum, quad value)
{
    const double high = (double)value;
    mpfr_add_d(sum, sum, high, MPFR_RNDN);
    mpfr_add_d(sum, sum, (double)(value - (quad)high), MPFR_RNDN);
}

static void factor_exponential_at(mpfr_t out, const struct factor_polynomial *q, double t)
{
    mpfr_set_zero(out, 1);
    for (unsigned k = q->degree + 1; k-- > 0;) {
        mpfr_mul_d(out, out, t, MPFR_RNDN);
        add_quad(out, q->coefficient[k]);
    }
    mpfr_exp(out, out, MPFR_RNDN);
}

quad factor_exponential(const struct factor_polynomial *q, double t)
{
    mpfr_t y;
    mpfr_init2(y, VALUE_BITS + 30);
    factor_exponential_at(y, q, t);
    const quad value = quad_of_mpfr(y);
    mpfr_clear(y);
    return value;
}

/* -- the sides -- */

/* The end of f's range in the numbers of a type. */
struct range {
    int steps;         /* steps per octave in the search for the end */
    mpfr_exp_t least;  /* 2^least is at most half of the least number */
    mpfr_exp_t lowest; /* the exponential may fall to 2^lowest, so that scaling stays in range */
};
static const struct range ranges[] = {{8, -150, -200}, {32, -1078, -2000}}; /* f32, f64 */

/* Finds the sign of f at t of a side, and the exponent of its binade, however small f is. Returns false if
 * they are not known. */
static bool sign_and_size(int *sign, mpfr_exp_t *exponent, reference *truth, double t, bool negative)
{
    const double x = negative ? -t : t;
    mpfr_t value;
    mpfr_init2(value, VALUE_BITS);
    const bool known =
        reference_precise(truth, &x, VALUE_BITS, value) == REFERENCE_DECIDED && mpfr_number_p(value);
    *sign = known ? mpfr_sgn(value) : 0;
    *exponent = *sign ? mpfr_get_exp(value) : mpfr_get_emin();
    mpfr_clear(value);
    return known;
}

static bool is_out_of_range(const struct factor_side *side, mpfr_exp_t lowest)
{
    mpfr_t y;
    mpfr_init2(y, VALUE_BITS);
    factor_exponential_at(y, &side->q, side->last);
    const bool is_out = mpfr_zero_p(y) || mpfr_get_exp(y) <= lowest;
    mpfr_clear(y);
    return is_out;
}

/* Halves the step in which f's size falls below the least number. */
static bool refine_last(struct factor_side *side, double *low, reference *truth, bool negative,
                        const struct range *range)
{
    const double middle = (double)(float)((*low + side->last) / 2);
    int sign;
    mpfr_exp_t size;
    if (!sign_and_size(&sign, &size, truth, middle, negative)) return false;
    *(size <= range->least ? &side->last : low) = middle;
    return true;
}

enum { END_HALVINGS = 5 };

/* Moves the end nearer where a steep exponent goes far beyond the range within one step. */
static bool refine_steep(struct factor_side *side, reference *truth, bool negative, const struct range *range)
{
    double low = side->last / (1 + 1.0 / range->steps);
    for (int i = 0; i < END_HALVINGS && is_out_of_range(side, range->lowest); i++)
        if (!refine_last(side, &low, truth, negative, range)) return false;
    return true;
}

double factor_last(const struct factor *f, reference *truth, bool is_wide)
{
    const struct range *range = &ranges[is_wide];
    struct factor_side side = f->side[f->own];
    double low = side.last / (1 + 1.0 / range->steps);
    for (int i = 0; i < END_HALVINGS; i++)
        if (!refine_last(&side, &low, truth, f->own, range)) return f->side[f->own].last;
    return side.last;
}

/* Finds the first t, by steps of an octave, from which on f's size stays below the least number. */
static bool find_last(struct factor_side *side, reference *truth, bool negative, const struct range *range)
{
    for (double octave = 0x1p-4; octave < 0x1p12; octave *= 2)
        for (int step = 0; step < range->steps; step++) {
            int sign;
            mpfr_exp_t size;
            side->last = octave * (1 + step / (double)range->steps);
            if (!sign_and_size(&sign, &size, truth, side->last, negative)) return false;
            if (size <= range->least) return refine_steep(side, truth, negative, range);
        }
    return false;
}

bool factor_find(struct factor *out, struct traits *t)
{
    const struct range *range = &ranges[t->is_wide];
    unsigned left;
    *out = (struct factor){.stretch = 1};
    if (!traits_leading_power(&out->power, FACTOR_MAX_POWER, t, false) ||
        !traits_leading_power(&left, FACTOR_MAX_POWER, t, true) || left != out->power)
        return false;
    for (int i = 0; i < 2; i++) {
        struct factor_side *side = &out->side[i];
        side->decays =
            factor_exponent(&side->q, t->memory, t->simplified, i) && find_last(side, t->fitted, i, range);
        if (!side->decays) side->last = 0;
    }
    return out->side[0].decays || out->side[1].decays;
}

/* -- the other side -- */

/* Sets the line. Returns false if there is none. */
static bool set_line(struct factor_line *out, const struct line *line, int direction)
{
    out->slope = direction * (double)line->slope;
    out->constant = (double)line->constant;
    out->is_rounded = !line_is(line, direction * (quad)out->slope, out->constant);
    const quad slope = direction * line->slope;
    if (quad_abs((quad)out->slope) > quad_abs(slope) && out->is_rounded)
        out->slope = nextafter(out->slope, 0); /* one sign for both words */
    out->slope_low = out->is_rounded ? (double)(slope - (quad)out->slope) : 0;
    return line->known;
}

/* Finds f(-x) minus or plus f(x), for x on the own side. */
static bool find_mirror(struct factor *f, struct traits *t)
{
    const struct symmetry *s = traits_symmetry(t);
    if (!s) return false;
    struct line difference = s->difference;
    f->line.sign = difference.known ? 1 : -1;
    if (!f->own) difference.constant = -difference.constant;
    return difference.known ? set_line(&f->line, &difference, 1)
                            : set_line(&f->line, &s->sum, f->own ? 1 : -1);
}

static bool find_asymptote(struct factor *f, struct traits *t)
{
    f->line.sign = 1;
    if (f->side[0].decays == f->side[1].decays) return false;
    const struct line *line = traits_asymptote(t, !f->own);
    return line && set_line(&f->line, line, 1) && !f->line.is_rounded;
}

/* Finds the only change of sign on the decaying side by bisection. Returns false if there are several. */
static bool find_root(struct factor *f, reference *truth)
{
    enum { STEPS = 48, HALVINGS = 110 };
    const double last = f->side[f->own].last, direction = f->own ? -1 : 1;
    double low = 0, high = 0, before = last / 1024;
    int first, sign;
    mpfr_exp_t size;
    if (!sign_and_size(&first, &size, truth, before, f->own)) return false;
    for (int i = 1; i < STEPS; before = last * i / (double)STEPS, i++) {
        const double t = last * i / (double)STEPS;
        if (!sign_and_size(&sign, &size, truth, t, f->own)) return false;
        if (sign == (f->has_root ? -first : first)) continue;
        if (f->has_root) return false;
        f->has_root = true;
        low = before;
        high = t;
    }
    for (int i = 0; f->has_root && i < HALVINGS && nextafter(low, high) < high; i++) {
        const double middle = (low + high) / 2;
        if (!sign_and_size(&sign, &size, truth, middle, f->own)) return false;
        *(sign == first ? &low : &high) = middle;
    }
    /* A secant between neighbouring doubles gives the other bits, up to 100. */
    quad left, right;
    if (f->has_root &&
        (!formula_value(&left, truth, direction * low) || !formula_value(&right, truth, direction * high)))
        return false;
    if (f->has_root) f->root = (quad)low + ((quad)high - low) * (left / (left - right));
    return true;
}

/* Finds r with q(r t) for the other side's exponent, where q is the own side's. Both are c t or c t^2. R
 * takes in what rounding r to an f32 number changes. */
static bool find_stretch(struct factor *f)
{
    const struct factor_polynomial *own = &f->side[f->own].q, *other = &f->side[!f->own].q;
    if (own->degree != other->degree || own->degree > 2) return false;
    for (unsigned k = 1; k < own->degree; k++)
        if (own->coefficient[k] != 0 || other->coefficient[k] != 0) return false;
    const double ratio = (double)(other->coefficient[own->degree] / own->coefficient[own->degree]);
    f->stretch = (double)(float)(own->degree == 2 ? sqrt(ratio) : ratio);
    return true;
}

/* Prepares a function that decays on both sides. The own side is the one with a root, or the one that decays
 * more slowly. */
static bool find_two_decays(struct factor *f, reference *truth)
{
    bool has_root[2];
    if (!f->side[0].decays || !f->side[1].decays) return false;
    f->line = (struct factor_line){.sign = 1};
    f->decays_twice = true;
    for (f->own = 0; f->own < 2; f->own++) {
        f->has_root = false;
        if (!find_root(f, truth)) return false;
        has_root[f->own] = f->has_root;
    }
    f->own = has_root[1];
    if ((has_root[0] && has_root[1]) || !find_stretch(f)) return false;
    if (!has_root[0] && !has_root[1] && f->stretch < 1) {
        f->own = 1;
        if (!find_stretch(f)) return false;
    }
    f->has_root = false;
    /* A product with less than 1 would lose bits of subnormal numbers, which count if x is a factor of f. */
    return (!f->power || f->stretch >= 1) && find_root(f, truth);
}

bool factor_find_part(struct factor *f, struct traits *t)
{
    f->own = f->side[1].decays;
    f->line.mirrors = find_mirror(f, t);
    if (f->line.mirrors || find_asymptote(f, t)) return find_root(f, t->fitted);
    return find_two_decays(f, t->fitted);
}

/* -- the remaining factor -- */

/* Computes f, or f minus its line. The line cancels bits, so the difference is computed with enough bits for
 * its size. */
static bool value_of_rest(mpfr_t out, const struct factor_rest *rest, double x, mpfr_t size)
{
    enum { MOST_BITS = 2000 };
    const struct factor_line *line = &rest->f->line;
    const double base = rest->beside_line ? line->slope * x + line->constant : 0; /* exact for f32 numbers */
    const mpfr_exp_t lost = base != 0 ? ilogb(base) - mpfr_get_exp(size) : 0;
    const unsigned bits = REST_BITS - 10 + (unsigned)(lost > 0 ? lost : 0);
    mpfr_t value;
    mpfr_init2(value, bits + 10);
    const bool known =
        bits < MOST_BITS && reference_precise(rest->truth, &x, bits, value) == REFERENCE_DECIDED;
    if (known) mpfr_sub_d(out, value, base, MPFR_RNDN);
    mpfr_clear(value);
    return known;
}

bool factor_rest_at(void *context, double t, quad *out)
{
    const struct factor_rest *rest = context;
    const struct factor *f = rest->f;
    if (t == 0) t = 0x1p-70; /* R hardly varies here; at 0 it is a limit */
    const double x = (rest->side ? -t : t) / (rest->stretch != 0 ? rest->stretch : 1);
    mpfr_t y, size, distance;
    mpfr_inits2(REST_BITS + 20, y, size, distance, (mpfr_ptr)0);
    factor_exponential_at(size, &rest->q, t);
    for (unsigned k = 0; k < f->power; k++)
        mpfr_mul_d(size, size, rest->of_size || !rest->side ? t : -t, MPFR_RNDN);
    mpfr_set_d(distance, t, MPFR_RNDN);
    add_quad(distance, -f->root);
    if (rest->has_root) mpfr_mul(size, size, distance, MPFR_RNDN);
    if (rest->has_root && rest->scale != 0) mpfr_mul_d(size, size, rest->scale, MPFR_RNDN);
    const bool known = value_of_rest(y, rest, x, size);
    mpfr_div(y, y, size, MPFR_RNDN);
    const bool is_number = known && mpfr_number_p(y);
    if (is_number) *out = quad_of_mpfr(y);
    mpfr_clears(y, size, distance, (mpfr_ptr)0);
    return is_number;
}
