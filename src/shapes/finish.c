/* What every candidate program must have besides a small error: NaN in gives NaN out, the limits at the
 * infinities, the values at zero. */
#include "interp.h"
#include "shape.h"

#include <math.h>
#include <string.h>

/* What is known of a value when the loaded operand is NaN. */
enum knowledge {
    UNKNOWN,
    IS_NAN,  /* also an integer with the bits of a NaN */
    IS_SIGN, /* an integer with no bit but perhaps a float's sign */
    IS_FALSE,
    IS_TRUE
};

static enum knowledge of_select(enum knowledge condition, enum knowledge a, enum knowledge b)
{
    if (condition == IS_TRUE) return a;
    if (condition == IS_FALSE) return b;
    return a == b ? a : UNKNOWN;
}

static bool is_sign_mask(const struct lane_instruction *i)
{
    return i->op == LANE_CONST && i->bits == (i->type == LANE_I32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63);
}

/* Integer operations read a NaN's bits, which differ between machines; all but the sign of them, and what
 * other signs do to it, leave it a NaN. */
static enum knowledge of_integers(const lane_program *p, const struct lane_instruction *i, enum knowledge a,
                                  enum knowledge b)
{
    if (i->op == LANE_AND)
        return is_sign_mask(&p->code[i->operand[0]]) || is_sign_mask(&p->code[i->operand[1]]) ? IS_SIGN
                                                                                              : UNKNOWN;
    return (a == IS_NAN && b == IS_SIGN) || (a == IS_SIGN && b == IS_NAN) ? IS_NAN : UNKNOWN;
}

/* Answers for ops whose columns leave it to their meaning. */
static enum knowledge of_meaning(const lane_program *p, const struct lane_instruction *i, enum knowledge a,
                                 enum knowledge b, enum knowledge c)
{
    switch (i->op) {
    case LANE_MNOT: return a == IS_FALSE ? IS_TRUE : a == IS_TRUE ? IS_FALSE : UNKNOWN;
    case LANE_MAND: return a == IS_FALSE || b == IS_FALSE ? IS_FALSE : UNKNOWN;
    case LANE_MOR: return a == IS_TRUE || b == IS_TRUE ? IS_TRUE : UNKNOWN;
    case LANE_SELECT: return of_select(a, b, c);
    case LANE_AND:
    case LANE_OR:
    case LANE_XOR: return of_integers(p, i, a, b);
    default: return UNKNOWN;
    }
}

static enum knowledge of_instruction(const lane_program *p, const struct lane_instruction *i,
                                     const enum knowledge *known)
{
    const enum knowledge a = known[i->operand[0]], b = known[i->operand[1]], c = known[i->operand[2]];
    bool any = false;
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) any |= known[i->operand[k]] == IS_NAN;
    switch (lane_ops[i->op].nan) {
    case LANE_NAN_LOADED: return IS_NAN;
    case LANE_NAN_ANY: return any ? IS_NAN : UNKNOWN;
    case LANE_NAN_FIRST: return a == IS_NAN ? IS_NAN : UNKNOWN;
    case LANE_NAN_SECOND: return b == IS_NAN ? IS_NAN : UNKNOWN;
    case LANE_NAN_FALSE: return any ? IS_FALSE : UNKNOWN;
    case LANE_NAN_MEANING: return of_meaning(p, i, a, b, c);
    case LANE_NAN_UNKNOWN: return UNKNOWN;
    }
    return UNKNOWN;
}

/* True if a NaN surely reaches the result, through floating-point operations alone. */
static bool keeps_nan(const lane_program *p)
{
    enum knowledge *known = arena_alloc(p->memory, p->count * sizeof *known), result = UNKNOWN;
    for (uint32_t i = 0; i < p->count; i++) {
        known[i] = of_instruction(p, &p->code[i], known);
        if (p->code[i].op == LANE_STORE) result = known[i];
    }
    return result == IS_NAN;
}

struct repairs {
    bool nan, limit[2], cut[2], zero;
    double limit_value[2]; /* at -infinity, +infinity */
    double last[2];        /* beyond this the result is the limit: x is cut there */
    double zero_value[2];  /* at -0, +0 */
};

static lane_value cut(lane_program *p, lane_value x, const struct repairs *r)
{
    /* min and max give their second operand if either is NaN (lane/ops.def) */
    if (r->cut[0]) x = lane_binary(p, LANE_MAX, lane_const(p, LANE_F32, r->last[0]), x);
    return r->cut[1] ? lane_binary(p, LANE_MIN, lane_const(p, LANE_F32, r->last[1]), x) : x;
}

