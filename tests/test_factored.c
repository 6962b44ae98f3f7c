/* Tests of factored plans: the exponential factor that is found in a formula, its centre, and
 * plans at delicate places. The delicate places are special values, subnormal inputs and the last
 * results before zero. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "interp.h"
#include "isas.h"
#include "logistic_ratio.h"
#include "lower.h"
#include "texts.h"
#include "traits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the factor of a formula ---- */

enum { POSITIVE, NEGATIVE, TERMS = FACTOR_MAX_DEGREE + 1 };

/* 2 sqrt(2/pi), the slope in GELU by tanh: x sigmoid(2 sqrt(2/pi) (x + a x^3)) */
#define GELU_TANH_SLOPE 1.59576912160573071176

static const struct {
    const char *formula;
    unsigned power;
    bool decays[2];  /* The sides that decay: x > 0, then x < 0. */
    double q[TERMS]; /* Coefficients in t = |x|, which are the same on both sides where both decay. */
} factors[] = {
    {"gelu(x)", 1, {false, true}, {0, 0, -0.5}},
    {"gelu(-x)", 1, {true, false}, {0, 0, -0.5}},
    {"silu(x)", 1, {false, true}, {0, -1}},
    {"mish(x)", 1, {false, true}, {0, -1}},
    {"gelu_sigmoid(x, beta = 2)", 1, {false, true}, {0, -2}},
    {"gelu_tanh(x)", 1, {false, true}, {0, -GELU_TANH_SLOPE, 0, -0.044715 * GELU_TANH_SLOPE}},
    {"exp(x)", 0, {false, true}, {0, -1}},
    {"exp(-x^2)", 0, {true, true}, {0, 0, -1}},
    {"exp(1 - x^2 - x^4)", 0, {true, true}, {0, 0, -1, 0, -1}},
    {"x^3*exp(-x^2/2)", 3, {true, true}, {0, 0, -0.5}},
    {"x*exp(-abs(x))", 1, {true, true}, {0, -1}},
    {"exp(-abs(x))", 0, {true, true}, {0, -1}},
    {"sigmoid(3*x)", 0, {false, true}, {0, -3}},
    {"1 - tanh(x)", 0, {true, false}, {0, -2}},
    {"softplus(x)", 0, {false, true}, {0, -1}},
    {"logsigmoid(x)", 0, {true, false}, {0, -1}},
    {"sigmoid(-2*softplus(x))", 0, {true, false}, {0, -2}},
    {"normcdf(x)", 0, {false, true}, {0, 0, -0.5}},
    {"erfc(x)", 0, {true, false}, {0, 0, -1}},
    {"if x > 0 then x + 1 else exp(x)", 0, {false, true}, {0, -1}},
    {"sqrt(exp(-x))", 0, {true, false}, {0, -0.5}},
    {"exp(-x) + exp(-2*x)", 0, {true, false}, {0, -1}},
    {"sigmoid(x)*sigmoid(-x)", 0, {true, true}, {0, -1}},
    {"diff(gelu(x), x)", 0, {false, true}, {0, 0, -0.5}},
    {"diff(mish(x), x)", 0, {false, true}, {0, -1}},
    {"diff(silu(x), x)", 0, {false, true}, {0, -1}},
    {"diff(sigmoid(x), x)", 0, {true, true}, {0, -1}},
    {"diff(tanh(x), x)", 0, {true, true}, {0, -2}},
};
static const char *const without_factor[] = {
    "tanh(x)", "x",           "sin(x)", "relu(x)",  "x^2 + 1",     "exp(sin(x))",
    "erf(x)",  "softsign(x)", "cos(x)", "expm1(x)", "1/(1 + x^2)", "log(1 + x^2)",
};

struct subject {
    arena *memory;
    struct traits *traits;
};

static void subject_open(struct subject *s, const char *formula)
{
    s->memory = test_memory();
    expr_dag *dag = expr_dag_create(s->memory, MOST_NODES);
    const expr *written = parse_formula(dag, formula);
    s->traits = traits_create(s->memory, written, expr_simplify(dag, written, NULL), false, NULL);
    assert_non_null(s->traits);
}

static void subject_close(struct subject *s)
{
    traits_free(s->traits);
    arena_free(s->memory);
}

