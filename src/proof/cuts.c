/* Runs a program that stores its decisions on 64 inputs at a time. Its answers need not be right. They only
 * choose where blocks end, and each block is analysed separately. */
#include "cuts.h"

#include "float_bits.h"
#include "interp.h"

#include <string.h>

enum { POINTS = 64 };
#define SIGN (UINT64_C(1) << 63)

struct cuts {
    struct arena_guest guest;
    interp *run;
    /* The columns: first the inputs, then the decisions. The results stand after them. */
    unsigned columns;
    void **operands;
    double (*column)[POINTS];
};

static void release_cuts(struct arena_guest *guest) { interp_free(((struct cuts *)guest)->run); }

/* Finds the decision of the instruction as an f64 number, if it makes one. `of` is the instruction's
 * image. */
static bool decision_of(lane_program *q, const lane_program *p, const struct lane_instruction *i,
                        lane_value of, const lane_value *image, lane_value *decision)
{
    *decision = of;
    switch (i->op) {
    case LANE_LOOKUP: return i->type == LANE_F64;
    case LANE_BITCAST: /* A changed sign decides nothing. */
        return i->type == LANE_F64 && p->code[i->operand[0]].op != LANE_XOR;
    case LANE_MIN:
    case LANE_MAX:
        if (i->type != LANE_F64) return false;
        of = lane_less(q, image[i->operand[0]], image[i->operand[1]]);
        break;
    default:
        if (i->type != LANE_TRUTH) return false;
    }
    *decision = lane_select(q, of, lane_const(q, LANE_F64, 1), lane_const(q, LANE_F64, 0));
    return true;
}

static const lane_program *with_decisions(arena *memory, const lane_program *p, unsigned *columns)
{
    lane_program *q = lane_create(memory, &p->profile);
    lane_value *image = arena_alloc(memory, p->count * sizeof *image);
    lane_value result = 0;
    uint32_t count = 1;
    for (lane_value v = 0; v < p->count; v++) {
        struct lane_instruction i = p->code[v];
        lane_value decision;
        if (i.op == LANE_STORE) {
            result = image[i.operand[0]];
            continue;
        }
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = image[i.operand[k]];
        image[v] = lane_append(q, p, i);
        if (decision_of(q, p, &p->code[v], image[v], image, &decision)) lane_store(q, decision, count++);
    }
    lane_store(q, result, count);
    *columns = count;
    return q;
}

struct cuts *cuts_create(arena *memory, const lane_program *p)
{
    struct cuts *c = arena_alloc(memory, sizeof *c);
    const lane_program *q = with_decisions(memory, p, &c->columns);
    c->operands = arena_alloc(memory, (c->columns + 1) * sizeof *c->operands);
    c->column = arena_alloc(memory, (c->columns + 1) * sizeof *c->column);
    for (unsigned k = 0; k <= c->columns; k++) c->operands[k] = c->column[k];
    c->run = interp_create(q);
    arena_host(memory, &c->guest, release_cuts);
    return c->run ? c : NULL;
}

static uint64_t point(uint64_t first, uint64_t last, unsigned k)
{
    const uint64_t span = last - first;
    return first + span / (POINTS - 1) * k + span % (POINTS - 1) * k / (POINTS - 1);
}

static void run(struct cuts *c, bool negative, uint64_t first, uint64_t last)
{
    for (unsigned k = 0; k < POINTS; k++)
        c->column[0][k] = f64_of_bits(point(first, last, k) | (negative ? SIGN : 0));
    interp_run(c->run, c->operands, POINTS);
}

static bool decide_otherwise(const struct cuts *c, unsigned a, unsigned b)
{
    for (unsigned k = 1; k < c->columns; k++)
        if (bits_of_f64(c->column[k][a]) != bits_of_f64(c->column[k][b])) return true;
    return false;
}

static bool differ_in_exponent(const struct cuts *c, unsigned a, unsigned b)
{
    const double *results = c->column[c->columns];
    return (bits_of_f64(results[a]) ^ bits_of_f64(results[b])) >> 52;
}

static bool find_change(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut,
                        bool differ(const struct cuts *, unsigned, unsigned))
{
    run(c, negative, first, last);
    unsigned best = 0;
    for (unsigned k = 1; k < POINTS; k++) {
        const unsigned off = k > POINTS / 2 ? k - POINTS / 2 : POINTS / 2 - k,
                       best_off = best > POINTS / 2 ? best - POINTS / 2 : POINTS / 2 - best;
        if (differ(c, k - 1, k) && (!best || off < best_off)) best = k;
    }
    if (!best) return false;
    /* From here on, looks for the first change after the left end. */
    while (true) {
        const uint64_t left = point(first, last, best - 1), right = point(first, last, best);
        first = left;
        last = right;
        *cut = right;
        if (last - first <= 1) return true;
        run(c, negative, first, last);
        for (best = 1; best < POINTS - 1 && !differ(c, 0, best); best++) {}
    }
}

bool cuts_find(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut)
{
    return c->columns > 1 && find_change(c, negative, first, last, cut, decide_otherwise);
}

bool cuts_find_power(struct cuts *c, bool negative, uint64_t first, uint64_t last, uint64_t *cut)
{
    return find_change(c, negative, first, last, cut, differ_in_exponent);
}