static bool is_same_size(double a, double b) { return fabs(a) == fabs(b) || (isnan(a) && isnan(b)); }

/* The value at x = 0, with x's sign if the two differ in theirs alone. */
static lane_value value_at_zero(lane_program *p, lane_value x, const struct repairs *r)
{
    lane_value positive = lane_const(p, LANE_F32, r->zero_value[1]);
    lane_value bits = lane_unary(p, LANE_BITCAST, x); /* of a zero: its sign alone */
    if (!is_same_size(r->zero_value[0], r->zero_value[1])) {
        lane_value is_negative = lane_binary(p, LANE_ILT, bits, lane_const_bits(p, LANE_I32, 0));
        return lane_select(p, is_negative, lane_const(p, LANE_F32, r->zero_value[0]), positive);
    }
    if (!signbit(r->zero_value[0]) == !signbit(r->zero_value[1])) return positive;
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_XOR, bits, lane_unary(p, LANE_BITCAST, positive)));
}

static lane_value repair(lane_program *p, lane_value x, lane_value y, const struct repairs *r)
{
    for (int side = 0; side < 2; side++) {
        if (!r->limit[side]) continue;
        double infinity = side ? (double)INFINITY : -(double)INFINITY;
        lane_value at_infinity = lane_binary(p, LANE_EQ, x, lane_const(p, LANE_F32, infinity));
        y = lane_select(p, at_infinity, lane_const(p, LANE_F32, r->limit_value[side]), y);
    }
    if (r->zero)
        y = lane_select(p, lane_binary(p, LANE_EQ, x, lane_const(p, LANE_F32, 0)), value_at_zero(p, x, r), y);
    return r->nan ? lane_select(p, lane_binary(p, LANE_EQ, x, x), y, x) : y;
}

static lane_program *build(const struct candidate *c, const struct plan_request *request,
                           const struct repairs *r)
{
    bool possible = true;
    lane_program *p = lane_create(expr_dag_memory(request->dag), &request->profile);
    lane_value x = lane_load(p, LANE_F32, 0);
    lane_value y = c->build(c->parameters, p, cut(p, x, r), &possible);
    if (!possible) return NULL;
    lane_store(p, repair(p, x, y, r), 1);
    return lane_canonical(p);
}

static double stored(const struct plan_request *r, double value)
{
    return (double)element_types[r->result].rounded((float)value);
}

/* Whether a value is off; limits that do not exist must be NaN. An absolute bound leaves room, and so does a 16-bit
 * result: what counts is what it is rounded to. */
static bool is_wrong(double out, double exact, bool exact_sign, const struct plan_request *r)
{
    const struct spec_bound *bound = &r->bound;
    if (isnan(exact) || isnan(out)) return isnan(exact) != isnan(out);
    if (element_is_half(r->result)) out = stored(r, out), exact = stored(r, exact);
    if (isinf(exact)) return out != exact;
    if (element_is_half(r->result))
        return out != exact || (exact_sign && out == 0 && !signbit(out) != !signbit(exact));
    if (bound->kind == BOUND_ABS) return !(fabs(out - exact) <= bound->value * fmax(1, fabs(exact)));
    return !(fabs(out - exact) <= 0x1p-24 * fabs(exact) + 0x1p-149) ||
           (exact_sign && out == 0 && !signbit(out) != !signbit(exact));
}

enum { PROBES = 122, FIRST_EXPONENT = 5 }; /* of infinity, then +-2^127, 2^126, ..., 2^5, and of zero */

/* The program's values at 0, +-2^k and infinity, of either side. */
static bool probe(const lane_program *p, int side, float *y)
{
    float x[PROBES + 2];
    const float sign = side ? 1 : -1;
    void *operands[2] = {x, y};
    interp *run = interp_create(p);
    if (!run) return false;
    x[0] = sign * INFINITY;
    for (int i = 0; i <= PROBES; i++) x[i + 1] = sign * ldexpf(1, FIRST_EXPONENT + PROBES - i);
    x[PROBES + 1] = copysignf(0, sign);
    interp_run(run, operands, PROBES + 2);
    interp_free(run);
    return true;
}

