/* Arithmetic on several values in one step: e^u * 2^k, without overflow in between, and a*b + c with one
 * rounding. */
#include "compose.h"
#include "lowering.h"

#include <math.h>

/* -- exp(u)*exp2(round(k)) -- */

/* Returns 2^-12 of an ulp, relative to the value, if all results are floats of fewer bits than f32. Their
 * rounding hides such an error. Returns 0 otherwise. */
static double hidden_error(const struct spec_kernel *k)
{
    double least = 1;
    for (uint32_t i = 0; i < k->result_count; i++) {
        const struct spec_operand *o = &k->operands[k->results[i].operand];
        if (o->is_internal) continue; /* summands of a total */
        if (!element_is_half(o->type) || element_is_integer(o->type)) return 0;
        least = fmin(least, ldexp(1, -12 - element_types[o->type].format.precision));
    }
    return least < 1 ? least : 0;
}

/* Returns the bits of the exponential's polynomial that the kernel's bound needs. 0: all. The polynomial is
 * (e^r - 1 - r)/r^2, of which e^r has r^2 e^-r, relative to itself. The steps round by less than 2.2 units of
 * 2^-24 together. */
static unsigned bits_of_exponential(const struct lowering *l, struct polynomial_cache *cache)
{
    enum { STEP = 4, LEAST = 8, MOST = 24 };
    static const double share = 0.077, steps = 2.2 * 0x1p-24; /* share: the largest, at r = -ln(2)/2 */
    const struct spec_bound *bound = &l->request.bound;
    const double hidden = hidden_error(l->request.kernel),
                 allowed = bound->kind == BOUND_ABS ? fmax(hidden, bound->value) : hidden;
    unsigned bits = LEAST;
    if (allowed < 0x1p-22) return 0;
    while (bits < MOST &&
           share * polynomial_find(cache, KERNEL_EXPM1, LANE_F32, bits)->error + steps > allowed)
        bits += STEP;
    return bits;
}

/* Returns a program that loads u and the integral k and stores e^u 2^k. */
static const lane_program *scaled_exponential(const struct lowering *l)
{
    lane_program *p = lane_create(l->program->memory, &l->program->profile);
    struct polynomial_cache *cache = arena_alloc(l->program->memory, sizeof *cache);
    *cache = (struct polynomial_cache){.memory = l->program->memory};
    struct composer c = {.program = p, .kind = NUMBER_F32, .cache = cache};
    c.bits = bits_of_exponential(l, cache);
    const lane_value u = lane_load(p, LANE_F32, 0), k = lane_load(p, LANE_F32, 1);
    lane_store(p, compose_exp_times_power(&c, number_of_word(u), k).high, 2);
    return p;
}

bool lower_scaled_exponential(struct lowering *l, const expr *e, bool wide, lane_value *out)
{
    const expr *u, *power;
    if (wide || !expr_is_scaled_exponential(e, &u, &power)) return false;
    if (!l->result->scaled_exponential) l->result->scaled_exponential = scaled_exponential(l);
    lane_value input[2] = {lower_node(l, u, false)};
    if (!l->status) input[1] = lower_node(l, power, false);
    *out = l->status ? 0 : lane_inline(l->program, l->result->scaled_exponential, input);
    return true;
}

/* -- f32(f64(a)*b + c) -- */

const expr *lower_narrow_part(const struct lowering *l, const expr *e)
{
    if (e->kind == EXPR_CAST && e->type == ELEMENT_F64) e = e->operand[0];
    const bool is_value = e->kind == EXPR_INPUT || e->kind == EXPR_CAST;
    return is_value && !lower_is_wide(l, e) ? e : NULL;
}

bool lower_fused_product(struct lowering *l, const expr *e, lane_value *out)
{
    const expr *part[3];
    lane_value value[3];
    if (!l->program->profile.fma || !expr_is_rounded_sum_of_product(e, part)) return false;
    if (e->operand[0]->argument != e->operand[0] || !lower_is_wide(l, e->operand[0])) return false;
    for (unsigned i = 0; i < 3; i++) {
        part[i] = lower_narrow_part(l, part[i]);
        if (!part[i]) return false;
    }
    for (unsigned i = 0; i < 3; i++) value[i] = l->status ? 0 : lower_node(l, part[i], false);
    *out = l->status ? 0 : lane_fma(l->program, value[0], value[1], value[2]);
    return true;
}
