/* Tests of the canonical form: each rule, formulas that must become the same node, and values
 * that must stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "reference.h"
#include "texts.h"

#include <math.h>

struct example {
    const char *written, *canonical;
};

static const struct example examples[] = {
    /* Sums that cancel. */
    {"1 + tanh(x)", "2 * sigmoid(2 * x)"},
    {"(1 + exp(-x))*exp(x)/(1 + exp(-x))^3", "exp(x) * sigmoid(x)^2"},
    {"(1 + exp(x))*sigmoid(-x)*x", "x"},
    {"1 - tanh(x)", "2 * sigmoid(-2 * x)"},
    {"1 + erf(x)", "erfc(-1 * x)"},
    {"1 - erf(x)", "erfc(x)"},
    {"1 - erfc(x)", "erf(x)"},
    {"2 - erfc(x)", "erfc(-1 * x)"},
    {"1 - sigmoid(x)", "sigmoid(-1 * x)"},
    {"exp(x) - 1", "expm1(x)"},
    /* A factor with an infinity does not leave its sum: its quotient by itself may have no value. */
    {"x*exp(if x > 0 then x else -inf) + sin(x)*exp(if x > 0 then x else -inf)",
     "x * exp(if 0 < x then x else -1 * inf) + exp(if 0 < x then x else -1 * inf) * sin(x)"},
    {"1 - exp(x)", "-1 * expm1(x)"},
    {"1 + expm1(x)", "exp(x)"},
    {"3 + 3*tanh(x)", "6 * sigmoid(2 * x)"},
    {"tanh(x)/2 + 1/2", "sigmoid(2 * x)"},
    {"2 + tanh(x)", "tanh(x) + 2"}, /* Nothing cancels to zero there. */
    {"log(1 + x)", "log1p(x)"},
    {"log(1 + exp(x))", "softplus(x)"},
    {"log1p(exp(x))", "softplus(x)"},
    {"log(exp(x))", "x"},
    {"log(sigmoid(x))", "-1 * softplus(-1 * x)"},
    {"log(2 + x)", "log(x + 2)"},
    {"log(sqrt(1 + exp(x)))", "0.5 * softplus(x)"},
    {"log(x^(-1.5))", "-1.5 * log(x)"},
    {"log(x^2)", "log(x^2)"},
    {"((1 + exp(x))^2 - 1)*x", "x * ((exp(x) + 2) * exp(x))"},
    {"(exp(x) + exp(-x))*sigmoid(-2*x)", "exp(-1 * x)"},
    {"((exp(x) - exp(-x))/(exp(x) + exp(-x)))^2", "tanh(x)^2"},
    {"diff((exp(x) - exp(-x))/(exp(x) + exp(-x)), x)", "4 * (sigmoid(-2 * x) * sigmoid(2 * x))"},
    {"log(2 + sin(x))", "log1p(2 * sin(0.25 * pi + 0.5 * x)^2)"},
    {"log(2 - cos(x))", "log1p(2 * sin(0.5 * x)^2)"},
    /* Sums of exponentials, and terms that cancel with their logarithms. */
    {"log(1 + exp(x)) - x", "softplus(-1 * x)"},
    {"3*x - 3*log(1 + exp(x))", "-3 * softplus(-1 * x)"},
    {"softplus(x) - 2*x", "-2 * x + softplus(x)"},
    {"log(3 + 3*exp(x))", "log(3) + softplus(x)"},
    {"log(exp(x) + exp(-x))", "softplus(-1 * abs(2 * x)) + abs(x)"},
    {"log(exp(x) + exp(2*x))", "max(x, 2 * x) + softplus(-1 * abs(x))"},
    /* Comparisons whose difference is one term. */
    {"if exp(x) == 1 then x else 0", "if expm1(x) == 0 then x else 0"},
    {"if tanh(x) < 1 then x else 0", "if -1 < 0 then x else 0"},
    {"if tanh(log(x)) < 1 then x else 0", "if -2 * sigmoid(-2 * log(x)) < 0 then x else 0"},
    {"if x < 1 then x else 0", "if x < 1 then x else 0"},
    {"1 - tanh(x)^2", "4 * (sigmoid(-2 * x) * sigmoid(2 * x))"},
    {"3*erf(x)^2 - 3", "-3 * (erfc(x) * erfc(-1 * x))"},
    {"1 - sin(x)^2", "cos(x)^2"},
    {"1 - x^2", "-1 * x^2 + 1"},
    /* Logarithms of numbers near 1. */
    {"log(1 - exp(x))", "if x < -1 then log1p(-1 * exp(x)) else log(-1 * expm1(max(x, -1)))"},
    {"log(erfc(x))", "if x < 0.5 then log1p(-1 * erf(x)) else log(erfc(max(x, 0.5)))"},
    /* Logistic factors. */
    {"1/(1 + exp(-x))", "sigmoid(x)"},
    {"x/(1 + exp(-x))", "x * sigmoid(x)"},
    {"x/(1 + exp(-x))^2", "x * sigmoid(x)^2"},
    {"exp(x)/(1 + exp(x))", "sigmoid(x)"},
    {"exp(-x)/(1 + exp(-x))^2", "sigmoid(x) * sigmoid(-1 * x)"},
    {"(exp(2*x) - 1)/(exp(2*x) + 1)", "tanh(x)"},
    {"1/(4 + 4*exp(x))", "0.25 * sigmoid(-1 * x)"},
    {"1/(2 + exp(x))", "(exp(x) + 2)^-1"},
    {"exp(x)*exp(2*x)", "exp(3 * x)"},
    {"exp(x)^2/exp(2*x)", "1"},
    /* Numbers. */
    {"sqrt(2/pi)*x", "2^(1/2) * (pi^(-1/2) * x)"},
    {"4^(1/2)*x", "2 * x"},
    {"sqrt(1/4)*x", "0.5 * x"},
    {"8^(1/3) + 0*x", "2"},
    {"x - x", "0"},
    /* An undefined value is not 0 or 1. */
    {"x*0/0", "0 * 0^-1"},
    {"x + inf - inf", "-1 * inf + inf + x"},
    {"inf*0 + x", "0 * inf + x"},
    {"x*(inf/inf)", "inf^-1 * (inf * x)"},
    {"x + x + x", "3 * x"},
    {"x*x*x", "x^3"},
    {"2*(3*x)", "6 * x"},
    {"x/2/3", "1/6 * x"},
    {"exp(0*x)", "1"},
    {"if x > 0 then x else x", "x"},
    /* Odd and even functions. */
    {"tanh(-x)", "-1 * tanh(x)"},
    {"erf(-2*x)", "-1 * erf(2 * x)"},
    {"round(-3*x)", "-1 * round(3 * x)"},
    {"sin(-x)", "-1 * sin(x)"},
    {"sign(-x)", "-1 * sign(x)"},
    {"cos(-x)", "cos(x)"},
    {"abs(-3*x)", "abs(3 * x)"},
    {"erf(1 - x)", "-1 * erf(x + -1)"},
    {"normcdf(x)", "0.5 * erfc(-1 * (2^(-1/2) * x))"},
    /* Double roots. */
    {"1 - cos(x)", "2 * sin(0.5 * x)^2"},
    {"cos(2*x) + 1", "2 * cos(x)^2"},
    {"sin(x) - 1", "-2 * sin(0.25 * pi + -0.5 * x)^2"},
    {"1 + sin(x)", "2 * sin(0.25 * pi + 0.5 * x)^2"},
    {"sin(x)*cos(x)", "0.5 * sin(2 * x)"},
    {"sin(3*x + 1)*cos(3*x + 1)", "0.5 * sin(6 * x + 2)"},
    {"1 + 2*sin(3*x)*cos(3*x)", "2 * sin(0.25 * pi + 3 * x)^2"},
    {"1/(sin(x)^2*cos(x)^2)", "4 * sin(2 * x)^-2"},
    {"sin(x)^2*cos(x)", "sin(x)^2 * cos(x)"},
    {"sin(x)*cos(2*x)", "sin(x) * cos(2 * x)"},
    {"sigmoid(x) - sigmoid(-x)", "tanh(0.5 * x)"},
    {"3*x*sigmoid(-2*x) - 3*x*sigmoid(2*x)", "-3 * (x * tanh(x))"},
    {"sigmoid(x)^2*exp(2*x) - sigmoid(x)*sigmoid(-x)*exp(2*x)", "exp(2 * x) * (tanh(0.5 * x) * sigmoid(x))"},
    {"sigmoid(x) - 0.5", "0.5 * tanh(0.5 * x)"},
    /* Whole sums. */
    {"sqrt(1 + x^2) - 1", "x^2 * ((x^2 + 1)^(1/2) + 1)^-1"},
    {"sqrt(x + 1) - sqrt(x)", "(x^(1/2) + (x + 1)^(1/2))^-1"},
    {"sqrt(x) - 1", "x^(1/2) + -1"},
    {"x + sqrt(x^2 + 4)", "if x < 0 then 4 * (-1 * x + (x^2 + 4)^(1/2))^-1 else (x^2 + 4)^(1/2) + x"},
    {"(exp(x) - exp(-x))/(exp(x) + exp(-x))", "tanh(x)"},
    {"diff(softsign(x), x)", "(abs(x) + 1)^-2"},
    {"diff(diff(softsign(x), x), x)", "-2 * ((abs(x) + 1)^-3 * sign(x))"},
    /* Sums of quotients and roots, whose numerators cancel over a common denominator. */
    {"diff(x/sqrt(1 + x^2), x)", "(x^2 + 1)^(-3/2)"},
    {"diff(diff(x/sqrt(1 + x^2), x), x)", "-3 * (x * (x^2 + 1)^(-5/2))"},
    {"diff(x^2/(1 + x^2), x)", "2 * (x * (x^2 + 1)^-2)"},
    {"diff(x/(x/2 + exp(-x/3)), x)", "(1/3 * x + 1) * ((0.5 * x + exp(-1/3 * x))^-2 * exp(-1/3 * x))"},
    {"diff(log(x + sqrt(x^2 + 1)), x)", "(x^2 + 1)^(-1/2)"},
    {"1/(1 + x) + x/(1 - x)", "x * (-1 * x + 1)^-1 + (x + 1)^-1"},  /* two denominators */
    {"x/(1 + x) + 2/(1 + x)^2", "x * (x + 1)^-1 + 2 * (x + 1)^-2"}, /* nothing cancels */
    {"1 + x/sqrt(x^2 + 4)", "(x^2 + 4)^(-1/2) * (if x < 0 then 4 * (-1 * x + (x^2 + 4)^(1/2))^-1 else (x^2 + "
                            "4)^(1/2) + x)"},
    {"sqrt(x^2 + 1) - abs(x)", "((x^2 + 1)^(1/2) + abs(x))^-1"},
    {"x + abs(x)", "x + abs(x)"},
    {"0.5 + 0.5*x/(1 + abs(x))", "(max(x, 0) + 0.5) * (abs(x) + 1)^-1"},
    {"0.5 - 0.5*x/(1 + abs(x))", "(max(-1 * x, 0) + 0.5) * (abs(x) + 1)^-1"},
    /* Powers of one base. */
    {"sqrt(1 + x^2)^2", "x^2 + 1"},
    {"sqrt(x)^2", "(x^(1/2))^2"},
    {"sqrt(x^2)^2*x", "x^3"},
    {"sqrt(x^2)*x*sqrt(x^2)", "x^3"},
    {"1/sqrt(x)^2/sqrt(x)", "x^(-3/2)"},
    {"sqrt(abs(x))*sqrt(abs(x))", "abs(x)"},
    {"sqrt(exp(x) + 2)/(exp(x) + 2)", "(exp(x) + 2)^(-1/2)"},
    {"abs(x)^2 + abs(x)^3", "x^2 * abs(x) + x^2"},
    {"abs(x)*sign(x)", "x"},
    {"x^3*sign(x)^3", "x^2 * abs(x)"},
    {"sign(x)^4*x", "x"},
    {"sign(x)^4", "sign(x)^2"},
    {"diff(tanhshrink(x), x)", "tanh(x)^2"},
    {"diff(silu(x), x)", "(x * sigmoid(-1 * x) + 1) * sigmoid(x)"},
    {"x*sign(x)", "abs(x)"},
};

