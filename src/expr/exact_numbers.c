/* Computes with rational numbers exactly, within limits of their size. */
#include "expr.h"

size_t expr_number_bits(mpq_srcptr q)
{
    return mpz_sizeinbase(mpq_numref(q), 2) + mpz_sizeinbase(mpq_denref(q), 2);
}

long expr_number_exponent(mpq_srcptr q)
{
    const long up = (long)mpz_sizeinbase(mpq_numref(q), 2), down = (long)mpz_sizeinbase(mpq_denref(q), 2);
    long e = up - down; /* 2^(e - 1) < |q| < 2^(e + 1) */
    mpz_t scaled;
    mpz_init(scaled);
    if (e >= 0)
        mpz_mul_2exp(scaled, mpq_denref(q), (unsigned long)e);
    else
        mpz_mul_2exp(scaled, mpq_numref(q), (unsigned long)-e);
    const int order = e >= 0 ? mpz_cmpabs(mpq_numref(q), scaled) : mpz_cmpabs(scaled, mpq_denref(q));
    if (order < 0) e--;
    mpz_clear(scaled);
    return e;
}

bool expr_number_combine(mpq_ptr out, enum expr_kind kind, mpq_srcptr a, mpq_srcptr b)
{
    switch (kind) {
    case EXPR_ADD: mpq_add(out, a, b); return true;
    case EXPR_SUB: mpq_sub(out, a, b); return true;
    case EXPR_MUL: mpq_mul(out, a, b); return true;
    case EXPR_DIV:
        if (mpq_sgn(b)) mpq_div(out, a, b);
        return mpq_sgn(b) != 0;
    case EXPR_MIN: mpq_set(out, mpq_cmp(a, b) < 0 ? a : b); return true;
    case EXPR_MAX: mpq_set(out, mpq_cmp(a, b) > 0 ? a : b); return true;
    default: return false;
    }
}

bool expr_number_raise(mpq_ptr out, mpq_srcptr base, mpq_srcptr exponent, unsigned long most_exponent,
                       size_t most_bits)
{
    mpz_srcptr power = mpq_numref(exponent);
    if (mpz_cmp_ui(mpq_denref(exponent), 1) != 0 || mpz_cmpabs_ui(power, most_exponent) > 0) return false;
    const unsigned long n = mpz_get_ui(power); /* the magnitude */
    const bool inverse = mpz_sgn(power) < 0;
    if (expr_number_bits(base) * n > most_bits || (inverse && !mpq_sgn(base))) return false;
    mpz_pow_ui(mpq_numref(out), mpq_numref(base), n);
    mpz_pow_ui(mpq_denref(out), mpq_denref(base), n);
    if (inverse) mpq_inv(out, out);
    return true;
}

const expr *expr_combined(expr_dag *dag, enum expr_kind kind, const expr *a, const expr *b)
{
    mpq_t q;
    mpq_init(q);
    const expr *e = expr_number_combine(q, kind, a->number, b->number) ? expr_number(dag, q) : NULL;
    mpq_clear(q);
    return e;
}

enum { MOST_BITS = 8192, MOST_WORK = 1000 };

static bool exact_value(const expr *e, mpq_ptr out, unsigned *work)
{
    if (++*work > MOST_WORK) return false;
    bool good = true;
    long halves;
    if (e->kind == EXPR_NUMBER) {
        mpq_set(out, e->number);
    } else if (e->kind == EXPR_NEG || e->kind == EXPR_abs) {
        good = exact_value(e->operand[0], out, work);
        if (e->kind == EXPR_NEG || mpq_sgn(out) < 0) mpq_neg(out, out);
    } else if (e->kind == EXPR_POWER) {
        good = exact_value(e->operand[0], out, work) &&
               expr_number_raise(out, out, e->number, EXPR_MOST_EXPONENT, MOST_BITS);
        /* A function has a rational value only where its argument is 0. */
    } else if (expr_halves_at_zero(e->kind, &halves)) {
        good = exact_value(e->operand[0], out, work) && !mpq_sgn(out);
        mpq_set_si(out, halves, 2);
        mpq_canonicalize(out);
    } else if (expr_arity(e->kind) == 2) {
        mpq_t other;
        mpq_init(other);
        good = exact_value(e->operand[0], out, work) && exact_value(e->operand[1], other, work) &&
               expr_number_combine(out, e->kind, out, other);
        mpq_clear(other);
    } else {
        good = false;
    }
    return good && expr_number_bits(out) <= MOST_BITS;
}

bool expr_constant_value(const expr *e, mpq_ptr out)
{
    unsigned work = 0;
    return exact_value(e, out, &work);
}
