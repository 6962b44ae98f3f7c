/* erf, erfc, normcdf: a Gaussian times a factor that varies slowly, in segments. */
#include "extended_fit.h"

enum { TERMS_ERF = 11, TAIL_BITS = 124 /* erfc is slow with more */ };

/* Scaled complements: erfc(t) = exp(-t^2) E(t), normcdf(-t) = exp(-t^2 / 2) M(t). */
struct scaled_tail {
    bool normal;
};

static bool scaled_value(void *context, mpfr_t y, mpfr_srcptr t)
{
    const struct scaled_tail *tail = context;
    mpfr_t root, square;
    mpfr_inits2(TAIL_BITS, root, square, (mpfr_ptr)0);
    mpfr_sqr(square, t, MPFR_RNDN);
    if (tail->normal) {
        mpfr_div_2ui(square, square, 1, MPFR_RNDN);
        mpfr_sqrt(root, square, MPFR_RNDN);
    } else {
        mpfr_set(root, t, MPFR_RNDN);
    }
    mpfr_exp(square, square, MPFR_RNDN);
    mpfr_erfc(root, root, MPFR_RNDN);
    mpfr_mul(y, root, square, MPFR_RNDN);
    if (tail->normal) mpfr_div_2ui(y, y, 1, MPFR_RNDN);
    mpfr_clears(root, square, (mpfr_ptr)0);
    return true;
}

/* erf(sqrt z) / sqrt z */
static bool erf_near_zero(void *context, mpfr_t y, mpfr_srcptr z)
{
    (void)context;
    mpfr_t root;
    mpfr_init2(root, EXT_FIT_BITS + 60);
    if (mpfr_zero_p(z)) {
        mpfr_const_pi(root, MPFR_RNDN);
        mpfr_rec_sqrt(root, root, MPFR_RNDN);
        mpfr_mul_2ui(y, root, 1, MPFR_RNDN);
    } else {
        mpfr_sqrt(root, z, MPFR_RNDN);
        mpfr_erf(y, root, MPFR_RNDN);
        mpfr_div(y, y, root, MPFR_RNDN);
    }
    mpfr_clear(root);
    return true;
}

/* The polynomials of one of the two, in the program's arena. */
static const struct ext_segments *tail_segments(struct extender *c, bool normal)
{
    struct ext_segments **known = &c->tails[normal];
    if (*known) return *known;
    struct scaled_tail tail = {normal};
    struct ext_segments *s = arena_alloc(c->program->memory, sizeof *s);
    const bool small = c->program->profile.lookup_f64 >= 16;
    if (!ext_segments_fit(s, small ? 4 : 7, small ? 2 : 5, small ? 16 : 9, normal ? 39.5 : 28, scaled_value,
                          &tail))
        c->impossible = "erfc has no polynomials";
    return *known = s;
}

/* The slow factor beyond the segments: 1 - z + 3 z^2 - 15 z^3 ..., z = 1/t^2 (normcdf) or half of it, over t sqrt(2 pi) or
 * t sqrt(pi). The ninth term is below 2^-60 there. */
static struct extended far_tail(struct extender *c, struct extended t, bool normal)
{
    static const double coefficient[] = {1, -1, 3, -15, 105, -945, 10395, -135135, 2027025};
    enum { TERMS = sizeof coefficient / sizeof *coefficient };
    mpfr_t value;
    mpfr_init2(value, EXT_FIT_BITS);
    mpfr_const_pi(value, MPFR_RNDN);
    if (normal) mpfr_mul_2ui(value, value, 1, MPFR_RNDN);
    mpfr_rec_sqrt(value, value, MPFR_RNDN);
    const struct ext_pair root = ext_split(value);
    mpfr_clear(value);
    const lane_value half = ext_number(c, normal ? 1 : 0.5),
                     r = ext_op(c, LANE_DIV, ext_number(c, 1), t.high);
    const lane_value z = ext_times(c, ext_times(c, r, r), half);
    const lane_value fall = ext_times(c, z, ext_polynomial(c, coefficient + 1, TERMS - 1, z));
    struct extended y =
        ext_mul(c, ext_div(c, ext_constant(c, root), t), ext_quick_two_sum(c, ext_number(c, 1), fall));
    y.bounded =
        true; /* as far as f32 reaches: an exponent of its own would be lost beside that of exp(-t^2) */
    return y;
}