static void rules_give_the_canonical_form(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const char *text =
            formula_text(dag, expr_simplify(dag, parse_formula(dag, examples[i].written), NULL));
        if (!strcmp(text, examples[i].canonical)) continue;
        fprintf(stderr, "%s: %s, not %s\n", examples[i].written, text, examples[i].canonical);
        wrong++;
    }
    arena_free(memory);
    assert_int_equal(wrong, 0);
}

/* Formulas. Each row spells one function in several ways. */
enum { MOST_SPELLINGS = 6 };
static const char *const groups[][MOST_SPELLINGS] = {
    {"x*normcdf(x)", "0.5*x*(1 + erf(x/sqrt(2)))", "x*0.5*erfc(-x/sqrt(2))", "x/2*(1 - erf(-x/sqrt(2)))",
     "gelu(x)", "x*(1 + erf(x*sqrt(1/2)))/2"},
    {"silu(x)", "x*sigmoid(x)", "x/(1 + exp(-x))", "x*exp(x)/(1 + exp(x))", "x*(1 - sigmoid(-x))",
     "x*(1 + tanh(x/2))/2"},
    {"gelu_tanh(x)", "0.5*x*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))",
     "x*sigmoid(2*(sqrt(2)/sqrt(pi)*(x + 0.044715*x*x*x)))",
     "x/2*(1 - tanh(-sqrt(2/pi)*(x + 0.044715*x^3)))"},
    {"tanh(x)", "(exp(2*x) - 1)/(exp(2*x) + 1)", "-tanh(-x)", "(exp(2*x) - 1)/(1 + exp(2*x))"},
    {"softplus(x)", "log(1 + exp(x))", "log1p(exp(x))", "-log(sigmoid(-x))", "-logsigmoid(-x)"},
    {"mish(x)", "x*tanh(log(1 + exp(x)))", "x*tanh(log1p(exp(x)))"},
    {"sigmoid(1.702*x)*x", "gelu_sigmoid(x)", "x/(1 + exp(-1.702*x))"},
    {"x - tanh(x)", "tanhshrink(x)", "x + tanh(-x)", "-(tanh(x) - x)"},
    {"elu(x)", "if x > 0 then x else exp(x) - 1", "if 0 < x then x else expm1(x)"},
};

