/* Judges what bounds with `flush` allow, and programs as processors run them that flush. */
#include "flushed.h"

#include "float_bits.h"
#include "interp.h"
#include "neighbours.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LOG2_PART = 16, POINTS = 32 };

void judge_take_bound(struct judge *j)
{
    const struct spec_bound *bound = &j->piece->bound;
    struct scan_format *f = &j->scan.format;
    *f = scan_format_of(&element_types[j->piece->result].format);
    if (bound->flush) f->flushed = f->least * (1 + judge_allowed(bound) / f->steps);
}

struct result_error flushed_error_of(const struct judge *j, float x, float computed,
                                     const struct exact_value *exact)
{
    struct result_error e = result_error_of(&element_types[j->piece->result].format, (double)computed, exact,
                                            (double)x, j->piece->bound.kind != BOUND_ABS);
    const double size = isfinite(exact->high) ? fabs(ldexp(exact->high, (int)exact->exponent)) : INFINITY;
    const double most = j->scan.format.flushed;
    if (e.ulp < INFINITY && size <= most && fabs((double)computed - copysign(size, exact->high)) <= most)
        e.ulp = 0;
    return e;
}

bool flushed_is_right_as_zero(struct judge *j, float x, float computed, struct result_error *error)
{
    const float zero = copysignf(0, x);
    struct judge_at_zero *at = &j->at_zero[x < 0];
    if (!j->piece->bound.flush || x == 0 || !(fabsf(x) < FLT_MIN)) return false;
    if (!at->known) exact_value_find(&at->value, j->truth, &(double){(double)zero});
    at->known = true;
    if (at->value.undecided) return false;
    *error = flushed_error_of(j, zero, computed, &at->value);
    return error->ulp <= judge_allowed(&j->piece->bound);
}

/* Two programs of one function, and their results. */
struct pair {
    interp *plain, *flushed;
    float x[POINTS], y[POINTS], z[POINTS];
};

/* Returns whether the programs differ at points of a part. */
static bool differ_in(struct pair *p, uint32_t first)
{
    for (uint32_t k = 0; k < POINTS; k++)
        p->x[k] = f32_of_bits(first + k * ((1u << LOG2_PART) - 1) / (POINTS - 1));
    interp_run(p->plain, (void *[]){p->x, p->y}, POINTS);
    interp_run(p->flushed, (void *[]){p->x, p->z}, POINTS);
    for (unsigned k = 0; k < POINTS; k++)
        if (!isnan(p->y[k]) && bits_of_f32(p->y[k]) != bits_of_f32(p->z[k])) return true;
    return false;
}

bool flushed_judge(struct judge *j, const lane_program *program, const lane_program *flushed,
                   struct progress *progress, struct tally *t)
{
    const struct neighbours near = {j, flushed, progress, UINT64_MAX};
    struct pair p = {interp_create(program), interp_create(flushed), {0}, {0}, {0}};
    bool ready = p.plain && p.flushed;
    for (uint32_t part = 0; part < 1 << (32 - LOG2_PART) && ready && !t->wrong; part++) {
        const uint32_t first = part << LOG2_PART;
        if (isnan(f32_of_bits(first | 1)) || !progress_goes_on(progress) || !differ_in(&p, first)) continue;
        ready = neighbours_judge(&near, first, LOG2_PART, t);
    }
    interp_free(p.plain);
    interp_free(p.flushed);
    return ready;
}
