/* Fits the polynomials of elementary functions to MPFR's values, where polynomials.def has none. */
#include "polynomial.h"
#include "gamma.h"
#include "inverse_erf.h"

#include <string.h>

/* The working precision in bits, and that of kernels from which terms are subtracted. Such differences lose
 * up to three times the exponent of the smallest point, which is 2^-40. Some functions are slow with many
 * bits. */
enum { PRECISION = 160, PRECISION_OF_TERMS = 400 };

typedef int mpfr_function(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way);

/* Computes scale (1 + x) / (1 - x), which maps [-1, 1) to all numbers of a sign. */
static void mapped(mpfr_ptr y, mpfr_srcptr x, long scale, mpfr_rnd_t way)
{
    mpfr_t rest;
    mpfr_init2(rest, PRECISION);
    mpfr_ui_sub(rest, 1, x, way);
    mpfr_add_ui(y, x, 1, way);
    mpfr_div(y, y, rest, way);
    mpfr_mul_si(y, y, scale, way);
    mpfr_clear(rest);
}

/* Computes exp(a^2) erfc(a), a = 2 (1 + x) / (1 - x). */
static int erfcx(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_t a, square;
    mpfr_inits2(PRECISION, a, square, (mpfr_ptr)0);
    mapped(a, x, 2, way);
    mpfr_sqr(square, a, way);
    mpfr_exp(square, square, way);
    mpfr_erfc(y, a, way);
    mpfr_mul(y, y, square, way);
    mpfr_clears(a, square, (mpfr_ptr)0);
    return 0;
}

/* Computes erfinv(a) / a, a^2 = 1 - exp(-8 (1 + x) / (1 - x)). */
static int erfinv_ratio(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_t a;
    mpfr_init2(a, PRECISION);
    mapped(a, x, -8, way);
    mpfr_expm1(a, a, way);
    mpfr_neg(a, a, way);
    mpfr_sqrt(a, a, way);
    inverse_erf(y, a, way);
    mpfr_div(y, y, a, way);
    mpfr_clear(a);
    return 0;
}

/* Computes w + 1/2 = 2/(1 - x), and w. */
static void set_right(mpfr_ptr w, mpfr_ptr sum, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_ui_sub(sum, 1, x, way);
    mpfr_ui_div(sum, 2, sum, way);
    mpfr_sub_d(w, sum, 0.5, way);
}

/* Computes binet(w) (w + 1/2). */
static int binet(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_t w, sum, part;
    mpfr_inits2(PRECISION, w, sum, part, (mpfr_ptr)0);
    set_right(w, sum, x, way);
    mpfr_lngamma(y, w, way);
    mpfr_log(part, w, way);
    mpfr_sub_ui(part, part, 1, way);
    mpfr_sub_d(w, w, 0.5, way);
    mpfr_mul(part, part, w, way);
    mpfr_sub(y, y, part, way);
    mpfr_const_pi(part, way);
    mpfr_mul_2ui(part, part, 1, way);
    mpfr_log(part, part, way);
    mpfr_sub_ui(part, part, 1, way);
    mpfr_div_2ui(part, part, 1, way);
    mpfr_sub(y, y, part, way);
    mpfr_mul(y, y, sum, way);
    mpfr_clears(w, sum, part, (mpfr_ptr)0);
    return 0;
}

/* Computes (log w - digamma(w)) (w + 1/2). */
static int below_log(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_t w, sum;
    mpfr_inits2(PRECISION, w, sum, (mpfr_ptr)0);
    set_right(w, sum, x, way);
    mpfr_digamma(y, w, way);
    mpfr_log(w, w, way);
    mpfr_sub(y, w, y, way);
    mpfr_mul(y, y, sum, way);
    mpfr_clears(w, sum, (mpfr_ptr)0);
    return 0;
}

/* Computes trigamma(w) (w + 1/2). */
static int scaled_trigamma(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t way)
{
    mpfr_t w, sum;
    mpfr_inits2(PRECISION, w, sum, (mpfr_ptr)0);
    set_right(w, sum, x, way);
    trigamma(y, w, way);
    mpfr_mul(y, y, sum, way);
    mpfr_clears(w, sum, (mpfr_ptr)0);
    return 0;
}

/* The kernels. A kernel starts from f(a) or f(a) / a, where a is x or sqrt(x). The first terms of its series
 * in x are subtracted, and the rest is divided by that power of x and multiplied by a factor. */