static void equal_formulas_are_the_same_node(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    unsigned wrong = 0;
    const size_t count = sizeof groups / sizeof *groups;
    const expr *first[sizeof groups / sizeof *groups];
    for (size_t g = 0; g < count; g++) {
        first[g] = expr_simplify(dag, parse_formula(dag, groups[g][0]), NULL);
        for (size_t i = 1; i < MOST_SPELLINGS && groups[g][i]; i++) {
            const expr *e = expr_simplify(dag, parse_formula(dag, groups[g][i]), NULL);
            if (e == first[g]) continue;
            fprintf(stderr, "%s gives %s, but %s gives %s\n", groups[g][i], formula_text(dag, e),
                    groups[g][0], formula_text(dag, first[g]));
            wrong++;
        }
        for (size_t other = 0; other < g; other++) assert_ptr_not_equal(first[g], first[other]);
    }
    arena_free(memory);
    assert_int_equal(wrong, 0);
}

/* ---- values ---- */

enum { POINTS = 40 };

/* Returns a point at which every formula is tried: small and large ones, zeros and halves, then random
 * ones of normal size. */
static double point(unsigned i, unsigned variable)
{
    static const double fixed[] = {0.0,  -0.0, 0.5,   -0.5, 1.0,   -1.0,    2.0,
                                   -3.0, 12.5, -12.5, 40.0, -40.0, 0x1p-30, -0x1p-30};
    const unsigned count = sizeof fixed / sizeof *fixed;
    if (i < count) return fixed[(i + 5 * variable) % count];
    uint64_t seed = i * 64 + variable;
    return 16 * random_unit(&seed) - 8;
}

