/* Finds roundings by the adjoint method. It computes the program's own values forward, and backward the
 * derivatives of the result by each of these values.
 *
 * Suppose an operation gives v and should give v + d. This moves the result y by (dy/dv) d, whatever comes
 * later. The joint effect of all roundings is therefore known at an input. The largest effect they can have
 * is the sum of |dy/dv| times half the spacing at v.
 *
 * The method recognises compensated arithmetic (a product and its error, both used), because dy/dv includes
 * both ways to the result. Integer operations, roundings to integers and lookups do not change between two
 * inputs. */
#include "rounding.h"
#include "float_bits.h"
#include "interp.h"
#include "wider.h"

#include <math.h>
#include <string.h>

enum { POINTS = ROUNDING_POINTS };
#define LEAST_SLOPE 0x1p-400

struct roundings {
    const lane_program *program;
    interp *run;
    uint32_t *operand; /* the operand to which a float value is stored, 0 for none */
    void **operands;
    /* The program's values, and the derivatives of the result by them. */
    double (*value)[POINTS], (*slope)[POINTS];
    double made[POINTS], most[POINTS], last[POINTS]; /* the fields of struct rounding_reach at each point */
    lane_value result;
};

/* Returns a program that also stores each float value, and 1 or 0 for each truth value. */
static const lane_program *with_values(struct roundings *r, arena *memory)
{
    const lane_program *p = r->program;
    lane_program *q = lane_create(memory, &p->profile);
    lane_value *map = arena_alloc(memory, p->count * sizeof *map);
    uint32_t count = 1;
    for (lane_value v = 0; v < p->count; v++) {
        struct lane_instruction i = p->code[v];
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = map[i.operand[k]];
        if (i.op == LANE_STORE) {
            r->result = p->code[v].operand[0];
            continue;
        }
        map[v] = lane_append(q, p, i);
        if ((lane_is_float(i.type) && i.op != LANE_LOAD) || i.type == LANE_TRUTH) r->operand[v] = count++;
    }
    const lane_value yes = lane_f32(q, 1), no = lane_f32(q, 0);
    for (lane_value v = 0; v < p->count; v++) {
        if (r->operand[v] && p->code[v].type == LANE_TRUTH) map[v] = lane_select(q, map[v], yes, no);
        if (r->operand[v]) lane_store(q, map[v], r->operand[v]);
    }
    r->operands = arena_alloc(memory, count * sizeof *r->operands);
    for (uint32_t k = 0; k < count; k++) r->operands[k] = arena_alloc(memory, POINTS * sizeof(double));
    return q;
}

struct roundings *roundings_create(const lane_program *p, arena *memory)
{
    struct roundings *r = arena_alloc(memory, sizeof *r);
    r->program = p;
    r->operand = arena_alloc(memory, p->count * sizeof *r->operand);
    r->value = arena_alloc(memory, p->count * sizeof *r->value);
    r->slope = arena_alloc(memory, p->count * sizeof *r->slope);
    r->run = interp_create(with_values(r, memory));
    return r->run ? r : NULL;
}

void roundings_free(struct roundings *r)
{
    if (r) interp_free(r->run);
}

static void read_values(struct roundings *r, const float *x)
{
    const lane_program *p = r->program;
    memcpy(r->operands[0], x, POINTS * sizeof *x);
    interp_run(r->run, r->operands, POINTS);
    for (lane_value v = 0; v < p->count; v++) {
        const bool loaded = p->code[v].op == LANE_LOAD;
        if (!loaded && !r->operand[v]) continue;
        const float *narrow = r->operands[r->operand[v]];
        const double *wide = r->operands[r->operand[v]];
        for (unsigned k = 0; k < POINTS; k++)
            r->value[v][k] = p->code[v].type == LANE_F64 ? wide[k] : (double)narrow[k];
    }
}

/* -- forward: the exact result of each operation -- */

static bool to_half(enum lane_op op) { return lane_ops[op].exactness == LANE_EXACT_HALVES; }

static bool rounds(enum lane_op op) { return to_half(op) || lane_ops[op].exactness == LANE_EXACT_ROUNDS; }

