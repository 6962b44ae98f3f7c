/* What a program of f64 lacks at single inputs: NaN, infinities, zeros, poles. */
#include "budget.h"
#include "f64_shape.h"
#include "interp.h"

#include <math.h>

enum { MOST_POINTS = 12 };

struct repairs {
    unsigned count; /* inputs that have values of their own */
    double at[MOST_POINTS], value[MOST_POINTS];
    bool zero_keeps_sign; /* the value at -0 is that at 0, negated */
    bool zeros_differ;    /* it is another number */
    double negative_zero; /* this one */
    bool nan;
};

bool f64_run(const lane_program *p, const double *x, double *y, size_t count)
{
    void *operands[2] = {(void *)x, y};
    interp *run = interp_create(p);
    if (run) interp_run(run, operands, count);
    interp_free(run);
    return run;
}

static lane_value repaired(lane_program *p, lane_value x, lane_value y, const struct repairs *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        lane_value value = lane_const(p, LANE_F64, r->value[i]);
        if (r->at[i] == 0 && r->zero_keeps_sign) { /* the bits of a zero are its sign */
            const lane_value bits = lane_unary(p, LANE_BITCAST, x);
            value = lane_binary(p, LANE_XOR, bits, lane_unary(p, LANE_BITCAST, value));
            value = lane_unary(p, LANE_BITCAST, value);
        }
        if (r->at[i] == 0 && r->zeros_differ) {
            const lane_value zero = lane_const_bits(p, LANE_I64, 0);
            const lane_value is_negative = lane_binary(p, LANE_ILT, lane_unary(p, LANE_BITCAST, x), zero);
            value = lane_select(p, is_negative, lane_const(p, LANE_F64, r->negative_zero), value);
        }
        const lane_value here = lane_binary(p, LANE_EQ, x, lane_const(p, LANE_F64, r->at[i]));
        y = lane_select(p, here, value, y);
    }
    return r->nan ? lane_select(p, lane_binary(p, LANE_EQ, x, x), y, x) : y;
}

static lane_program *build(const struct f64_candidate *c, const struct plan_request *request,
                           const struct repairs *r)
{
    bool possible = true;
    lane_program *p = lane_create(expr_dag_memory(request->dag), &request->profile);
    const lane_value x = lane_load(p, LANE_F64, 0), y = c->build(c->parameters, p, x, &possible);
    if (!possible) return NULL;
    lane_store(p, repaired(p, x, y, r), 1);
    return lane_canonical(p);
}

/* As an f64. */
static double value_of(const struct f64_exact *e)
{
    if (e->high == 0 || !isfinite(e->high) || e->exponent > 1100 || e->exponent < -1100)
        return e->high != 0 && e->exponent < -1100 ? copysign(0, e->high)
               : e->exponent > 1100                ? copysign((double)INFINITY, e->high)
                                                   : e->high;
    return ldexp(e->high, (int)e->exponent);
}

static bool is_wrong(double y, double x, const struct f64_exact *exact, const struct spec_bound *bound)
{
    const bool by_abs = bound->kind == BOUND_ABS;
    if (exact->undecided || exact->zero) return !(y == 0) && !exact->undecided;
    const struct f64_error e = f64_error_of(y, exact, x, !by_abs);
    return by_abs ? e.absolute > bound->value : e.ulp > BUDGET_SPECIAL;
}

static void examine_point(struct repairs *r, const lane_program *p, const struct plan_request *request,
                          reference *truth, double x)
{
    struct f64_exact exact;
    double y = NAN;
    for (unsigned i = 0; i < r->count; i++)
        if (r->at[i] == x) return;
    f64_exact_value(&exact, truth, 0, x);
    if (r->count == MOST_POINTS || !f64_run(p, &x, &y, 1) || !is_wrong(y, x, &exact, &request->bound)) return;
    /* a number at a finite input is the shape's to get right */
    if (isfinite(x) && x != 0 && isfinite(value_of(&exact)) && value_of(&exact) != 0) return;
    r->at[r->count] = x;
    r->value[r->count++] = value_of(&exact);
}

/* Both zeros are one input to a comparison. */
static void examine_zeros(struct repairs *r, const lane_program *p, const struct plan_request *request,
                          reference *truth)
{
    struct f64_exact exact[2];
    const double x[2] = {0.0, -0.0};
    double y[2];
    if (!f64_run(p, x, y, 2)) return;
    for (int i = 0; i < 2; i++) f64_exact_value(&exact[i], truth, 0, x[i]);
    if (!is_wrong(y[0], x[0], &exact[0], &request->bound) &&
        !is_wrong(y[1], x[1], &exact[1], &request->bound))
        return;
    const double positive = value_of(&exact[0]), negative = value_of(&exact[1]);
    r->zeros_differ = !(fabs(positive) == fabs(negative)) && !(isnan(positive) && isnan(negative));
    r->negative_zero = negative;
    r->zero_keeps_sign = !r->zeros_differ && !signbit(positive) != !signbit(negative);
    r->at[r->count] = 0;
    r->value[r->count++] = positive;
}

bool f64_finish(struct f64_candidate *c, const struct plan_request *request, const struct f64_sample *sample)
{
    struct repairs r = {0};
    lane_program *p = build(c, request, &r);
    double nan = NAN, y = 0;
    if (!p || !f64_run(p, &nan, &y, 1)) return false;
    examine_point(&r, p, request, sample->truth, (double)INFINITY);
    examine_point(&r, p, request, sample->truth, -(double)INFINITY);
    examine_zeros(&r, p, request, sample->truth);
    for (unsigned i = 0; i < sample->kink_count; i++)
        if (sample->kinks[i] != 0) examine_point(&r, p, request, sample->truth, sample->kinks[i]);
    r.nan = true;
    c->program = build(c, request, &r);
    return c->program != NULL;
}