static bool same_value(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    return a == b || nextafter(a, b) == b; /* Either neighbour of a near tie is right. */
}

/* Returns the number of points where the two formulas have different values, and prints the first. */
static unsigned count_differences(const char *name, const expr *a, const expr *b, unsigned inputs, bool say)
{
    unsigned differ = 0;
    reference *left = reference_create(a, a, inputs), *right = reference_create(b, b, inputs);
    assert_non_null(left);
    assert_non_null(right);
    for (unsigned i = 0; i < POINTS; i++) {
        double x[SPEC_MAX_OPERANDS], u = 0, v = 0;
        for (unsigned k = 0; k < inputs; k++) x[k] = point(i, k);
        if (reference_value(left, x, &u, NULL) || reference_value(right, x, &v, NULL))
            fail_msg("%s at %.17g: undecided", name, x[0]);
        if (same_value(u, v)) continue;
        if (say && !differ) fprintf(stderr, "%s at %.17g: %.17g, simplified %.17g\n", name, x[0], u, v);
        differ++;
    }
    reference_free(left);
    reference_free(right);
    return differ;
}

static const char *const formulas[] = {
    "(1 + tanh(x))*(1 - tanh(x))",
    "1 - tanh(x)^2",
    "1 - (1 - erf(x))",
    "2 - erfc(3*x)",
    "1 - erfc(x/7)",
    "exp(x) - 1 - x",
    "log(1 + x^2)",
    "log(1 + exp(2*x - 1))",
    "log(0.25 + 3*exp(x))",
    "log((2*exp(x) + 3*exp(x/2))/5)",
    "log(1 + exp(x) + exp(2*x)) - log(2 + 3*exp(x) + exp(-x)/2)",
    "log(exp(x^2) - 1) + log(1 - exp(-x^2))",
    "log(erfc(x)) + log(normcdf(x))",
    "log((exp(x) + exp(-x))/2)",
    "log(2 + sin(x)) + log(1.5 - sin(x)/2)",
    "if tanh(x) > erf(x) then 1 else if exp(x) < 1 then 2 else 3",
    "log(1 + exp(x) + x^2)",
    "sigmoid(x) + sigmoid(-x)",
    "x^2/(1 + exp(-x))",
    "(1 + exp(-x))^-3",
    "1/(3 + 3*exp(x))",
    "exp(x)*(1 + exp(x))^-2",
    "exp(2*x)/(1 + exp(x))^2",
    "(exp(x) - 1)/(exp(x) + 1)",
    "(1 - exp(-2*x))/(1 + exp(-2*x))",
    "sqrt(x)^2",
    "sqrt(x^2)",
    "sqrt(x)*sqrt(x)",
    "(x^(1/3))^3",
    "(x^3)^(1/3)",
    "x^(1/2)*x^(1/4)",
    "sqrt(4*x)",
    "sqrt(x^2 + 1) - abs(x)",
    "abs(x) - sqrt(x^2 + 1)",
    "1/sqrt(1 + x^2) - x^2*(1 + x^2)^(-3/2)",
    "x/sqrt(1 - x^2)^3 + 1/sqrt(1 - x^2)",
    "2 - 2*x/sqrt(x^2 + 3)",
    "1/(x/2 + exp(-x/3)) - x*(1/2 - exp(-x/3)/3)/(x/2 + exp(-x/3))^2",
    "0.5*x/(1 + abs(x)) + 0.5",
    "0.5 - x*(0.5/(1 + abs(x)) - 0.5*abs(x)/(1 + abs(x))^2)",
    "abs(2*x)/(1 + abs(2*x)) - 2*x/(1 + abs(2*x)) + x",
    "sqrt(x^2 + 1)^3/(x^2 + 1)",
    "sqrt(x^2)^3/x",
    "x*sigmoid(3*x) - x*sigmoid(-3*x)",
    "sqrt(x^4)*sqrt(x^4)*x",
    "sqrt(1 + sqrt(x))^4 + sqrt(x)^2",
    "(x^4 + 1)^(1/2)*(x^4 + 1)^(1/2)",
    "abs(x)^3*sign(x)",
    "sign(x)^3*abs(x)*x^2",
    "sign(x)^2*abs(x)",
    "abs(-x) - abs(x)",
    "sin(-x)*cos(-x)",
    "(x - 1)*(1 - x)",
    "-(x - 1) - (1 - x)",
    "if x > 1 then x^2 else 2*x - 1",
    "min(x, -x) + max(x, -x)",
    "sign(-x)*x",
    "x*normcdf(-x)",
    "exp(-x^2/2)/sqrt(2*pi)",
    "0.1*x - x/10 + 1e-30*x",
    "exp(x)*exp(-2*x) + x",
    "log(sigmoid(2*x))",
    "log(exp(x^2))",
    "log1p(exp(-abs(x)))",
    "tanh(1 - x) + 2*tanh(x - 1)",
    "erf(-x - 1)*erf(x + 1)",
    "clamp(3 - x, 0, 6)*x/6",
    "(2*x)^2/(4*x^2 + 1)",
    "1 + expm1(x)",
    "softplus(x) - 2 * softplus(-x)",
};

