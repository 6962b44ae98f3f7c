/* Computes the exact values of formulas that contain only numbers: exponents, bounds and intervals. */
#include "made_inputs.h"

#include <math.h>
#include <mpfr.h>
#include <stdlib.h>

enum { MAX_EXPONENT_OF_INPUT = 64 };

/* Checks an exponent. Returns the message, or NULL if the exponent is valid. */
static const char *exponent_problem(const expr *base, mpq_srcptr exponent)
{
    bool integer = !mpz_cmp_ui(mpq_denref(exponent), 1);
    unsigned long limit = expr_is_constant(base) ? EXPR_MOST_EXPONENT : MAX_EXPONENT_OF_INPUT;
    mpz_t bound;
    mpz_init(bound);
    mpz_mul_ui(bound, mpq_denref(exponent), limit);
    bool beyond = mpz_cmpabs(mpq_numref(exponent), bound) > 0;
    mpz_clear(bound);
    if (beyond && limit == MAX_EXPONENT_OF_INPUT) return "an exponent is at most 64 either way";
    if (beyond) return "the exponent of a number is at most 2000 either way";
    if (!integer && expr_number_bits(exponent) > 128) return "the exponent has too many digits";
    return NULL;
}

/* Returns n if the number is 2^n, and 0 for other numbers. The number 1 also gives 0. */
static long log2_of(mpq_srcptr q)
{
    mpz_srcptr top = mpq_numref(q), bottom = mpq_denref(q);
    if (mpz_popcount(top) != 1 || mpz_popcount(bottom) != 1) return 0;
    return (long)mpz_sizeinbase(top, 2) - (long)mpz_sizeinbase(bottom, 2);
}

/* Makes the power of a constant base with a variable exponent n: exp2(k*n) for the base 2^k, exp(n) for e,
 * and exp(n*log(a)) for other bases a. */
static const expr *power_of_constant(struct program *p, struct frame *f, struct reading of, struct reading to)
{
    const expr *base = of.value, *power = to.value;
    if (!expr_is_constant(base))
        return program_fail(
            p, f, DIAG_SYNTAX, to.place,
            "base or exponent is a constant; a power of two variables is written exp(b*log(a))");
    if (base->kind == EXPR_exp) {
        const expr *factor = base->operand[0];
        if (!expr_is_number(factor, 1, 1)) power = expr_binary(p->dag, EXPR_MUL, power, factor);
        return expr_unary(p->dag, EXPR_exp, power);
    }
    mpq_t value;
    mpq_init(value);
    const bool known = expr_constant_value(base, value);
    const bool positive = known ? mpq_sgn(value) > 0 : base->kind != EXPR_NEG;
    const long log2 = known && positive ? log2_of(value) : 0;
    mpq_clear(value);
    if (!positive)
        return program_fail(
            p, f, DIAG_SYNTAX, of.place,
            "the base of a variable power is positive; a negative one has constant powers only");
    if (!log2)
        return expr_unary(p->dag, EXPR_exp,
                          expr_binary(p->dag, EXPR_MUL, power, expr_unary(p->dag, EXPR_log, base)));
    if (log2 == -1) power = expr_unary(p->dag, EXPR_NEG, power);
    if (labs(log2) != 1) power = expr_binary(p->dag, EXPR_MUL, expr_integer(p->dag, log2), power);
    return expr_unary(p->dag, EXPR_exp2, power);
}

const expr *elaborate_power(struct program *p, struct frame *f, struct reading base, struct reading power)
{
    if (!expr_is_constant(power.value)) return power_of_constant(p, f, base, power);
    mpq_t exponent;
    mpq_init(exponent);
    const char *problem = expr_constant_value(power.value, exponent)
                              ? exponent_problem(base.value, exponent)
                              : "an exponent is a rational number such as 3, -2 or 1/3";
    const expr *e = problem ? NULL : expr_power(p->dag, base.value, exponent);
    mpq_clear(exponent);
    return problem ? program_fail(p, f, DIAG_SYNTAX, power.place, "%s", problem) : e;
}

/* Returns the nearest double. mpq_get_d would truncate. */
static double nearest_double(mpq_srcptr q)
{
    mpfr_t x;
    mpfr_init2(x, 53);
    mpfr_set_q(x, q, MPFR_RNDN);
    double d = mpfr_get_d(x, MPFR_RNDN);
    mpfr_clear(x);
    return d;
}

static bool elaborate_double(struct program *p, struct frame *f, const struct formula *s, bool infinite,
                             double *out)
{
    const expr *e = elaborate_number(p, f, s);
    if (!e) return false;
    const expr *magnitude = e->kind == EXPR_NEG ? e->operand[0] : e;
    if (infinite && magnitude->kind == EXPR_INFINITY) {
        *out = e == magnitude ? (double)INFINITY : (double)-INFINITY;
        return true;
    }
    mpq_t value;
    mpq_init(value);
    bool good = expr_constant_value(e, value);
    if (good) *out = nearest_double(value);
    mpq_clear(value);
    if (!good) program_fail(p, f, DIAG_SYNTAX, s->place, "expected a number such as 3, 0.5 or 2^-22");
    return good;
}

bool elaborate_bound(struct program *p, const struct source *source, const struct syntax_bound *s,
                     struct spec_bound *out)
{
    struct made_inputs none = {0};
    struct frame f = {.source = source, .place = s->place, .made = &none};
    *out = (struct spec_bound){.kind = s->kind, .flush = s->flush};
    if (s->kind == BOUND_DEFAULT) return true;
    if (!elaborate_double(p, &f, &s->value, false, &out->value)) return false;
    struct span place = s->value.place;
    if (!(out->value > 0) || out->value > 1e30)
        return program_fail(p, &f, DIAG_SYNTAX, place, "an accuracy is a positive number");
    if (s->kind == BOUND_ULP && out->value < 0.5)
        return program_fail(p, &f, DIAG_SYNTAX, place, "no rounded result is better than 0.5 ulp");
    if (s->flush && out->value < 1)
        return program_fail(
            p, &f, DIAG_SYNTAX, place,
            "with `flush`, a bound is at least 1 ulp; write `1 ulp flush`, or leave out `flush`");
    if (!s->has_interval) return true;
    out->has_interval = true;
    if (!elaborate_double(p, &f, &s->low, true, &out->low) ||
        !elaborate_double(p, &f, &s->high, true, &out->high))
        return false;
    if (!(out->low < out->high))
        return program_fail(p, &f, DIAG_SYNTAX,
                            (struct span){s->low.place.offset,
                                          s->high.place.offset + s->high.place.length - s->low.place.offset},
                            "the interval is empty");
    return true;
}
