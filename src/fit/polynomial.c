#include "polynomial.h"

#include <string.h>

/* Working precision: the differences below lose up to three times the exponent of the smallest point,
 * which is kept at 2^-40. erfcx has no difference, and its MPFR function is slow. */
enum { PRECISION = 400, PRECISION_ERFCX = 160 };

static void true_expm1(mpfr_t y, mpfr_srcptr x)
{
    mpfr_expm1(y, x, MPFR_RNDN);
    mpfr_sub(y, y, x, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
}

static void true_atanh(mpfr_t y, mpfr_srcptr x)
{
    mpfr_t root;
    mpfr_init2(root, PRECISION);
    mpfr_sqrt(root, x, MPFR_RNDN);
    mpfr_atanh(y, root, MPFR_RNDN);
    mpfr_div(y, y, root, MPFR_RNDN);
    mpfr_mul_ui(y, y, 2, MPFR_RNDN);
    mpfr_sub_ui(y, y, 2, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
    mpfr_clear(root);
}

static void true_erf(mpfr_t y, mpfr_srcptr x)
{
    mpfr_t root;
    mpfr_init2(root, PRECISION);
    mpfr_sqrt(root, x, MPFR_RNDN);
    mpfr_erf(y, root, MPFR_RNDN);
    mpfr_div(y, y, root, MPFR_RNDN);
    mpfr_clear(root);
}

static void true_erfcx(mpfr_t y, mpfr_srcptr x)
{
    mpfr_t a, square;
    mpfr_inits2(PRECISION_ERFCX, a, square, (mpfr_ptr)0);
    mpfr_add_ui(a, x, 1, MPFR_RNDN);
    mpfr_ui_sub(square, 1, x, MPFR_RNDN);
    mpfr_div(a, a, square, MPFR_RNDN);
    mpfr_mul_ui(a, a, 2, MPFR_RNDN);
    mpfr_sqr(square, a, MPFR_RNDN);
    mpfr_exp(square, square, MPFR_RNDN);
    mpfr_erfc(y, a, MPFR_RNDN);
    mpfr_mul(y, y, square, MPFR_RNDN);
    mpfr_clears(a, square, (mpfr_ptr)0);
}

/* (f(sqrt x) / sqrt x - 1) / x */
static void odd_rest(mpfr_t y, mpfr_srcptr x, int (*f)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t))
{
    mpfr_t root;
    mpfr_init2(root, PRECISION);
    mpfr_sqrt(root, x, MPFR_RNDN);
    f(y, root, MPFR_RNDN);
    mpfr_div(y, y, root, MPFR_RNDN);
    mpfr_sub_ui(y, y, 1, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
    mpfr_clear(root);
}

static void true_sin(mpfr_t y, mpfr_srcptr x) { odd_rest(y, x, mpfr_sin); }
static void true_atan(mpfr_t y, mpfr_srcptr x) { odd_rest(y, x, mpfr_atan); }

static void true_cos(mpfr_t y, mpfr_srcptr x)
{
    mpfr_t half;
    mpfr_init2(half, PRECISION);
    mpfr_sqrt(half, x, MPFR_RNDN);
    mpfr_cos(y, half, MPFR_RNDN);
    mpfr_sub_ui(y, y, 1, MPFR_RNDN);
    mpfr_div_ui(half, x, 2, MPFR_RNDN);
    mpfr_add(y, y, half, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
    mpfr_div(y, y, x, MPFR_RNDN);
    mpfr_clear(half);
}

static const struct {
    double low, high; /* low is not 0, where some kernels are limits */
    void (*value)(mpfr_t y, mpfr_srcptr x);
    unsigned share;  /* bits of the result that come from elsewhere: the kernel may be that much coarser */
    unsigned points; /* of the grid: some four times the highest degree */
} kernels[KERNEL_COUNT] = {
    [KERNEL_EXPM1] = {-0.3467, 0.3467, true_expm1, 4, 48},  /* x^2/2 beside 1 */
    [KERNEL_ATANH] = {0x1p-40, 0.02945, true_atanh, 6, 40}, /* x/3 beside 1 */
    [KERNEL_LOG1P] = {0x1p-40, 0.1112, true_atanh, 4, 48},
    [KERNEL_ERF] = {0x1p-40, 1.0, true_erf, 0, 56},
    [KERNEL_ERFCX] = {-1.0, 0.8595, true_erfcx, 0, 100},
    [KERNEL_SIN] = {0x1p-40, 0.6169, true_sin, 3, 32},
    [KERNEL_COS] = {0x1p-40, 0.6169, true_cos, 5, 32},
    [KERNEL_ATAN] = {0x1p-40, 0.17158, true_atan, 4, 48}, /* x/3 beside 1 */
};

bool polynomial_kernel(void *kernel, mpfr_t y, mpfr_srcptr x)
{
    const enum kernel_function *which = kernel;
    mpfr_t point, value;
    mpfr_inits2(PRECISION, point, value, (mpfr_ptr)0);
    mpfr_set(point, x, MPFR_RNDN);
    if (mpfr_zero_p(x)) mpfr_set_ui_2exp(point, 1, -130, MPFR_RNDN); /* the limit, to 113 bits */
    kernels[*which].value(value, point);
    mpfr_set(y, value, MPFR_RNDN);
    mpfr_clears(point, value, (mpfr_ptr)0);
    return true;
}

/* Sets points, values and relative weights. */
static void sample(struct fit_problem *p, enum kernel_function kernel)
{
    mpfr_t x, y;
    mpfr_inits2(kernel == KERNEL_ERFCX ? PRECISION_ERFCX : PRECISION, x, y, (mpfr_ptr)0);
    fit_points(p, kernels[kernel].low, kernels[kernel].high, p->point_count);
    for (unsigned i = 0; i < p->point_count; i++) {
        mpfr_set_d(x, (double)p->point[i], MPFR_RNDN);
        kernels[kernel].value(y, x);
        p->value[i] = quad_of_mpfr(y);
        p->weight[i] = 1 / quad_abs(p->value[i]);
    }
    mpfr_clears(x, y, (mpfr_ptr)0);
}

const struct polynomial *polynomial_fit(arena *memory, enum kernel_function kernel, enum lane_type type,
                                        unsigned bits)
{
    struct polynomial *made = arena_alloc(memory, sizeof *made);
    struct fit_problem *problem = arena_alloc(memory, sizeof *problem);
    double wanted = 1;
    for (unsigned i = kernels[kernel].share; i < bits; i++) wanted /= 2;
    problem->point_count = kernels[kernel].points;
    sample(problem, kernel);
    for (unsigned terms = fit_terms_guess(problem, wanted); terms <= FIT_MAX_TERMS; terms++) {
        fit_powers(problem, terms);
        if (fit_error(problem) > wanted && terms < FIT_MAX_TERMS) continue;
        struct fit_result result;
        if (!fit_polynomial(problem, type, &result)) break;
        if (result.error > 2 * wanted && type == LANE_F64 && terms < FIT_MAX_TERMS)
            continue; /* by rounding */
        made->degree = terms - 1;
        memcpy(made->coefficient, result.coefficient, sizeof made->coefficient);
        break;
    }
    return made;
}

/* Those that are asked for most. A fit takes up to a tenth of a second. */
static const struct {
    enum kernel_function kernel;
    enum lane_type type;
    unsigned bits;
    struct polynomial polynomial;
} known[] = {
#define POLYNOMIAL(kernel, type, bits, degree, ...) {kernel, type, bits, {degree, {__VA_ARGS__}}},
#include "polynomials.def"
#undef POLYNOMIAL
    {KERNEL_COUNT, LANE_NOTHING, 0, {0, {0}}}};

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
