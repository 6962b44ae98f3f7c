/* Fits and writes polynomials around roots and for large x. There the formula's parts cancel, and the error
 * in ulps has no bound. */
#include "f64_patch.h"
#include "exact_tiny.h"
#include "fit.h"
#include "number.h"

#include <math.h>

enum { BITS = 360, NODES = F64_PATCH_TERMS, ROUNDS = 8, MOST_MULTIPLE = 4 };
static const double WIDEST = 0x1p-4, NARROWEST = 0x1p-20, WANTED = 0x1p-58, WANTED_PLAIN = 0x1p-34;

/* The values of the function at d[i], later the divided differences. */
struct nodes {
    unsigned count;
    mpfr_t d[NODES], f[NODES];
};

/* Sets the values for d in [low, high], where the function's argument is d, or 1/d if `is_far`. */
static bool set_nodes(struct nodes *n, reference *truth, double low, double high, bool is_far)
{
    struct fit_problem grid;
    fit_points(&grid, low, high, n->count);
    for (unsigned i = 0; i < n->count; i++) {
        const double d = (double)grid.point[i % 2 ? n->count - 1 - i / 2 : i / 2], x = is_far ? 1 / d : d;
        mpfr_set_d(n->d[i], x, MPFR_RNDN);
        if (is_far) mpfr_ui_div(n->d[i], 1, n->d[i], MPFR_RNDN);
        if (reference_precise(truth, &x, BITS - 20, n->f[i]) != REFERENCE_DECIDED || !mpfr_number_p(n->f[i]))
            return false;
    }
    return true;
}

static void divide_differences(struct nodes *n)
{
    mpfr_t gap;
    mpfr_init2(gap, BITS);
    for (unsigned order = 1; order < n->count; order++)
        for (unsigned i = n->count - 1; i >= order; i--) {
            mpfr_sub(n->f[i], n->f[i], n->f[i - 1], MPFR_RNDN);
            mpfr_sub(gap, n->d[i], n->d[i - order], MPFR_RNDN);
            mpfr_div(n->f[i], n->f[i], gap, MPFR_RNDN);
        }
    mpfr_clear(gap);
}

/* Writes the polynomial's coefficients about `centre` to `out`, which has room for n->count of them. */
static void expand(mpfr_t *out, const struct nodes *n, mpfr_srcptr centre)
{
    mpfr_t root, product;
    mpfr_inits2(BITS, root, product, (mpfr_ptr)0);
    for (unsigned k = 0; k < n->count; k++) mpfr_set_zero(out[k], 1);
    for (unsigned i = n->count; i-- > 0;) {
        mpfr_sub(root, n->d[i], centre, MPFR_RNDN);
        for (unsigned k = n->count; k-- > 0;) {
            mpfr_mul(product, out[k], root, MPFR_RNDN);
            if (k) mpfr_sub(out[k], out[k - 1], product, MPFR_RNDN);
            if (!k) mpfr_sub(out[k], n->f[i], product, MPFR_RNDN);
        }
    }
    mpfr_clears(root, product, (mpfr_ptr)0);
}

/* Finds the root of the polynomial's `order`-th derivative by Newton's method. Each step expands the
 * polynomial about the new estimate. */
static void find_root(mpfr_t root, mpfr_t *c, const struct nodes *n, unsigned order)
{
    mpfr_t step;
    mpfr_init2(step, BITS);
    for (int i = 0; i < ROUNDS; i++) {
        expand(c, n, root);
        if (mpfr_zero_p(c[order + 1])) break;
        mpfr_div(step, c[order], c[order + 1], MPFR_RNDN);
        mpfr_div_ui(step, step, order + 1, MPFR_RNDN);
        mpfr_sub(root, root, step, MPFR_RNDN);
    }
    expand(c, n, root);
    mpfr_clear(step);
}

/* Returns whether c[power] is the first coefficient above the interpolation's error. */
static bool is_root_of_order(mpfr_t *c, unsigned count, unsigned power, double width)
{
    double size[NODES], most = 0, scale = 1;
    for (unsigned k = 0; k < count; k++, scale *= width) {
        size[k] = fabs(mpfr_get_d(c[k], MPFR_RNDN)) * scale;
        most = fmax(most, size[k]);
    }
    for (unsigned k = 0; k < power; k++)
        if (size[k] > 0x1p-60 * most) return false;
    return size[power] > 0x1p-60 * most;
}