/* Returns whether the value serves to round: the constant 1.5 * 2^23 times a power of two, possibly with the
 * bias of exponents, as in x + 1.5 * 2^23. A choice of two such values is one, and so is such a value with a
 * limit or with a number added. So is an infinity, since no sum with it is rounded. */
static bool is_shifter(const lane_program *p, lane_value v)
{
    const struct lane_instruction *i = &p->code[v];
    if (i->op == LANE_SELECT) return is_shifter(p, i->operand[1]) && is_shifter(p, i->operand[2]);
    if (i->op == LANE_FMA) return is_shifter(p, i->operand[2]);
    if (i->op == LANE_MIN || i->op == LANE_ADD) return is_shifter(p, i->operand[1]);
    if (i->op != LANE_CONST || !lane_is_float(i->type)) return false;
    const double c = i->type == LANE_F32 ? (double)f32_of_bits((uint32_t)i->bits) : f64_of_bits(i->bits);
    if (isinf(c)) return true;
    int exponent;
    const double beyond = frexp(fabs(c), &exponent) - 0.75;
    return exponent > 12 && beyond >= 0 && beyond <= 0x1p-13;
}

static bool stands_still(const lane_program *p, const struct lane_instruction *i)
{
    if (i->op == LANE_ADD || i->op == LANE_SUB)
        return is_shifter(p, i->operand[0]) || (i->op == LANE_ADD && is_shifter(p, i->operand[1]));
    return i->op == LANE_FMA && is_shifter(p, i->operand[2]);
}

/* Repeats the statement for each of the points. */
#define EACH for (unsigned k = 0; k < POINTS; k++)
/* Makes a function part of each copy of `walk`. */
#define IN_COPIES static inline __attribute__((always_inline))

/* Returns a + b - v, where v is their rounded sum or near it. */
IN_COPIES double sum_less(double a, double b, double v)
{
    const double sum = a + b, part = sum - a;
    return (sum - v) + ((a - (sum - part)) + (b - part));
}

/* Returns x 2^floor(n). n may be anything, even NaN, in lanes that a mask leaves out. */
static inline double scaled(double x, double n)
{
    const double most = 5000; /* From there on all results are zero or infinite. */
    return ldexp(x, (int)fmin(fmax(floor(n), -most), most));
}

/* Finds the exact result of the operation minus its result v, to a few bits. The difference is 0 only if v is
 * exact. Products of f32 numbers are exact in double. */
IN_COPIES void find_rounded_off(double *restrict off, const struct lane_instruction *i, const double *a,
                                const double *b, const double *c, const double *v)
{
    const bool wide = i->type == LANE_F64;
    switch (i->op) {
    case LANE_ADD: EACH off[k] = sum_less(a[k], b[k], v[k]); break;
    case LANE_SUB: EACH off[k] = sum_less(a[k], -b[k], v[k]); break;
    case LANE_MUL: EACH off[k] = wide ? fma(a[k], b[k], -v[k]) : a[k] * b[k] - v[k]; break;
    case LANE_DIV: EACH off[k] = (wide ? -fma(v[k], b[k], -a[k]) : a[k] - v[k] * b[k]) / b[k]; break;
    case LANE_FMA:
        EACH off[k] = sum_less(a[k] * b[k], c[k], v[k]);
        if (wide) EACH off[k] += fma(a[k], b[k], -(a[k] * b[k]));
        break;
    case LANE_SQRT:
        EACH off[k] = v[k] > 0 ? (wide ? -fma(v[k], v[k], -a[k]) : a[k] - v[k] * v[k]) / (2 * v[k]) : 0;
        break;
    case LANE_SCALE2:
    case LANE_SCALE2_FLOOR:
        EACH off[k] = fabs(v[k]) < 0x1p-126 || isinf(v[k]) ? scaled(a[k], b[k]) - v[k] : 0;
        break;
    default: EACH off[k] = a[k] - v[k]; /* NARROW, TO_F16, ... */
    }
}

IN_COPIES double half_spacing(enum lane_type type, double v)
{
    const double size =
        f64_of_bits(bits_of_f64(v) & UINT64_C(0x7ff0000000000000)); /* the power of two below */
    if (type == LANE_F32) return (size > 0x1p-126 ? size : 0x1p-126) * 0x1p-24;
    return size * 0x1p-53; /* 0 for a subnormal value */
}