/* As one of the result's type: what no larger input changes. The sign of a zero may be free. */
static bool is_limit(double value, double limit, bool free_sign, const struct plan_request *r)
{
    if (isnan(value) || isnan(limit)) return false;
    if (limit != 0 && !signbit(value) != !signbit(limit)) return false;
    if (element_is_half(r->result)) value = stored(r, value), limit = stored(r, limit);
    if (isinf(limit)) return fabs(value) >= 0x1.ffffffp127;
    if (limit == 0) return fabs(value) <= 0x1p-150 && (free_sign || !signbit(value) == !signbit(limit));
    return (double)(float)value == (double)(float)limit;
}

/* Far from the limit that the exact value has reached, as no rounding explains. */
static bool is_astray(double out, double limit, bool free_sign, const struct plan_request *r)
{
    const struct spec_bound *bound = &r->bound;
    if (isnan(out)) return true;
    if (element_is_half(r->result)) out = stored(r, out), limit = stored(r, limit);
    if (isinf(limit)) return out != limit;
    if (!element_is_half(r->result) && bound->kind == BOUND_ABS)
        return fabs(out - limit) > bound->value * fmax(1, fabs(limit));
    if (limit == 0) return fabs(out) > 0x1p-140 || (!free_sign && !signbit(out) != !signbit(limit));
    return fabs(out - limit) > (element_is_half(r->result) ? 0x1p-6 : 0x1p-10) * fabs(limit);
}

/* Where the result has reached its limit but the program's has not, because its parts overflow or die out at
 * different places: x is cut at the least power of two from which on the limit is reached. */
static bool find_cut(struct repairs *r, int side, const float *y, reference *truth, bool free_sign,
                     const struct plan_request *request)
{
    const int largest = element_types[request->argument].format.max_exponent; /* of its inputs */
    const double sign = side ? 1 : -1, limit = r->limit_value[side];
    bool wrong = false;
    for (int i = 1 + FIRST_EXPONENT + PROBES - largest; i <= PROBES; i++) {
        double x = sign * ldexp(1, FIRST_EXPONENT + PROBES + 1 - i), value;
        if (i < 1 || (!wrong && !is_astray((double)y[i], limit, free_sign, request))) continue;
        if (reference_value(truth, &x, &value, NULL) != REFERENCE_DECIDED ||
            !is_limit(value, limit, free_sign, request))
            break;
        wrong = true;
        r->last[side] = x;
    }
    return wrong;
}

/* Whether one of the two values at zero is wrong. */
static bool find_zero(struct repairs *r, const float *at, reference *truth,
                      const struct plan_request *request)
{
    bool wrong = false;
    for (int side = 0; side < 2; side++) {
        double x = side ? 0.0 : -0.0, exact;
        bool exact_zero;
        if (reference_value(truth, &x, &exact, &exact_zero) != REFERENCE_DECIDED) return false;
        wrong = wrong || is_wrong((double)at[side], exact, !exact_zero, request);
        r->zero_value[side] = exact;
    }
    return wrong;
}

/* What the program lacks at the infinities and at zero. */
static bool examine(struct repairs *r, const lane_program *p, const struct plan_request *request,
                    reference *truth)
{
    float y[2][PROBES + 2];
    bool any = false;
    for (int side = 0; side < 2; side++) {
        double x = side ? (double)INFINITY : -(double)INFINITY, limit;
        bool exact_zero;
        if (!probe(p, side, y[side])) return false;
        if (reference_value(truth, &x, &limit, &exact_zero) != REFERENCE_DECIDED) continue;
        r->limit_value[side] = limit;
        r->cut[side] = !isnan(limit) && find_cut(r, side, y[side], truth, exact_zero, request);
        r->limit[side] = is_wrong((double)y[side][0], limit, !exact_zero, request);
        any = any || r->limit[side] || r->cut[side];
    }
    const float at_zero[2] = {y[0][PROBES + 1], y[1][PROBES + 1]};
    r->zero = find_zero(r, at_zero, truth, request);
    return any || r->zero;
}

bool candidate_finish(struct candidate *c, const struct plan_request *request, reference *truth)
{
    struct repairs r = {0};
    lane_program *p = build(c, request, &r);
    if (!p) return false;
    r.nan = !keeps_nan(p);
    const bool lacking = examine(&r, p, request, truth);
    c->program = r.nan || lacking ? build(c, request, &r) : p;
    c->cost = plan_cost(c->program, request->costs);
    return true;
}