/* Removes the leading 53 bits from `rest` and returns them. */
static double taken(mpfr_t rest)
{
    const double high = mpfr_get_d(rest, MPFR_RNDN);
    mpfr_sub_d(rest, rest, high, MPFR_RNDN);
    return high;
}

/* The interpolation's own error, relative to the leading term. This error would decide ties. A smaller
 * coefficient therefore counts as 0, and so does a smaller low word. */
static const double NOTHING = 0x1p-90;

/* Takes terms until the rest does not matter. Returns false if that needs too many terms. */
static bool set_polynomial(struct f64_patch *out, mpfr_t *c, unsigned count)
{
    const double least = fabs(mpfr_get_d(c[out->power], MPFR_RNDN));
    if (!(least > 0)) return false;
    double size = 1; /* the power of the width */
    out->terms = 0;
    for (unsigned k = out->power; k < count; k++, size *= out->width) {
        double a = mpfr_get_d(c[k], MPFR_RNDN);
        if (fabs(a) * size <= NOTHING * least) a = 0;
        out->coefficient[k - out->power] = a;
        if (k == out->power) {
            out->constant_low = (taken(c[k]), mpfr_get_d(c[k], MPFR_RNDN));
            if (fabs(out->constant_low) <= NOTHING * least) out->constant_low = 0;
        }
        if (fabs(a) * size > (out->plain ? WANTED_PLAIN : WANTED) * least) out->terms = k - out->power + 1;
    }
    return out->terms + 4 < count - out->power; /* The last terms are errors of the interpolation. */
}

static bool fit_within(struct f64_patch *out, struct nodes *n, mpfr_t *c, reference *truth, double near)
{
    mpfr_t root;
    const double nothing = out->width * 0x1p-20; /* 1/0 is no argument */
    const double low = out->far > 0 ? nothing : near - out->width,
                 high = out->far < 0 ? -nothing : near + out->width;
    if (!set_nodes(n, truth, low, high, out->far != 0)) return false;
    divide_differences(n);
    mpfr_init2(root, BITS);
    out->power = 0;
    bool found = near == 0;
    if (near != 0) {
        while (!found && out->power < MOST_MULTIPLE) {
            mpfr_set_d(root, near, MPFR_RNDN);
            find_root(root, c, n, out->power++);
            found = is_root_of_order(c, n->count, out->power, out->width);
        }
    } else {
        mpfr_set_zero(root, 1);
        expand(c, n, root);
        const double scale = fabs(mpfr_get_d(c[n->count / 2], MPFR_RNDN)) + 1;
        while (out->power < n->count / 2 && fabs(mpfr_get_d(c[out->power], MPFR_RNDN)) < 0x1p-60 * scale)
            out->power++;
    }
    const bool fits = found && set_polynomial(out, c, n->count);
    out->root = taken(root);
    out->root_low = taken(root);
    out->root_last = taken(root);
    mpfr_clear(root);
    return fits && fabs(out->root - near) <= out->width / 2;
}

static bool fit_at_most(struct f64_patch *out, reference *truth, double near, double widest, int far)
{
    struct nodes n = {.count = NODES};
    mpfr_t c[NODES];
    bool fits = false;
    *out = (struct f64_patch){.width = widest, .far = far, .plain = far != 0};
    while (near != 0 && out->width > fabs(near) / 4) out->width /= 2;
    for (unsigned i = 0; i < NODES; i++) mpfr_inits2(BITS, n.d[i], n.f[i], c[i], (mpfr_ptr)0);
    for (; !fits && out->width >= NARROWEST; out->width /= 4) {
        fits = fit_within(out, &n, c, truth, near);
        if (fits) break;
    }
    for (unsigned i = 0; i < NODES; i++) mpfr_clears(n.d[i], n.f[i], c[i], (mpfr_ptr)0);
    return fits;
}

bool f64_patch_fit(struct f64_patch *out, reference *truth, double near)
{
    return fit_at_most(out, truth, near, WIDEST, 0);
}

bool f64_patch_far(struct f64_patch *out, reference *truth, int side)
{
    return fit_at_most(out, truth, 0, WIDEST, side) && out->power > 0;
}

