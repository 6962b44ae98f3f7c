/* Limits where inputs are infinite: of the written form and of the simplified one, whichever tells, with
 * more bits if neither does. */
#include "tails.h"

#include <math.h>

static const mpfr_prec_t limit_bits[] = {320, 1280};
enum { PRECISIONS = sizeof limit_bits / sizeof *limit_bits };

/* Along one ray. A zero whose sign is open stays one, if nothing tells more. */
static bool find_along_ray(struct tail *out, struct reference *r, bool reversed)
{
    const struct evaluator *forms[] = {&r->written, &r->simplified};
    *out = (struct tail){.value = NAN};
    for (unsigned p = 0; p < PRECISIONS && !out->is_undefined; p++) {
        bool is_undefined = true;
        for (unsigned f = 0; f < (r->same ? 1 : 2); f++) {
            struct tail tail;
            if (!tail_find(&tail, r, forms[f], limit_bits[p], reversed)) return false;
            is_undefined = is_undefined && tail.is_undefined;
            out->waves |= tail.waves;
            if (!tail.is_known) continue;
            if (!out->is_known || !tail.any_sign) *out = tail;
            if (!out->any_sign || out->is_exact || out->waves) return true;
        }
        out->is_undefined = is_undefined;
    }
    return true;
}

/* Waves that cancel, as in sin(x)^2 + cos(x)^2, leave one number at arguments of no rule. */
static bool find_constant(struct tail *out, struct reference *r)
{
    enum { POINTS = 24, LEVEL = 2, FIRST_EXPONENT = 10 };
    struct goal goal = {
        .format = &element_types[ELEMENT_F64].format, .scratch = r->rounded, .near_is_enough = true};
    bool infinite[64] = {false}, all_same = true;
    for (unsigned k = 0; k < r->input_count && k < 64; k++) infinite[k] = mpfr_inf_p(r->points[k]);
    for (unsigned p = 0; p < POINTS && all_same; p++) {
        for (unsigned k = 0; k < r->input_count && k < 64; k++) {
            const uint64_t mixed = (64 * p + k + 1) * UINT64_C(0x9e3779b97f4a7c15);
            const int sign = mpfr_signbit(r->points[k]) ? -1 : 1;
            if (!infinite[k]) continue;
            mpfr_set_uj_2exp(r->points[k], mixed | UINT64_C(1) << 63, FIRST_EXPONENT + (mpfr_exp_t)p - 64,
                             MPFR_RNDN);
            mpfr_setsign(r->points[k], r->points[k], sign < 0, MPFR_RNDN);
        }
        all_same = ziv(r, &goal, 0, LEVEL) == REFERENCE_DECIDED && (!p || goal.value == out->value);
        if (!p) *out = (struct tail){.is_known = true, .value = goal.value, .any_sign = goal.exact_zero};
    }
    for (unsigned k = 0; k < r->input_count && k < 64; k++)
        if (infinite[k]) mpfr_set_inf(r->points[k], mpfr_signbit(r->points[k]) ? -1 : 1);
    return all_same;
}

enum reference_state limit_at_infinity(struct reference *r, struct goal *goal)
{
    unsigned infinite = 0;
    struct tail tail, other;
    for (unsigned k = 0; k < r->input_count; k++) infinite += mpfr_inf_p(r->points[k]) != 0;
    if (!find_along_ray(&tail, r, false)) return REFERENCE_UNDECIDED;
    if (infinite > 1 && tail.is_known) {
        if (!find_along_ray(&other, r, true)) return REFERENCE_UNDECIDED;
        if (other.value != tail.value) tail.is_known = false;
    }
    if (!tail.is_known && (!tail.waves || !find_constant(&tail, r))) tail = (struct tail){.value = NAN};
    goal->value = tail.value;
    goal->exact_zero = tail.any_sign;
    return REFERENCE_DECIDED;
}