/* Returns true if f is smaller than half of the least f32 beyond side->last, and not long before. */
static bool is_last(const struct factor_side *side, reference *truth, bool negative)
{
    quad at, before;
    const double sign = negative ? -1 : 1;
    return formula_value(&at, truth, sign * side->last) &&
           formula_value(&before, truth, sign * side->last * 0.875) && quad_abs(at) < (quad)0x1p-150 &&
           quad_abs(before) > (quad)0x1p-150;
}

/* Returns true if the found end is within a hundredth of where f falls below half of the least f32. */
static bool is_end(const struct factor *found, reference *truth)
{
    quad at, before;
    const double last = factor_last(found, truth, false), sign = found->own == NEGATIVE ? -1 : 1;
    return formula_value(&at, truth, sign * last) && formula_value(&before, truth, sign * last * 0.99) &&
           quad_abs(at) < (quad)0x1p-150 && quad_abs(before) > (quad)0x1p-150;
}

static bool is_expected(const struct factor *found, size_t row, reference *truth)
{
    if (found->power != factors[row].power) return false;
    for (int side = POSITIVE; side <= NEGATIVE; side++) {
        const struct factor_side *s = &found->side[side];
        if (s->decays != factors[row].decays[side]) return false;
        if (!s->decays) continue;
        for (unsigned k = 0; k < TERMS; k++)
            if (fabs((double)s->q.coefficient[k] - factors[row].q[k]) > 0x1p-50) return false;
        if (factors[row].q[s->q.degree] == 0 || !is_last(s, truth, side == NEGATIVE)) return false;
    }
    return !found->side[found->own].decays || is_end(found, truth);
}

static void factors_are_those_of_the_formula(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof factors / sizeof *factors; row++) {
        struct subject s;
        subject_open(&s, factors[row].formula);
        const struct factor *found = traits_factor(s.traits);
        if (!found || !is_expected(found, row, s.traits->fitted)) {
            fprintf(stderr, "%s: %s", factors[row].formula, found ? "" : "no factor\n");
            if (found)
                fprintf(stderr, "x^%u, decays: %d %d, q: %g %g %g %g, last %g %g\n", found->power,
                        found->side[0].decays, found->side[1].decays,
                        (double)found->side[NEGATIVE].q.coefficient[1],
                        (double)found->side[NEGATIVE].q.coefficient[2],
                        (double)found->side[NEGATIVE].q.coefficient[3],
                        (double)found->side[NEGATIVE].q.coefficient[4], found->side[0].last,
                        found->side[1].last);
            wrong++;
        }
        subject_close(&s);
    }
    assert_int_equal(wrong, 0);
}

static void nothing_is_found_where_nothing_decays(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof without_factor / sizeof *without_factor; i++) {
        struct subject s;
        subject_open(&s, without_factor[i]);
        if (traits_factor(s.traits)) {
            fprintf(stderr, "%s: found x^%u\n", without_factor[i], traits_factor(s.traits)->power);
            wrong++;
        }
        subject_close(&s);
    }
    assert_int_equal(wrong, 0);
}

/* ---- functions that are rational in one exponential ---- */

/* f(x) = x^power (+-(1 - E))^steps N(E) / D(E), times E^decay where f decays. `bottom` is D for x > 0. */
static const struct {
    const char *formula;
    unsigned power, steps, decay;
    float bottom[RATIO_DEGREE + 1];
} logistic[] = {
    {"sigmoid(x)", 0, 0, 1, {1, 1}},
    {"silu(-3*x)", 1, 0, 1, {1, 1}},
    {"mish(x)", 1, 0, 1, {1, 2, 2}},
    {"diff(tanh(x), x)", 0, 0, 1, {1, 2, 1}},
    {"sigmoid(x)^2", 0, 0, 2, {1, 2, 1}},
    {"x*sigmoid(x)^2", 1, 0, 2, {1, 2, 1}},
    {"x*sigmoid(x)^3", 1, 0, 3, {1, 3, 3, 1}},
    {"tanh(x)*sigmoid(x)", 0, 1, 1, {1, 0, 1}},
    {"silu(x)*tanh(x)", 1, 1, 1, {1, 0, 1}},
    {"4*tanh(x/4)*sigmoid(x)", 0, 1, 2, {1, 1, 1, 1}},
    {"tanh(x)^2*sigmoid(x)", 0, 2, 1, {1, 0, 2, 0, 1}},
    {"diff(diff(sigmoid(x), x), x)", 0, 1, 1, {1, 3, 3, 1}},
};
static const char *const not_logistic[] = {"gelu(x)", "softplus(x)", "exp(-x^2)*sigmoid(x)",
                                           "atan(x)*sigmoid(x)"};

