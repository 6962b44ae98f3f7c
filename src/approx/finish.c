/* What every candidate program must have besides a small error: NaN in gives NaN out, and the limits at
 * the infinities. */
#include "plan.h"

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

static enum knowledge of_instruction(const lane_program *p, const struct lane_instruction *i,
                                     const enum knowledge *known)
{
    enum knowledge a = known[i->operand[0]], b = known[i->operand[1]], c = known[i->operand[2]];
    switch (i->op) {
    case LANE_LOAD: return IS_NAN;
    case LANE_ADD:
    case LANE_SUB:
    case LANE_MUL:
    case LANE_DIV: return a == IS_NAN || b == IS_NAN ? IS_NAN : UNKNOWN;
    case LANE_FMA: return a == IS_NAN || b == IS_NAN || c == IS_NAN ? IS_NAN : UNKNOWN;
    case LANE_SCALE2:
    case LANE_NEG:
    case LANE_ABS:
    case LANE_SQRT:
    case LANE_ROUND:
    case LANE_WIDEN:
    case LANE_NARROW:
    case LANE_BITCAST:
    case LANE_STORE: return a == IS_NAN ? IS_NAN : UNKNOWN;
    case LANE_MIN:
    case LANE_MAX: return b == IS_NAN ? IS_NAN : UNKNOWN; /* the comparison is false, so b it is */
    case LANE_EQ:
    case LANE_LT:
    case LANE_LE: return a == IS_NAN || b == IS_NAN ? IS_FALSE : UNKNOWN;
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
    bool nan, limit[2];
    double limit_value[2]; /* at -infinity, +infinity */
};

static lane_value repair(lane_program *p, lane_value x, lane_value y, const struct repairs *r)
{
    for (int side = 0; side < 2; side++) {
        if (!r->limit[side]) continue;
        double infinity = side ? (double)INFINITY : -(double)INFINITY;
        lane_value at_infinity = lane_binary(p, LANE_EQ, x, lane_const(p, LANE_F32, infinity));
        y = lane_select(p, at_infinity, lane_const(p, LANE_F32, r->limit_value[side]), y);
    }
    return r->nan ? lane_select(p, lane_binary(p, LANE_EQ, x, x), y, x) : y;
}

static lane_program *build(const struct candidate *c, const struct plan_request *request,
                           const struct repairs *r)
{
    bool possible = true;
    lane_program *p = lane_create(expr_dag_memory(request->dag), &request->profile);
    lane_value x = lane_load(p, LANE_F32, 0);
    lane_value y = c->build(c->parameters, p, x, &possible);
    if (!possible) return NULL;
    lane_store(p, repair(p, x, y, r), 1);
    return lane_canonical(p);
}

/* Whether the program's value at an infinite x is off; limits that do not exist must be NaN. An absolute
 * bound leaves room. */
static bool wrong_limit(const lane_program *p, double x, double limit, bool exact_sign,
                        const struct spec_bound *bound)
{
    float in = (float)x, out = 0;
    void *operands[2] = {&in, &out};
    interp *run = interp_create(p);
    if (!run) return true;
    interp_run(run, operands, 1);
    interp_free(run);
    if (isnan(limit) || isnan(out)) return isnan(limit) != isnan(out);
    if (isinf(limit)) return (double)out != limit;
    if (bound->kind == BOUND_ABS) return !(fabs((double)out - limit) <= bound->value * fmax(1, fabs(limit)));
    return !(fabs((double)out - limit) <= 0x1p-24 * fabs(limit) + 0x1p-149) ||
           (exact_sign && out == 0 && !signbit(out) != !signbit(limit));
}

bool candidate_finish(struct candidate *c, const struct plan_request *request, reference *truth)
{
    struct repairs r = {0};
    lane_program *p = build(c, request, &r);
    if (!p) return false;
    r.nan = !keeps_nan(p);
    for (int side = 0; side < 2; side++) {
        double x = side ? (double)INFINITY : -(double)INFINITY, limit;
        bool exact_zero;
        if (reference_value(truth, &x, &limit, &exact_zero) != REFERENCE_DECIDED) continue;
        r.limit_value[side] = limit;
        r.limit[side] = wrong_limit(p, x, limit, !exact_zero, &request->bound);
    }
    c->program = r.nan || r.limit[0] || r.limit[1] ? build(c, request, &r) : p;
    c->cost = plan_cost(c->program, request->costs);
    return true;
}
