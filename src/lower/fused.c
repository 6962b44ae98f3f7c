/* Arithmetic on several values in one step: e^u * 2^k, without overflow in between, and a*b + c with one
 * rounding. */
#include "compose.h"
#include "lowering.h"

/* -- exp(u)*exp2(round(k)) -- */

/* Returns a program that loads u and the integral k and stores e^u 2^k. */
static const lane_program *scaled_exponential(const lane_program *kernel)
{
    lane_program *p = lane_create(kernel->memory, &kernel->profile);
    struct composer c = {.program = p, .kind = NUMBER_F32};
    const lane_value u = lane_load(p, LANE_F32, 0), k = lane_load(p, LANE_F32, 1);
    lane_store(p, compose_exp_times_power(&c, number_of_word(u), k).high, 2);
    return p;
}

bool lower_scaled_exponential(struct lowering *l, const expr *e, bool wide, lane_value *out)
{
    const expr *u, *power;
    if (wide || !expr_is_scaled_exponential(e, &u, &power)) return false;
    if (!l->result->scaled_exponential) l->result->scaled_exponential = scaled_exponential(l->program);
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