static void logistic_forms_are_found(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof logistic / sizeof *logistic; row++) {
        struct subject s;
        struct logistic_form found;
        subject_open(&s, logistic[row].formula);
        const bool is_right =
            traits_factor(s.traits) && logistic_find(&found, traits_factor(s.traits), s.traits->fitted) &&
            found.power == logistic[row].power && found.steps == logistic[row].steps &&
            found.decay == logistic[row].decay &&
            !memcmp(found.side[POSITIVE].bottom, logistic[row].bottom, sizeof logistic[row].bottom);
        if (!is_right) print_error("%s has another form\n", logistic[row].formula), wrong++;
        subject_close(&s);
    }
    for (size_t row = 0; row < sizeof not_logistic / sizeof *not_logistic; row++) {
        struct subject s;
        struct logistic_form found;
        subject_open(&s, not_logistic[row]);
        const struct factor *f = traits_factor(s.traits);
        if (f && logistic_find(&found, f, s.traits->fitted))
            print_error("%s is not rational in an exponential\n", not_logistic[row]), wrong++;
        subject_close(&s);
    }
    assert_int_equal(wrong, 0);
}

/* ---- functions that decay on both sides ---- */

static const struct {
    const char *formula;
    unsigned own;
    double stretch; /* 0 where the two sides cannot be joined */
    bool has_root;
} decaying_twice[] = {
    {"diff(4*tanh(x/4)*sigmoid(x), x)", NEGATIVE, 0.5, true}, /* exp(x), and exp(-x/2) */
    {"diff(tanh(x)*sigmoid(4*x), x)", NEGATIVE, 0.5, true},
    {"diff(4*tanh(x/4)*sigmoid(-x), x)", POSITIVE, 0.5, true},
    {"sigmoid(x)*sigmoid(-3*x)", NEGATIVE, 3, false}, /* exp(x), and exp(-3*x) */
    {"normcdf(x)*normcdf(-2*x)", NEGATIVE, 2, false},
    {"x*sigmoid(x)*sigmoid(-2*x)", NEGATIVE, 2, false},
    {"exp(-x^2/2)*sigmoid(x)", NEGATIVE, 0, false}, /* the exponent has two terms on one side */
    {"diff(diff(4*tanh(x/4)*sigmoid(x), x), x)", NEGATIVE, 0, false}, /* two roots */
};

static void sides_are_stretched_to_one_exponent(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof decaying_twice / sizeof *decaying_twice; row++) {
        struct subject s;
        subject_open(&s, decaying_twice[row].formula);
        const struct factor *f = traits_factor_part(s.traits);
        const bool wants_one = decaying_twice[row].stretch != 0;
        if (!f != !wants_one || (f && (!f->decays_twice || f->own != decaying_twice[row].own ||
                                       f->stretch != decaying_twice[row].stretch ||
                                       f->has_root != decaying_twice[row].has_root))) {
            fprintf(stderr, "%s: %d\n", decaying_twice[row].formula, f != NULL);
            if (f) fprintf(stderr, "own %u, stretch %g, root %d\n", f->own, f->stretch, f->has_root);
            wrong++;
        }
        subject_close(&s);
    }
    assert_int_equal(wrong, 0);
}

/* ---- centres ---- */

static const struct {
    const char *formula;
    double centre; /* NAN where there is no centre. */
} centres[] = {
    {"laplace(x)", 0.70710678118654752440},
    {"normcdf(2*x + 3)", -1.5},
    {"gelu(1 - x)", 1},
    {"exp(-(x - pi)^2)*(x - pi)", 3.14159265358979323846},
    {"normcdf(x)", NAN},
    {"x*normcdf(x - 1)", NAN},           /* g(u) = (u + 1) normcdf(u) has no mirror image. */
    {"normcdf(x - 1) + tanh(x)/2", NAN}, /* This formula has none either. */
    {"1/(1 + (x - 1)^2)", NAN},          /* This formula does not decay like an exponential. */
};