static const struct {
    double low, high; /* `low` is not 0, where some kernels are limits */
    mpfr_function *function;
    bool of_root, over_argument;
    unsigned taken; /* number of terms subtracted */
    double term[2];
    unsigned factor;
    /* The number of result bits that come from other terms. The kernel may be coarser by that many bits. */
    unsigned share;
    unsigned points;    /* points of the grid, about four times the highest degree */
    unsigned most_bits; /* see polynomial_most_bits */
} kernels[KERNEL_COUNT] = {
    [KERNEL_EXPM1] = {-0.3467, 0.3467, mpfr_expm1, false, true, 1, {1}, 1, 4, 48, 53}, /* x^2/2 next to 1 */
    [KERNEL_ATANH] = {0x1p-40, 0.02945, mpfr_atanh, true, true, 1, {1}, 2, 6, 40, 53}, /* x/3 next to 1 */
    [KERNEL_LOG1P] = {0x1p-40, 0.1112, mpfr_atanh, true, true, 1, {1}, 2, 4, 48, 53},
    [KERNEL_LOG_BY_8] = {-0x1p-4, 0x1p-3, mpfr_log1p, false, true, 1, {1}, 1, 4, 40, 53},
    [KERNEL_LOG_BY_16] = {-0x1p-5, 0x1p-4, mpfr_log1p, false, true, 1, {1}, 1, 5, 40, 53},
    [KERNEL_LOG_BY_32] = {-0x1p-6, 0x1p-5, mpfr_log1p, false, true, 1, {1}, 1, 6, 40, 53},
    [KERNEL_ERF] = {0x1p-40, 1.0, mpfr_erf, true, true, 0, {0}, 1, 0, 56, 53},
    [KERNEL_ERFCX] = {-1.0, 0.8595, erfcx, false, false, 0, {0}, 1, 0, 100, 53},
    /* 1 - a^2 is at least 2^-52 in f64, so its logarithm is above -36.1. */
    [KERNEL_ERFINV] = {-1 + 0x1p-40, 0.6402, erfinv_ratio, false, false, 0, {0}, 1, 0, 140, 32},
    [KERNEL_SIN] = {0x1p-40, 0.6169, mpfr_sin, true, true, 1, {1}, 1, 3, 32, 53},
    [KERNEL_HALF_TURN] = {0x1p-40, 2.475, mpfr_sin, true, true, 1, {1}, 1, 0, 48, 53},
    [KERNEL_COS] = {0x1p-40, 0.6169, mpfr_cos, true, false, 2, {1, -0.5}, 1, 5, 32, 53},
    [KERNEL_LGAMMA] = {-1, 1 - 0x1p-30, binet, false, false, 0, {0}, 1, 0, 100, 53},
    [KERNEL_DIGAMMA] = {-1, 1 - 0x1p-30, below_log, false, false, 0, {0}, 1, 0, 100, 53},
    [KERNEL_TRIGAMMA] = {-1, 1 - 0x1p-30, scaled_trigamma, false, false, 0, {0}, 1, 0, 100, 53},
    [KERNEL_TAN] = {0x1p-40, 0.6169, mpfr_tan, true, true, 1, {1}, 1, 1, 48, 53},
    [KERNEL_ATAN] = {0x1p-40, 0.17158, mpfr_atan, true, true, 1, {1}, 1, 4, 48, 53}, /* x/3 next to 1 */
};

/* Returns the working precision of a kernel, in bits. */
static mpfr_prec_t precision_of(enum kernel_function kernel)
{
    return kernels[kernel].taken ? PRECISION_OF_TERMS : PRECISION;
}

static void set_value(mpfr_t y, enum kernel_function kernel, mpfr_srcptr x)
{
    mpfr_t a;
    mpfr_init2(a, mpfr_get_prec(x));
    if (kernels[kernel].of_root)
        mpfr_sqrt(a, x, MPFR_RNDN);
    else
        mpfr_set(a, x, MPFR_RNDN);
    kernels[kernel].function(y, a, MPFR_RNDN);
    if (kernels[kernel].over_argument) mpfr_div(y, y, a, MPFR_RNDN);
    for (unsigned k = 0; k < kernels[kernel].taken; k++) {
        mpfr_sub_d(y, y, kernels[kernel].term[k], MPFR_RNDN);
        mpfr_div(y, y, x, MPFR_RNDN);
    }
    mpfr_mul_ui(y, y, kernels[kernel].factor, MPFR_RNDN);
    mpfr_clear(a);
}