/* Formulas whose canonical form has a branch for each side, which is not canonical by itself. */
static const char *const sided_formulas[] = {
    "x + sqrt(x^2 + 4)",
    "1 + x/sqrt(x^2 + 4)",
    "3 - 3*x/sqrt(x^2 + 3)",
    "(x + sqrt(x^2 + 1))*(1 + x/sqrt(x^2 + 1))",
};

static void own_formulas_keep_their_values(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        const expr *e = parse_formula(dag, formulas[i]), *simple = expr_simplify(dag, e, NULL);
        wrong += count_differences(formulas[i], e, simple, 1, true);
        if (expr_simplify(dag, simple, NULL) != simple) {
            fprintf(stderr, "%s: %s is simplified again, to %s\n", formulas[i], formula_text(dag, simple),
                    formula_text(dag, expr_simplify(dag, simple, NULL)));
            wrong++;
        }
    }
    for (size_t i = 0; i < sizeof sided_formulas / sizeof *sided_formulas; i++) {
        const expr *e = parse_formula(dag, sided_formulas[i]);
        wrong += count_differences(sided_formulas[i], e, expr_simplify(dag, e, NULL), 1, true);
    }
    arena_free(memory);
    assert_int_equal(wrong, 0);
}

static bool has_choice(expr_dag *dag, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(expr_dag_memory(dag), e, &count);
    while (count > 0 && nodes[count - 1]->kind != EXPR_IF) count--;
    return count > 0;
}