/* -- backward -- */

/* Passes the slope through bit operations. A float made from another float's bits moves with it, if it is
 * that float times a power of two, or the negative. */
static void pass_bits(struct roundings *r, lane_value v, const double *out, const double *slope)
{
    const struct lane_instruction *i = &r->program->code[v];
    if (lane_is_float(i->type)) {
        for (unsigned k = 0; k < POINTS; k++) {
            const double ratio = out[k] / r->value[v][k];
            if (f64_is_power_of_two(ratio)) r->slope[v][k] += slope[k] * ratio;
        }
        return;
    }
    const struct lane_instruction *mask = &r->program->code[i->operand[1]];
    const bool is_cut = i->op == LANE_AND && mask->op == LANE_CONST && !(mask->bits & 1);
    if (i->op == LANE_F2I || i->op == LANE_LOOKUP || i->op == LANE_CONST || is_cut) return;
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++) pass_bits(r, i->operand[k], out, slope);
}

/* The partial derivatives of an operation by its operands. */
struct partials {
    double of[3][POINTS];
};

IN_COPIES void fill(double *out, double number)
{
    for (unsigned k = 0; k < POINTS; k++) out[k] = number;
}

/* Sets 1 for the operand that was chosen, `first` or `second`, and 0 for the other. */
IN_COPIES void choose(double *first, double *second, const double *value, const double *operand)
{
    for (unsigned k = 0; k < POINTS; k++) {
        first[k] = value[k] == operand[k] ? 1 : 0;
        second[k] = 1 - first[k];
    }
}

IN_COPIES void find_partials(struct partials *d, enum lane_op op, const double *a, const double *b,
                             const double *v)
{
    double *da = d->of[0], *db = d->of[1], *dc = d->of[2];
    fill(da, 1);
    switch (op) {
    case LANE_ADD: fill(db, 1); break;
    case LANE_SUB: fill(db, -1); break;
    case LANE_FMA: fill(dc, 1); /* fall through */
    case LANE_MUL:
        memcpy(da, b, sizeof d->of[0]);
        memcpy(db, a, sizeof d->of[1]);
        break;
    case LANE_DIV:
        for (unsigned k = 0; k < POINTS; k++) da[k] = 1 / b[k];
        for (unsigned k = 0; k < POINTS; k++) db[k] = -v[k] / b[k];
        break;
    case LANE_NEG: fill(da, -1); break;
    case LANE_ABS:
        for (unsigned k = 0; k < POINTS; k++) da[k] = a[k] < 0 ? -1 : 1;
        break;
    case LANE_MIN:
    case LANE_MAX: choose(da, db, v, a); break;
    case LANE_SELECT:
    case LANE_RARELY:
        memcpy(db, a, sizeof d->of[1]);
        for (unsigned k = 0; k < POINTS; k++) dc[k] = 1 - a[k];
        break;
    case LANE_SQRT:
        for (unsigned k = 0; k < POINTS; k++) da[k] = 1 / (2 * v[k]);
        break;
    case LANE_SIGNIFICAND: /* A factor like scale2's. There is no second operand. */
    case LANE_SCALE2:
    case LANE_SCALE2_FLOOR:
        fill(db, 0);
        for (unsigned k = 0; k < POINTS; k++) da[k] = a[k] != 0 ? v[k] / a[k] : 0;
        break;
    default: break;
    }
}

/* Returns whether the value changes smoothly with float operands. */
static bool op_is_smooth(enum lane_op op)
{
    const enum lane_exactness exactness = lane_ops[op].exactness;
    return exactness != LANE_EXACT_STEPS && exactness != LANE_EXACT_BITS;
}

/* Adds the slope by v to the slopes by its operands, times the partial derivatives. */
IN_COPIES void pass(struct roundings *r, lane_value v)
{
    const struct lane_instruction *i = &r->program->code[v];
    const lane_value *operand = i->operand;
    const double *slope = r->slope[v];
    struct partials d;
    if (i->op == LANE_BITCAST && !lane_is_float(r->program->code[operand[0]].type))
        pass_bits(r, operand[0], r->value[v], slope);
    if (!op_is_smooth(i->op)) return;
    find_partials(&d, i->op, r->value[operand[0]], r->value[operand[1]], r->value[v]);
    for (unsigned n = lane_is_choice(i->op); n < lane_ops[i->op].arity; n++) {
        double *restrict sum = r->slope[operand[n]]; /* operands stand before their user */
        EACH
        {
            const double product = slope[k] * d.of[n][k];
            const bool counts =
                (slope[k] != 0) & (d.of[n][k] != 0); /* otherwise it may be 0 times infinity */
            sum[k] += counts ? product : 0;
        }
    }
}

