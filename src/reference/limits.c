/* Finds limits where inputs are infinite. It asks the written form and the simplified form, and uses more
 * bits if neither tells. */
#include "tails.h"

#include <math.h>

static const mpfr_prec_t limit_bits[] = {320, 1280, 4096};
enum { PRECISIONS = sizeof limit_bits / sizeof *limit_bits, FOR_WAVES = 1 };

static bool find_after_waves(struct tail *out, struct reference *r, bool reversed)
{
    const struct evaluator *forms[] = {&r->written, &r->simplified};
    for (unsigned f = 0; f < (r->same ? 1 : 2) && !out->is_known; f++)
        if (!tail_find(out, r, forms[f], TAIL_AFTER_WAVES, limit_bits[FOR_WAVES], reversed)) return false;
    return true;
}

/* Finds the limit along one ray. A zero whose sign is open is kept if nothing better is found. */
static bool find_along_ray(struct tail *out, struct reference *r, bool reversed)
{
    const struct evaluator *forms[] = {&r->written, &r->simplified};
    *out = (struct tail){.value = NAN};
    for (unsigned p = 0; p < PRECISIONS && !out->is_undefined && !(out->waves && p > FOR_WAVES); p++) {
        bool is_undefined = true;
        for (unsigned f = 0; f < (r->same ? 1 : 2); f++) {
            struct tail tail;
            if (!tail_find(&tail, r, forms[f], TAIL_ALONG_WAVES, limit_bits[p], reversed)) return false;
            is_undefined = is_undefined && tail.is_undefined;
            out->waves |= tail.waves;
            if (!tail.is_known) continue;
            if (!out->is_known || !tail.any_sign) *out = tail;
            if (!out->any_sign || out->is_exact || out->waves) return true;
        }
        out->is_undefined = is_undefined;
    }
    return out->is_known || !out->waves || find_after_waves(out, r, reversed);
}

/* Returns true if neither a limit nor a reason against one has been found. */
static bool is_undecided_tail(const struct tail *t) { return !t->is_known && !t->is_undefined && !t->waves; }

enum reference_state limit_at_infinity(struct reference *r, struct goal *goal)
{
    unsigned infinite = 0;
    struct tail tail, other;
    for (unsigned k = 0; k < r->input_count; k++) infinite += mpfr_inf_p(r->points[k]) != 0;
    if (!find_along_ray(&tail, r, false) || is_undecided_tail(&tail)) return REFERENCE_UNDECIDED;
    if (infinite > 1 && tail.is_known) {
        if (!find_along_ray(&other, r, true) || is_undecided_tail(&other)) return REFERENCE_UNDECIDED;
        if (other.value != tail.value) tail.is_known = false;
    }
    if (!tail.is_known) tail = (struct tail){.value = NAN};
    goal->value = tail.value;
    goal->exact_zero = tail.any_sign;
    return REFERENCE_DECIDED;
}