/* Returns true if only the canonical form has a branch for each side, as that of sided_formulas. */
static bool is_sided(expr_dag *dag, const expr *e, const expr *simple)
{
    return has_choice(dag, simple) && !has_choice(dag, e);
}

static void check_builtin(void *context, const struct spec_builtin_info *info, const struct spec *s,
                          arena *memory)
{
    (void)memory;
    unsigned *wrong = context;
    const struct spec_kernel *k = &s->kernels[0];
    for (uint32_t i = 0; i < k->result_count; i++) {
        const expr *e = k->results[i].value, *simple = expr_simplify(s->dag, e, NULL);
        *wrong += count_differences(info->name, e, simple, k->input_count, true);
        if (expr_simplify(s->dag, simple, NULL) == simple || is_sided(s->dag, e, simple)) continue;
        fprintf(stderr, "%s: %s is simplified again\n", info->name, formula_text(s->dag, simple));
        ++*wrong;
    }
}

static void templates_keep_their_values(void **state)
{
    (void)state;
    unsigned wrong = 0;
    assert_true(for_each_builtin(check_builtin, &wrong) > 30);
    assert_int_equal(wrong, 0);
}

static void domains_stay(void **state)
{
    (void)state;
    static const char *const undefined_below_zero[] = {
        "sqrt(x)^2",     "sqrt(x)*sqrt(x)",     "x^(1/2)*x^(3/2)", "(x^(1/3))^3",    "x^1.5/x^0.5",
        "(sqrt(x)*2)^2", "1/sqrt(x)^2/sqrt(x)", "sqrt(x)^2*x^1.5", "(1 + sqrt(x))^2"};
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    for (size_t i = 0; i < sizeof undefined_below_zero / sizeof *undefined_below_zero; i++) {
        const expr *e = expr_simplify(dag, parse_formula(dag, undefined_below_zero[i]), NULL);
        reference *r = reference_create(e, e, 1);
        double x = -2, y = 0;
        assert_non_null(r);
        assert_int_equal(reference_value(r, &x, &y, NULL), REFERENCE_DECIDED);
        if (!isnan(y))
            fail_msg("%s became %s, %.17g at -2", undefined_below_zero[i], formula_text(dag, e), y);
        reference_free(r);
    }
    arena_free(memory);
}