/* Finds the leading coefficient to all bits, and on each side the sign of the next term. */
static bool find_start(struct f64_patch *out, reference *truth, mpfr_t lead, mpfr_t next)
{
    enum { SMALLEST = -149, SMALL = -110, NO_TERM = -1900 };
    static const double moved = 0x1p-100;
    if (!exact_slope(lead, truth, out->power, 1, SMALLEST)) return false;
    for (int side = 0; side < 2; side++) {
        if (!exact_slope(next, truth, out->power, side ? -1 : 1, SMALL)) return false;
        mpfr_div(next, next, lead, MPFR_RNDN);
        const int beyond = mpfr_cmp_ui(next, 1);
        out->beyond[side] = beyond > 0 ? moved : beyond < 0 ? -moved : 0;
        mpfr_sub_ui(next, next, 1, MPFR_RNDN);
        if (!mpfr_zero_p(next) && mpfr_get_exp(next) > SMALL + 10)
            return false; /* The slope on this side differs. */
    }
    out->coefficient[0] = taken(lead);
    out->constant_low = mpfr_get_d(lead, MPFR_RNDN);
    return true;
}

bool f64_patch_start(struct f64_patch *out, reference *truth, double widest)
{
    mpfr_t lead, next;
    if (!fit_at_most(out, truth, 0, widest, 0)) return false;
    mpfr_inits2(BITS, lead, next, (mpfr_ptr)0);
    const bool found = find_start(out, truth, lead, next);
    mpfr_clears(lead, next, (mpfr_ptr)0);
    out->odd = true;
    return found;
}

/* Gives a zero its sign. A sum loses the sign of a product that underflows. */
static lane_value signed_zero(struct composer *c, const struct f64_patch *patch, lane_value d, lane_value y)
{
    if (patch->root != 0) return y;
    lane_value product = word_constant(c, patch->coefficient[0]);
    for (unsigned i = 0; i < patch->power; i++) product = word_mul(c, product, d);
    return lane_select(c->program, word_op(c, LANE_EQ, y, word_constant(c, 0)), product, y);
}

static lane_value moved_beyond(struct composer *c, const struct f64_patch *patch, lane_value x,
                               struct number sum)
{
    lane_value by = word_constant(c, patch->beyond[0]);
    if (patch->beyond[1] != patch->beyond[0])
        by = lane_select(c->program, word_is_negative(c, x), word_constant(c, patch->beyond[1]), by);
    return word_fma(c, sum.high, by, sum.low);
}

/* Returns the polynomial of d without its power, in double words. */
static struct number polynomial_of_words(struct composer *c, const struct f64_patch *patch, struct number d)
{
    struct number sum = number_of_word(word_constant(c, patch->coefficient[0]));
    sum.low = word_constant(c, patch->constant_low);
    sum.has_low = true;
    if (patch->terms < 2) return sum;
    const lane_value rest = word_polynomial(c, patch->coefficient + 1, patch->terms - 1, d.high);
    const lane_value low = sum.low;
    sum = word_quick_two_sum(c, sum.high, word_mul(c, rest, d.high));
    sum.low = word_add(c, sum.low, low);
    return sum;
}

lane_value f64_patch_build(const struct f64_patch *patch, lane_program *p, lane_value x, lane_value y)
{
    struct composer c = {.program = p, .kind = patch->plain ? NUMBER_F64 : NUMBER_DOUBLE_WORDS};
    struct number d = number_of_word(x), sum;
    if (patch->far) d = number_over(&c, number_integer(&c, 1), d);
    if (patch->root != 0) { /* The first difference is exact. */
        d = word_two_sum(&c, word_sub(&c, x, word_constant(&c, patch->root)),
                         word_constant(&c, -patch->root_low));
        d.low = word_sub(&c, d.low, word_constant(&c, patch->root_last));
    }
    sum = patch->plain ? number_of_word(word_polynomial(&c, patch->coefficient, patch->terms, d.high))
                       : polynomial_of_words(&c, patch, d);
    for (unsigned i = 0; i < patch->power; i++) sum = number_times(&c, sum, d);
    const lane_value size = patch->far ? x : lane_unary(p, LANE_ABS, d.high);
    const lane_value limit = word_constant(&c, patch->far ? patch->far / patch->width : patch->width);
    const bool is_from = patch->far > 0; /* x from the limit on */
    const lane_value near = lane_binary(p, LANE_LE, is_from ? limit : size, is_from ? size : limit);
    if (patch->beyond[0] != 0 || patch->beyond[1] != 0) sum.low = moved_beyond(&c, patch, x, sum);
    const lane_value rounded = patch->odd    ? number_odd(&c, sum)
                               : sum.has_low ? word_add(&c, sum.high, sum.low)
                                             : sum.high;
    const lane_value value = signed_zero(&c, patch, d.high, rounded);
    return lane_select(p, near, value, y);
}
