/* Adds to every candidate program what it needs besides a small error. NaN in gives NaN out. The limits at
 * the infinities and the values at zero are right. For f64, so are values at kinks that are no
 * numbers. */
#include "budget.h"
#include "measure.h"
#include "shape.h"

#include <math.h>
#include <string.h>

/* The knowledge about a value for a loaded operand that is NaN. */
enum knowledge {
    UNKNOWN,
    IS_NAN,  /* a NaN, or an integer with the bits of a NaN */
    IS_SIGN, /* an integer whose bits are all 0, except perhaps the sign bit of a float */
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

/* Handles operations on integers. They read a NaN's bits, which differ between machines. Only two results are
 * known. AND with the sign mask gives a sign. A NaN combined with a sign is still a NaN. */
static enum knowledge of_integers(const lane_program *p, const struct lane_instruction *i, enum knowledge a,
                                  enum knowledge b)
{
    if (i->op == LANE_AND)
        return is_sign_mask(&p->code[i->operand[0]]) || is_sign_mask(&p->code[i->operand[1]]) ? IS_SIGN
                                                                                              : UNKNOWN;
    return (a == IS_NAN && b == IS_SIGN) || (a == IS_SIGN && b == IS_NAN) ? IS_NAN : UNKNOWN;
}

/* Handles the operations whose row in ops.def does not say which inputs may be NaN. */
static enum knowledge of_meaning(const lane_program *p, const struct lane_instruction *i, enum knowledge a,
                                 enum knowledge b, enum knowledge c)
{
    switch (i->op) {
    case LANE_MNOT: return a == IS_FALSE ? IS_TRUE : a == IS_TRUE ? IS_FALSE : UNKNOWN;
    case LANE_MAND: return a == IS_FALSE || b == IS_FALSE ? IS_FALSE : UNKNOWN;
    case LANE_MOR: return a == IS_TRUE || b == IS_TRUE ? IS_TRUE : UNKNOWN;
    case LANE_SELECT:
    case LANE_RARELY: return of_select(a, b, c);
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

/* Returns true if a NaN surely reaches the result through floating-point operations. */
static bool keeps_nan(const lane_program *p)
{
    enum knowledge *known = arena_alloc(p->memory, p->count * sizeof *known), result = UNKNOWN;
    for (uint32_t i = 0; i < p->count; i++) {
        known[i] = of_instruction(p, &p->code[i], known);
        if (p->code[i].op == LANE_STORE) result = known[i];
    }
    return result == IS_NAN;
}

enum { MOST_POINTS = 12 };

struct repairs {
    bool nan, cut[2];
    double last[2]; /* Beyond this x, the result is the limit. x is clamped here. */
    double zero[2]; /* the values at -0 and +0 */
    /* The number of inputs with values of their own. A comparison cannot tell the two zeros apart, so that
     * they are one point. */
    unsigned count;
    struct {
        double at, value; /* for x = 0, see `zero` */
    } point[MOST_POINTS];
};

/* The request and the formats against which a candidate is examined. */
struct finish {
    const struct plan_request *request;
    struct traits *traits;
    enum lane_type lane;               /* the type of the argument and the result */
    const struct float_format *format; /* the format of these lanes */
};

/* -- repairs -- */

static lane_value cut_argument(lane_program *p, lane_value x, const struct repairs *r, enum lane_type lane)
{
    /* min and max return their second operand if either operand is NaN (lane/ops.def). */
    if (r->cut[0]) x = lane_max(p, lane_const(p, lane, r->last[0]), x);
    return r->cut[1] ? lane_min(p, lane_const(p, lane, r->last[1]), x) : x;
}

static bool is_same_size(double a, double b) { return fabs(a) == fabs(b) || (isnan(a) && isnan(b)); }

/* Returns the value at x = 0. If the values at the zeros differ only in sign, the result gets x's
 * sign. */
static lane_value value_at_zero(lane_program *p, lane_value x, const double zero[2], enum lane_type lane)
{
    const enum lane_type integer = lane_types[lane].other_side;
    lane_value positive = lane_const(p, lane, zero[1]);
    lane_value bits = lane_unary(p, LANE_BITCAST, x); /* only the sign, because x is a zero */
    if (!is_same_size(zero[0], zero[1])) {
        lane_value is_negative = lane_binary(p, LANE_ILT, bits, lane_const_bits(p, integer, 0));
        return lane_select(p, is_negative, lane_const(p, lane, zero[0]), positive);
    }
    if (!signbit(zero[0]) == !signbit(zero[1])) return positive;
    return lane_unary(p, LANE_BITCAST, lane_binary(p, LANE_XOR, bits, lane_unary(p, LANE_BITCAST, positive)));
}

static lane_value repair(lane_program *p, lane_value x, lane_value y, const struct repairs *r,
                         enum lane_type lane)
{
    for (unsigned i = 0; i < r->count; i++) {
        const double at = r->point[i].at;
        const lane_value here = lane_binary(p, LANE_EQ, x, lane_const(p, lane, at));
        const lane_value value =
            at == 0 ? value_at_zero(p, x, r->zero, lane) : lane_const(p, lane, r->point[i].value);
        y = lane_select(p, here, value, y);
    }
    return r->nan ? lane_select(p, lane_binary(p, LANE_EQ, x, x), y, x) : y;
}

static lane_program *build_finished(const struct candidate *c, const struct finish *f,
                                    const struct repairs *r)
{
    bool possible = true;
    lane_program *p = lane_create(expr_dag_memory(f->request->dag), &f->request->profile);
    lane_value x = lane_load(p, f->lane, 0);
    lane_value y = c->build(c->parameters, p, cut_argument(p, x, r, f->lane), &possible);
    if (!possible) return NULL;
    lane_store(p, repair(p, x, y, r, f->lane), 1);
    return lane_canonical(p);
}

/* -- examining a program -- */

static bool has_half_result(const struct finish *f) { return element_is_half(f->request->piece.result); }

/* Returns whether an absolute bound says how far off the limits may be. */
static bool is_by_abs(const struct finish *f)
{
    return f->request->piece.bound.kind == BOUND_ABS && !f->request->unrounded;
}

/* Returns the value as the result's lane holds it. */
static double in_lane(const struct finish *f, double value)
{
    return lane_is_wide(f->lane) ? value : (double)(float)value;
}

/* Returns the value after the store's rounding. */
static double stored(const struct finish *f, double value)
{
    return has_half_result(f) ? (double)element_types[f->request->piece.result].rounded((float)value) : value;
}

static double least_subnormal(const struct finish *f)
{
    return ldexp(1, float_spacing_exponent(f->format, f->format->min_exponent));
}

/* Returns whether a value is wrong. A limit that does not exist must be NaN. An absolute bound leaves room. A
 * 16-bit result counts after it is rounded. Any other result may differ only by a lane's rounding. */
static bool is_wrong(const struct finish *f, double out, double exact, bool exact_sign)
{
    const struct spec_bound *bound = &f->request->piece.bound;
    if (isnan(exact) || isnan(out)) return isnan(exact) != isnan(out);
    out = stored(f, out), exact = stored(f, exact);
    const bool wrong_sign = exact_sign && out == 0 && !signbit(out) != !signbit(exact);
    if (isinf(exact)) return out != exact;
    if (has_half_result(f) && !is_by_abs(f)) return out != exact || wrong_sign;
    if (bound->kind == BOUND_ABS) return !(fabs(out - exact) <= bound->value * fmax(1, fabs(exact)));
    return !(fabs(out - exact) <= ldexp(fabs(exact), -f->format->precision) + least_subnormal(f)) ||
           wrong_sign;
}

/* Returns whether the value, rounded to the result's type, is the limit, so that larger inputs cannot change
 * it. A zero's sign may be free. */
static bool is_limit(const struct finish *f, double value, double limit, bool free_sign)
{
    const int half_step =
        f->format->max_exponent - f->format->precision; /* half the spacing of the top binade */
    if (isnan(value) || isnan(limit)) return false;
    if (limit != 0 && !signbit(value) != !signbit(limit)) return false;
    value = stored(f, value), limit = stored(f, limit);
    if (isinf(limit)) return fabs(value) >= f->format->largest + ldexp(1, half_step);
    if (limit == 0)
        return fabs(value) <= least_subnormal(f) / 2 && (free_sign || !signbit(value) == !signbit(limit));
    return in_lane(f, value) == in_lane(f, limit);
}

/* Returns whether the result is farther from the limit than any rounding explains. The exact value has
 * reached the limit. */
static bool is_astray(const struct finish *f, double out, double limit, bool free_sign)
{
    const struct spec_bound *bound = &f->request->piece.bound;
    const bool half = has_half_result(f);
    if (isnan(out)) return true;
    out = stored(f, out), limit = stored(f, limit);
    if (isinf(limit)) return out != limit;
    if (is_by_abs(f)) return fabs(out - limit) > bound->value * fmax(1, fabs(limit));
    if (limit == 0)
        return fabs(out) > BUDGET_ASTRAY_ZERO * least_subnormal(f) ||
               (!free_sign && !signbit(out) != !signbit(limit));
    return fabs(out - limit) > (half ? BUDGET_ASTRAY_HALF : BUDGET_ASTRAY) * fabs(limit);
}

/* -- the infinities -- */

/* The inputs of one side: infinity, and the powers of two from the largest down to 2^LEAST. */
enum { LEAST = 6, MOST_PROBES = 1024 - LEAST + 1 };

static double probe(const struct finish *f, int side, int i)
{
    const double sign = side ? 1 : -1;
    const int largest = element_types[f->request->piece.argument].format.max_exponent;
    return sign * (i ? ldexp(1, largest + 1 - i) : (double)INFINITY);
}

static int probe_count(const struct finish *f)
{
    return element_types[f->request->piece.argument].format.max_exponent - LEAST + 2;
}

/* Finds the x at which to clamp. The exact result may have reached its limit where the program's result has
 * not, because the program's parts overflow or decay at different places. The clamp is the least power of two
 * from which on the limit is reached. */
static bool find_cut(struct repairs *r, const struct finish *f, int side, const double *y, double limit,
                     bool free_sign)
{
    bool wrong = false;
    for (int i = 1; i < probe_count(f); i++) {
        const double x = probe(f, side, i);
        double value;
        if (!wrong && !is_astray(f, y[i], limit, free_sign)) continue;
        if (reference_value(f->traits->truth, &x, &value, NULL) != REFERENCE_DECIDED ||
            !is_limit(f, value, limit, free_sign))
            break;
        wrong = true;
        r->last[side] = x;
    }
    return wrong;
}

static void add_point(struct repairs *r, double at, double value)
{
    if (r->count == MOST_POINTS) return;
    r->point[r->count].at = at;
    r->point[r->count++].value = value;
}

static void examine_infinity(struct repairs *r, const struct finish *f, const lane_program *p, int side)
{
    double x[MOST_PROBES], y[MOST_PROBES];
    const struct traits_end *end = &traits_ends(f->traits)[side];
    for (int i = 0; i < probe_count(f); i++) x[i] = probe(f, side, i);
    if (!end->is_known || !program_values(p, f->request->piece.argument, x, y, (size_t)probe_count(f)))
        return;
    r->cut[side] = !isnan(end->value) && find_cut(r, f, side, y, end->value, end->is_zero);
    if (is_wrong(f, y[0], end->value, !end->is_zero)) add_point(r, end->x, end->value);
}

/* -- zeros and kinks -- */

static void examine_zeros(struct repairs *r, const struct finish *f, const lane_program *p)
{
    const struct traits_end *end = traits_ends(f->traits) + 2;
    const double x[2] = {end[0].x, end[1].x};
    double y[2];
    bool wrong = false;
    if (!program_values(p, f->request->piece.argument, x, y, 2)) return;
    for (int side = 0; side < 2; side++) {
        if (!end[side].is_known) return;
        r->zero[side] = end[side].value;
        wrong = wrong || is_wrong(f, y[side], r->zero[side], !end[side].is_zero);
    }
    if (wrong) add_point(r, 0, r->zero[1]);
}

/* Examines the poles and the ends of domains. Double words have no infinities, so that a part that is
 * infinite there makes the result NaN. The shape itself must get other values at finite inputs right. */
static void examine_kinks(struct repairs *r, const struct finish *f, const lane_program *p)
{
    unsigned count;
    const double *kink = traits_kinks(f->traits, &count);
    double *y = arena_alloc(p->memory, count * sizeof *y), exact;
    bool exact_zero;
    if (!program_values(p, f->request->piece.argument, kink, y, count)) return;
    for (unsigned i = 0; i < count; i++)
        if (kink[i] != 0 &&
            reference_value(f->traits->truth, &kink[i], &exact, &exact_zero) == REFERENCE_DECIDED &&
            (exact == 0 || !isfinite(exact) || isnan(y[i])) && is_wrong(f, y[i], exact, !exact_zero))
            add_point(r, kink[i], exact);
}

size_t no_candidates(const struct shape_context *context, const char *shape, const char *why)
{
    struct text line = text_new(context->memory);
    text_add(&line, "%-10s %-14s %s\n", "not made", shape, why);
    struct text *all = context->unmade;
    if (all && line.data && !(all->data && strstr(all->data, line.data)))
        text_bytes(all, line.data, line.length);
    return 0;
}

bool candidate_finish(struct candidate *c, const struct shape_context *context)
{
    const struct plan_request *request = context->request;
    const bool wide = request->piece.argument == ELEMENT_F64;
    const enum element_type as = wide ? ELEMENT_F64 : c->halves ? ELEMENT_F16 : ELEMENT_F32;
    const struct finish f = {request, context->traits,
                             wide        ? LANE_F64
                             : c->halves ? LANE_F16
                                         : LANE_F32,
                             &element_types[as].format};
    struct repairs r = {.count = 0};
    lane_program *p = build_finished(c, &f, &r);
    if (!p) return false;
    r.nan = wide || !keeps_nan(p);
    for (int side = 0; side < 2; side++) examine_infinity(&r, &f, p, side);
    examine_zeros(&r, &f, p);
    if (wide) examine_kinks(&r, &f, p);
    c->program = r.nan || r.count || r.cut[0] || r.cut[1] ? build_finished(c, &f, &r) : p;
    c->cost = plan_cost(c->program, request->costs);
    return true;
}