/* Returns whether an f64 operation moves no result by more than 2^-20 of the result's spacing. Such an
 * operation counts as rounded, without a check. */
IN_COPIES bool is_negligible(const struct roundings *r, lane_value v, double *most)
{
    const double *result = r->value[r->result];
    bool small = r->program->code[v].type == LANE_F64 && r->program->code[r->result].type == LANE_F32;
    for (unsigned k = 0; k < POINTS; k++) {
        most[k] = fabs(r->slope[v][k]) * half_spacing(r->program->code[v].type, r->value[v][k]);
        small &= most[k] <= half_spacing(LANE_F32, result[k]) * 0x1p-19;
    }
    return small;
}

/* Returns whether the operation has the same operands at all points, for example after a clamp. Its rounding
 * is then no noise, but a part of the approximation's error. */
static bool is_steady(const struct roundings *r, const struct lane_instruction *i)
{
    for (unsigned n = 0; n < lane_ops[i->op].arity; n++)
        for (unsigned k = 1; k < POINTS; k++)
            if (r->value[i->operand[n]][k] != r->value[i->operand[n]][0]) return false;
    return true;
}

IN_COPIES void add_reach(struct roundings *r, lane_value v)
{
    const struct lane_instruction *i = &r->program->code[v];
    if (is_steady(r, i)) return;
    const double *a = r->value[i->operand[0]], *b = r->value[i->operand[1]], *c = r->value[i->operand[2]];
    const double *value = r->value[v], *result = r->value[r->result], *slope = r->slope[v];
    double off[POINTS] = {0}, most[POINTS];
    const bool negligible = is_negligible(r, v, most), is_narrow = i->type == LANE_F32;
    bool any = negligible;
    if (!negligible) find_rounded_off(off, i, a, b, c, value);
    EACH any |= off[k] != 0;
    if (!any) return;
    EACH r->made[k] -= slope[k] * off[k];
    if (to_half(i->op)) return;
    EACH
    {
        const bool is_last = is_narrow & (fabs(value[k]) == fabs(result[k])) & (fabs(slope[k]) == 1);
        r->last[k] += is_last ? 1 : 0;
        r->most[k] += is_last ? 0 : most[k];
    }
}

/* Goes from the result back to its operands. */
IN_COPIES void walk(struct roundings *r)
{
    const lane_program *p = r->program;
    for (lane_value v = p->count; v-- > 0;) {
        const struct lane_instruction *i = &p->code[v];
        if (!lane_is_float(i->type) || stands_still(p, i)) continue;
        /* Products of smaller slopes are subnormal, which is slow. */
        for (unsigned k = 0; k < POINTS; k++)
            r->slope[v][k] = fabs(r->slope[v][k]) < LEAST_SLOPE ? 0 : r->slope[v][k];
        if (rounds(i->op)) add_reach(r, v);
        pass(r, v);
    }
}

static void walk_plain(struct roundings *r) { walk(r); }
WIDER_AVX2 static void walk_avx2(struct roundings *r) { walk(r); }
WIDER_AVX512 static void walk_avx512(struct roundings *r) { walk(r); }

void roundings_at(struct roundings *r, const float *x, float *y, struct rounding_reach *reach)
{
    read_values(r, x);
    memset(r->slope, 0, r->program->count * sizeof *r->slope);
    for (unsigned k = 0; k < POINTS; k++) {
        r->made[k] = r->most[k] = r->last[k] = 0;
        r->slope[r->result][k] = 1;
        y[k] = (float)r->value[r->result][k];
    }
    if (runs_avx512())
        walk_avx512(r);
    else if (runs_avx2())
        walk_avx2(r);
    else
        walk_plain(r);
    EACH reach[k] = (struct rounding_reach){r->made[k], r->most[k], (unsigned)r->last[k]};
}