/* ---- rules broken on purpose ---- */

static const struct {
    const char *rule, *formula;
} rules[] = {
    {"1 + tanh", "1 + tanh(x)"},       {"1 - tanh", "1 - tanh(x)"}, {"1 + erf", "1 + erf(x)"},
    {"1 - erf", "1 - erf(x)"},         {"1 - erfc", "1 - erfc(x)"}, {"2 - erfc", "2 - erfc(x)"},
    {"1 - sigmoid", "1 - sigmoid(x)"}, {"exp - 1", "exp(x) - 1"},   {"1 + expm1", "1 + expm1(x)"},
};

static void broken_rules_change_values(void **state)
{
    (void)state;
    arena *memory = test_memory();
    expr_dag *dag = expr_dag_create(memory, MOST_NODES);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        const expr *e = parse_formula(dag, rules[i].formula);
        assert_ptr_not_equal(expr_simplify(dag, e, NULL), e);
        if (!count_differences(rules[i].formula, e, expr_simplify(dag, e, rules[i].rule), 1, false))
            fail_msg("breaking `%s` changes nothing", rules[i].rule);
        /* Breaking a rule changes only its own formula. */
        for (size_t other = 0; other < sizeof rules / sizeof *rules; other++)
            if (other != i && expr_simplify(dag, e, rules[other].rule) != expr_simplify(dag, e, NULL))
                fail_msg("breaking `%s` changes %s", rules[other].rule, rules[i].formula);
    }
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_give_the_canonical_form),
        cmocka_unit_test(equal_formulas_are_the_same_node),
        cmocka_unit_test(own_formulas_keep_their_values),
        cmocka_unit_test(templates_keep_their_values),
        cmocka_unit_test(domains_stay),
        cmocka_unit_test(broken_rules_change_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