static void centres_are_those_of_the_formula(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof centres / sizeof *centres; row++) {
        struct subject s;
        quad c = 0;
        subject_open(&s, centres[row].formula);
        const bool has_one = traits_centred(s.traits, &c), wants_one = !isnan(centres[row].centre);
        if (has_one != wants_one || (has_one && fabs((double)c - centres[row].centre) > 0x1p-52)) {
            fprintf(stderr, "%s: %d %.17g\n", centres[row].formula, has_one, (double)c);
            wrong++;
        }
        subject_close(&s);
    }
    assert_int_equal(wrong, 0);
}

/* ---- plans ---- */

static const struct {
    const char *formula, *bound, *isa;
} plans[] = {
    {"gelu(x)", "3 ulp", "avx512"},
    {"silu(x)", "3 ulp", "avx512"},
    {"silu(x)", "3 ulp", "avx2"},
    {"mish(x)", "3 ulp", "avx512"},
    {"gelu_tanh(x)", "4 ulp", "avx512"},
    {"sigmoid(3*x)", "3 ulp", "avx512"},
    {"exp(-x^2)", "3 ulp", "avx512"},
    {"x*exp(-x^2)", "4 ulp", "avx512"},
    {"x*exp(-abs(x))", "3 ulp", "avx512"},
    {"softplus(x)", "3 ulp", "avx512"},
    {"normcdf(x)", "3 ulp", "neon"}, /* The plan takes a reciprocal. */
    {"erfc(x)", "3 ulp", "avx512"},
    {"diff(gelu(x), x)", "4 ulp", "avx512"},
    {"diff(tanh(x), x)", "3 ulp", "avx2"},
    {"exp(-6.49*x^4)", "3 ulp", "avx2"},
    {"diff(mish(x), x)", "4 ulp", "avx512"},
    {"x*exp(-x^2)/(1 + x^2)", "4 ulp", "avx512"},
    {"laplace(x)", "3 ulp", "avx2"}, /* The plan is about a centre. */
    {"gelu(x - 1)", "4 ulp", "avx512"},
    {"sigmoid(x - 1.3)", "3 ulp", "avx512"}, /* On AVX2, f64 lanes are cheaper. */
    {"exp(-(x + 300)^2)", "3 ulp", "neon"},
    {"diff(4*tanh(x/4)*sigmoid(x), x)", "3 ulp", "avx512"}, /* The plan stretches a side. */
    {"sigmoid(x)*sigmoid(-1.7*x)", "3 ulp", "avx2"},        /* The stretched x is rounded. */
    {"x*sigmoid(x)*sigmoid(-2*x)", "3 ulp", "neon"},
    {"gelu(x)", "1 ulp", "avx512"}, /* The plans from here on have two words. */
    {"gelu(-x)", "1 ulp", "avx2"},
    {"diff(silu(x), x)", "1.4 ulp", "avx512"},
    {"diff(gelu(x), x)", "1 ulp", "avx2"},
    {"diff(mish(x), x)", "1 ulp", "avx512"},
    {"erfc(x)", "1 ulp", "avx512"},
    {"exp(-x^2/2)/sqrt(2*pi)", "1 ulp", "avx512"}, /* R is a constant. */
    {"x*exp(-x^2)", "1 ulp", "avx2"},
    {"laplace(x)", "1 ulp", "avx512"},
};

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    return plan_find(out, request, context, error);
}

static const struct piece *plan(arena *memory, const char *formula, const char *bound, const char *isa_name)
{
    const struct spec *s = parse_expression(memory, formula);
    const struct target_isa *isa = target_isa_find(isa_name);
    struct plan_search search = {text_new(memory)};
    struct lowered *l = NULL;
    struct diag error = {0};
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .profile = isa->profile,
                                    .costs = isa->costs,
                                    .planner = {find, &search}};
    if (spec_parse_bound(&request.bound, memory, bound, strlen(bound), &error) ||
        lower_kernel(&l, &request, &error))
        fail_msg("%s: %s", formula, error.message);
    assert_int_equal(l->piece_count, 1);
    return &l->pieces[0];
}

enum { AROUND = 48, INPUTS = 1024 };

struct inputs {
    float x[INPUTS];
    size_t count;
};

static void add_around(struct inputs *in, uint32_t bits)
{
    for (uint32_t i = 0; i < AROUND && in->count < INPUTS; i++)
        in->x[in->count++] = f32_of_bits(bits + i - AROUND / 2);
}