/* The argument is t >= 0. */
static struct extended tail_of(struct extender *c, struct extended t, bool normal)
{
    lane_program *p = c->program;
    const struct ext_segments *s = tail_segments(c, normal);
    if (t.has_low || c->far)
        t = ext_clamped(c, t, -1, c->far ? 0x1p400 : 1024); /* so that its square is a number */
    const struct extended square = ext_mul(c, t, t);
    struct extended exponent = ext_neg(c, square), near = t;
    if (normal) { /* half of it: exact but where exp is 1 */
        exponent.high = ext_times(c, exponent.high, ext_number(c, 0.5));
        exponent.low = ext_times(c, exponent.low, ext_number(c, 0.5));
    }
    near.high = ext_op(c, LANE_MIN, ext_number(c, s->end), t.high);
    if (t.has_low)
        near.low = lane_select(p, ext_op(c, LANE_LT, t.high, ext_number(c, s->end)), t.low, ext_number(c, 0));
    struct extended slow = ext_segments_value(c, s, near);
    if (c->far)
        slow = ext_select(c, ext_op(c, LANE_LT, ext_number(c, s->end), t.high), far_tail(c, t, normal), slow);
    return ext_mul(c, extended_exp(c, exponent), slow);
}

static struct extended one_minus(struct extender *c, double whole, struct extended tail)
{
    struct extended y = ext_sub(c, ext_integer(c, whole), ext_plain(c, tail));
    y.bounded = true;
    return y;
}

struct extended extended_erfc(struct extender *c, struct extended u)
{
    u = ext_plain(c, u);
    const struct extended tail = tail_of(c, ext_abs(c, u), false);
    return ext_select(c, ext_is_below_zero(c, u.high), one_minus(c, 2, tail), tail);
}

struct extended extended_normcdf(struct extender *c, struct extended u)
{
    u = ext_plain(c, u);
    const struct extended tail = tail_of(c, ext_abs(c, u), true);
    return ext_select(c, ext_is_below_zero(c, u.high), tail, one_minus(c, 1, tail));
}

/* u (c0 + z P(z)) for z = u^2 <= 1/4, else 1 - erfc. */
struct extended extended_erf(struct extender *c, struct extended u)
{
    quad exact[EXT_MOST_TERMS];
    double coefficient[EXT_MOST_TERMS];
    if (!ext_interpolate(exact, TERMS_ERF, 0, 0.26, 0, erf_near_zero, NULL))
        c->impossible = "erf has no polynomial";
    for (unsigned k = 0; k < TERMS_ERF; k++) coefficient[k] = (double)exact[k];
    const struct extended whole = u;
    u = ext_plain(c, u);
    const struct extended a = ext_abs(c, u), square = ext_mul(c, u, u);
    const lane_value z = ext_op(c, LANE_MIN, ext_number(c, 0.25), square.high);
    const lane_value rise = ext_times(c, z, ext_polynomial(c, coefficient + 1, TERMS_ERF - 1, z));
    struct extended ratio = ext_quick_two_sum(c, ext_number(c, coefficient[0]), rise);
    ratio.low = ext_plus(c, ratio.low, ext_number(c, (double)(exact[0] - coefficient[0])));
    ratio.bounded = true;
    const struct extended inner = ext_mul(c, u, ratio), outer = one_minus(c, 1, tail_of(c, a, false));
    struct extended signed_outer = ext_select(c, ext_is_below_zero(c, u.high), ext_neg(c, outer), outer);
    const struct extended y =
        ext_select(c, ext_op(c, LANE_LT, a.high, ext_number(c, 0.5)), inner, signed_outer);
    const struct ext_pair slope = {coefficient[0], (double)(exact[0] - coefficient[0])};
    return whole.has_exponent ? ext_where_tiny(c, whole, ext_mul(c, whole, ext_constant(c, slope)), y) : y;
}