bool polynomial_kernel(void *kernel, mpfr_t y, mpfr_srcptr x)
{
    const enum kernel_function *which = kernel;
    mpfr_t point, value;
    mpfr_inits2(precision_of(*which), point, value, (mpfr_ptr)0);
    mpfr_set(point, x, MPFR_RNDN);
    if (mpfr_zero_p(x)) mpfr_set_ui_2exp(point, 1, -130, MPFR_RNDN); /* takes the limit, to 113 bits */
    set_value(value, *which, point);
    mpfr_set(y, value, MPFR_RNDN);
    mpfr_clears(point, value, (mpfr_ptr)0);
    return true;
}

/* Returns whether errors count by their effect on the function's value, which is near x or sqrt(x). In f32,
 * this is so for expm1, for log1p by tables, for tan, and for sin on half a turn. The kernel is multiplied by
 * x, so that its error counts by the ratio of |x| to the end of the interval. */
static bool is_by_share(enum kernel_function kernel, enum lane_type type)
{
    const bool is_log = kernel >= KERNEL_LOG_BY_8 && kernel <= KERNEL_LOG_BY_32;
    return (kernel == KERNEL_EXPM1 || is_log || kernel == KERNEL_HALF_TURN || kernel == KERNEL_TAN) &&
           type == LANE_F32;
}

/* Sets points, values and weights. */
static void sample_problem(struct fit_problem *p, enum kernel_function kernel, enum lane_type type)
{
    mpfr_t x, y;
    mpfr_inits2(precision_of(kernel), x, y, (mpfr_ptr)0);
    fit_points(p, kernels[kernel].low, kernels[kernel].high, p->point_count);
    for (unsigned i = 0; i < p->point_count; i++) {
        mpfr_set_d(x, (double)p->point[i], MPFR_RNDN);
        set_value(y, kernel, x);
        p->value[i] = quad_of_mpfr(y);
        p->weight[i] = 1 / quad_abs(p->value[i]);
        if (is_by_share(kernel, type))
            p->weight[i] *= quad_abs(p->point[i]) / (quad)kernels[kernel].high + (quad)0x1p-10;
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

unsigned polynomial_most_bits(enum kernel_function kernel) { return kernels[kernel].most_bits; }

void polynomial_interval(enum kernel_function kernel, double *low, double *high)
{
    *low = kernels[kernel].low;
    *high = kernels[kernel].high;
}

const struct polynomial *polynomial_fit(arena *memory, enum kernel_function kernel, enum lane_type type,
                                        unsigned bits)
{
    struct polynomial *made = arena_alloc(memory, sizeof *made);
    struct fit_problem *problem = arena_alloc(memory, sizeof *problem);
    double wanted = is_by_share(kernel, type) ? 0.5 : 1; /* The terms left out count less there. */
    for (unsigned i = kernels[kernel].share; i < bits; i++) wanted /= 2;
    problem->point_count = kernels[kernel].points;
    sample_problem(problem, kernel, type);
    for (unsigned terms = 1; terms <= FIT_MAX_TERMS; terms++) {
        fit_powers(problem, terms);
        if (fit_error(problem, wanted) > wanted && terms < FIT_MAX_TERMS) continue;
        struct fit_result result;
        if (!fit_polynomial(problem, type, &result)) break;
        if (result.error > 2 * wanted && type == LANE_F64 && terms < FIT_MAX_TERMS)
            continue; /* The rounding made the error too large. */
        made->degree = terms - 1;
        made->error = result.error;
        memcpy(made->coefficient, result.coefficient, sizeof made->coefficient);
        break;
    }
    return made;
}

/* The polynomials that are asked for most. A fit takes up to a tenth of a second. */
static const struct {
    enum kernel_function kernel;
    enum lane_type type;
    unsigned bits;
    struct polynomial polynomial;
} known[] = {
#define POLYNOMIAL(kernel, type, bits, error, degree, ...)                                                   \
    {kernel, type, bits, {degree, error, {__VA_ARGS__}}},
#include "polynomials.def"
#undef POLYNOMIAL
    {KERNEL_COUNT, LANE_NOTHING, 0, {0, 0, {0}}}};

const struct polynomial *polynomial_find(struct polynomial_cache *cache, enum kernel_function kernel,
                                         enum lane_type type, unsigned bits)
{
    const struct polynomial **entry = &cache->entry[kernel][type == LANE_F64][bits & 63];
    for (size_t i = 0; !*entry && known[i].bits; i++)
        if (known[i].kernel == kernel && known[i].type == type && known[i].bits == bits)
            *entry = &known[i].polynomial;
    if (!*entry) *entry = polynomial_fit(cache->memory, kernel, type, bits);
    return *entry;
}