/* Adds the inputs where |f| falls below `size` between 1 and the largest numbers of this sign, if it does. */
static void add_crossing(struct inputs *in, reference *truth, double size, uint32_t sign)
{
    uint32_t low = 0x3f800000, high = 0x7f000000;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const double x = (double)f32_of_bits(sign | middle);
        double y;
        if (reference_value(truth, &x, &y, NULL) != REFERENCE_DECIDED) return;
        *(fabs(y) < size ? &high : &low) = middle;
    }
    if (high < 0x7f000000) add_around(in, sign | low);
}

static void choose_inputs(struct inputs *in, reference *truth)
{
    static const uint32_t subnormals[] = {1, 2, 3, 0x1234, 0x400000, 0x7fffff, 0x800000, 0x800001};
    in->count = 0;
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t sign = side << 31;
        for (size_t i = 0; i < sizeof subnormals / sizeof *subnormals; i++)
            in->x[in->count++] = f32_of_bits(sign | subnormals[i]);
        in->x[in->count++] = side ? -0.0f : 0.0f;
        in->x[in->count++] = side ? -INFINITY : INFINITY;
        in->x[in->count++] = f32_of_bits(sign | 0x7f7fffff);
        static const double sizes[] = {0x1p-126, 0x1p-127, 0x1p-140, 0x1p-149, 0x1p-150};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) add_crossing(in, truth, sizes[i], sign);
    }
    in->x[in->count++] = NAN;
}

/* Returns true if y has the right kind and sign and keeps the bound. Limits must be exact, other
 * values near enough. */
static bool is_right(float x, float y, reference *truth, double bound)
{
    const double input = (double)x;
    double exact;
    bool either_sign;
    if (isnan(x)) return isnan(y);
    if (reference_value(truth, &input, &exact, &either_sign) != REFERENCE_DECIDED) return false;
    if (!either_sign && !signbit(y) != !signbit(exact)) return false;
    if (isinf(x) || x == 0)
        return (double)y == exact ||
               float_ulps(&element_types[ELEMENT_F32].format, (double)y, exact) <= (isinf(exact) ? 0 : bound);
    return float_ulps(&element_types[ELEMENT_F32].format, (double)y, exact) <= bound;
}

static void plans_are_factored_and_right_where_it_is_delicate(void **state)
{
    (void)state;
    static struct inputs in;
    static float y[INPUTS];
    unsigned wrong = 0;
    for (size_t row = 0; row < sizeof plans / sizeof *plans; row++) {
        if (!is_row_tried(row, 7)) continue;
        arena *memory = test_memory();
        const struct piece *piece = plan(memory, plans[row].formula, plans[row].bound, plans[row].isa);
        const double bound = strtod(plans[row].bound, NULL);
        reference *truth = reference_create(piece->written, piece->simplified, 1);
        interp *run = interp_create(piece->plan->program);
        assert_true(truth && run);
        choose_inputs(&in, truth);
        void *operands[] = {in.x, y};
        interp_run(run, operands, in.count);
        for (size_t i = 0; i < in.count; i++)
            if (!is_right(in.x[i], y[i], truth, bound)) {
                fprintf(stderr, "%s on %s: %.9g at %.9g (%08x)\n", plans[row].formula, plans[row].isa,
                        (double)y[i], (double)in.x[i], (unsigned)bits_of_f32(in.x[i]));
                wrong++;
            }
        const struct tally *t = &piece->plan->measured;
        const bool is_joined = !strcmp(piece->plan->shape, "product"); /* of factored parts */
        if ((strcmp(piece->plan->shape, "factored") && !is_joined) || t->max_ulp > bound || t->wrong ||
            t->undecided) {
            fprintf(stderr, "%s on %s: %s, %g ulp\n", plans[row].formula, plans[row].isa, piece->plan->shape,
                    t->max_ulp);
            wrong++;
        }
        interp_free(run);
        reference_free(truth);
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_are_those_of_the_formula),
        cmocka_unit_test(logistic_forms_are_found),
        cmocka_unit_test(nothing_is_found_where_nothing_decays),
        cmocka_unit_test(sides_are_stretched_to_one_exponent),
        cmocka_unit_test(centres_are_those_of_the_formula),
        cmocka_unit_test(plans_are_factored_and_right_where_it_is_delicate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
