/* Finds the correctly rounded results of 16-bit types, judges programs by them, and mends programs that are
 * nearly right. */
#include "answers.h"
#include "beginning.h"
#include "cost.h"
#include "exact.h"
#include "float_bits.h"
#include "interp.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK = JUDGE_BLOCK,
    TRUST_STRIDE = 251 /* one of this many inputs is asked even if a quick value settled it */
};
/* The most unknown results after which the search stops. No plan is accepted if any result is unknown, and
 * asking takes long. */
enum { MOST_UNKNOWN = 8 };

/* -- finding the results -- */

static const struct float_format *result_format(const struct answers *a)
{
    return &element_types[a->result].format;
}

/* Returns true if y, or a neighbour of y in f64, is half-way between two numbers of the type. */
static bool is_tie(const struct float_format *f, double y)
{
    const double size = fabs(y);
    return float_round(f, nextafter(size, 0)) < float_round(f, nextafter(size, (double)INFINITY));
}

/* Returns the smallest number of the type that is at least v. The largest that is at most v is -above(-v). */
static double above(const struct float_format *f, double v)
{
    const double nearest = float_round(f, v);
    if (nearest >= v) return nearest;
    return nearest + float_spacing(f, nearest < 0 ? nextafter(nearest, 0) : nearest);
}

/* Returns the error that the bound allows. A small part of the bound is kept for the last bits of the
 * compared values. */
static double allowed_error(const struct answers *a) { return judge_allowed(&a->bound) * (1 - 0x1p-20); }

/* Returns true if the bound tells the neighbours of a tie apart. Otherwise either of them will do. */
static bool needs_rounding(const struct answers *a)
{
    return a->bound.kind != BOUND_ABS && allowed_error(a) < 0.5;
}

/* Sets the results that the bound allows for every exact value from `low` to `high`. A value next to a power
 * of two counts as below it, where the spacing is half as large. */
static void set_allowed(struct answers *a, uint32_t n, double low, double high)
{
    const double allowed = allowed_error(a), right = (double)a->right[n];
    const bool by_abs = a->bound.kind == BOUND_ABS;
    const struct float_format *f = result_format(a);
    a->least[n] = a->most[n] = a->right[n];
    a->any_sign[n] |= by_abs;
    if (judge_is_exact(&a->bound) || !isfinite(right) || (isinf(a->x[n]) && !by_abs)) return;
    const double smaller = fmin(fabs(low), fabs(high));
    const double unit = by_abs ? fmax(smaller, 1) : float_spacing(f, nextafter(smaller, 0));
    double least = fmax(above(f, high - allowed * unit), -f->largest),
           most = fmin(-above(f, -(low + allowed * unit)), f->largest);
    if (!by_abs && !signbit(right)) least = fmax(least, 0);
    if (!by_abs && signbit(right)) most = fmin(most, -0.0);
    a->least[n] = (float)fmin(least, right);
    a->most[n] = (float)fmax(most, right);
}

/* Asks the reference for the value. It tells the rounding unless it is a tie. */
static struct asked_value value_asked(const struct answers *a, double x)
{
    struct asked_value v = {.is_asked = true};
    v.has_value = reference_value(a->truth, &x, &v.exact, &v.any_sign) == REFERENCE_DECIDED;
    if (!v.has_value) return v;
    v.right = (float)float_round(result_format(a), v.exact);
    v.is_rounded = v.is_known = !is_tie(result_format(a), v.exact);
    return v;
}

/* Asks the reference for the rounding of a tie, which may take long. */
static void ask_for_rounding(const struct answers *a, double x, struct asked_value *v)
{
    double right;
    v->is_known = reference_rounded_far(a->truth, &x, result_format(a), &right) == REFERENCE_DECIDED;
    if (v->is_known) v->right = (float)right;
    v->is_rounded = true;
}

/* Copies the value from the input with the other sign, where possible. Infinities are excluded, because they
 * have limits of the formula as written. */
static bool is_mirrored(const struct answers *a, uint32_t n)
{
    struct asked_value *v = &a->asked->value[n];
    const struct asked_value *other = &a->asked->value[n ^ a->count / 2];
    if (!a->parity || !other->has_value || !isfinite(a->x[n])) return false;
    *v = *other;
    if (a->parity < 0) v->exact = -v->exact;
    if (a->parity < 0) v->right = -v->right;
    return true;
}

static bool ask(struct answers *a, uint32_t n)
{
    struct asked_value *v = &a->asked->value[n];
    if (!v->is_asked && !is_mirrored(a, n)) *v = value_asked(a, (double)a->x[n]);
    if (v->has_value && !v->is_rounded && needs_rounding(a)) ask_for_rounding(a, (double)a->x[n], v);
    a->exact[n] = v->exact;
    a->any_sign[n] = v->any_sign;
    if (!v->has_value) return false;
    a->right[n] = v->right;
    set_allowed(a, n, v->exact, v->exact);
    return v->is_known || !needs_rounding(a);
}

static void set_undefined(struct answers *a, uint32_t n)
{
    a->least[n] = a->most[n] = a->right[n] = (float)(a->exact[n] = (double)NAN);
}

/* Settles a result by one evaluation over only this input, where that is enough. A zero's sign must be
 * known. */
static bool settle_by_enclosure(struct answers *a, uint32_t n)
{
    const struct enclosed e = enclosure_of(a->enclosure, &a->x[n], 1);
    if (isfinite(a->x[n]) && e.undefined) set_undefined(a, n);
    if (!isfinite(a->x[n]) || !e.defined) return isfinite(a->x[n]) && e.undefined;
    const double low = float_round(result_format(a), e.low), high = float_round(result_format(a), e.high);
    const bool negative = enclosed_negative(&e), positive = enclosed_positive(&e);
    if (low != high || (low == 0 && !negative && !positive)) return false;
    a->right[n] = low == 0 ? copysignf(0, negative ? -1 : 1) : (float)low;
    a->exact[n] = e.low / 2 + e.high / 2;
    set_allowed(a, n, e.low, e.high);
    return true;
}

static void settle_answer(struct answers *a, uint32_t n)
{
    a->found[n] = true;
    if (!a->distrust && settle_by_enclosure(a, n)) return;
    const bool known = a->unknown <= MOST_UNKNOWN && ask(a, n);
    if (known || settle_by_enclosure(a, n)) return;
    if (!a->unknown) a->unknown_at = a->x[n];
    a->unknown++;
}

bool answers_settle(struct answers *a)
{
    /* Asks for a few inputs of all binades first. If the reference cannot decide a whole binade, this shows
     * soon. */
    for (uint32_t stride = 256; stride && !a->unknown; stride /= 16)
        for (uint32_t n = stride - 1; n < a->count && !a->unknown; n += stride)
            if (!a->found[n]) settle_answer(a, n);
    return !a->unknown;
}

/* Settles inputs first ... first + BLOCK - 1 by quick values, unless they are settled. The values come from
 * the quick reference, or from the formula's beginning at 0. Some of them are compared with the reference. */
static void settle_quickly(struct answers *a, uint32_t first, const struct beginning *beginning)
{
    double x[BLOCK], value[BLOCK], error[BLOCK];
    const double *inputs[1] = {x};
    const uint32_t count = a->count - first < BLOCK ? a->count - first : BLOCK;
    for (uint32_t i = 0; i < count; i++) x[i] = (double)a->x[first + i];
    if (!beginning)
        reference_quick(a->truth, inputs, count, value, error);
    else if (!beginning_values(beginning, x, count, value, error))
        return;
    for (uint32_t i = 0; i < count && !a->distrust; i++) {
        const uint32_t n = first + i;
        if (a->found[n]) continue;
        const double margin = error[i] * SCAN_GROW + fabs(value[i]) * 0x1.1p-53;
        const double low = float_round(result_format(a), value[i] - margin),
                     high = float_round(result_format(a), value[i] + margin);
        const bool is_signed = fabs(value[i]) > margin; /* gives a zero its sign */
        a->found[n] = isfinite(x[i]) && margin < (double)INFINITY && low == high && (low != 0 || is_signed);
        if (a->found[n] && n % TRUST_STRIDE == 0) a->distrust = ask(a, n) && (double)a->right[n] != low;
        a->right[n] = low == 0 ? (float)copysign(0, value[i]) : (float)low;
        a->exact[n] = value[i];
        if (a->found[n]) set_allowed(a, n, value[i] - margin, value[i] + margin);
    }
}

static void settle_all_quickly(struct answers *a, const struct beginning *beginning)
{
    for (uint32_t first = 0; first < a->count && !a->distrust; first += BLOCK)
        settle_quickly(a, first, beginning);
}

/* Settles small inputs by the formula's beginning at 0. Where its terms cancel there, quick values tell
 * little, and the reference takes long for each of thousands of inputs. Returns false if memory runs out. */
static bool settle_small(struct answers *a, const expr *formula)
{
    enum { WORTHWHILE = 500 };
    uint32_t count = 0;
    for (uint32_t n = 0; n < a->count; n++) count += !a->found[n] && fabsf(a->x[n]) < BEGINNING_MOST_REACH;
    if (a->distrust || count < WORTHWHILE) return true;
    struct beginning *beginning = beginning_create(formula);
    if (!beginning) return false;
    settle_all_quickly(a, beginning);
    beginning_free(beginning);
    return true;
}

/* Forgets the answers if they belong to other inputs. */
static void begin_asking(struct answers *a, arena *memory)
{
    struct answers_asked *asked = a->asked;
    const bool same = asked->value && asked->argument == a->argument && asked->result == a->result &&
                      asked->count == a->count && !memcmp(asked->x, a->x, a->count * sizeof *a->x);
    if (same) return;
    *asked = (struct answers_asked){a->argument, a->result, a->count, a->x, NULL};
    asked->value = arena_alloc(memory, (a->count + 1) * sizeof *asked->value);
}

bool answers_find(struct answers *a, const struct plan_request *request, reference *truth,
                  struct answers_asked *asked)
{
    arena *memory = expr_dag_memory(request->dag);
    const struct spec_bound *bound = &request->piece.bound;
    const uint32_t inputs = plan_input_count(request->piece.argument);
    *a = (struct answers){.argument = request->piece.argument,
                          .result = request->piece.result,
                          .bound = *bound,
                          .truth = truth,
                          .asked = asked};
    a->x = arena_alloc(memory, inputs * sizeof *a->x);
    a->right = arena_alloc(memory, inputs * sizeof *a->right);
    a->least = arena_alloc(memory, inputs * sizeof *a->least);
    a->most = arena_alloc(memory, inputs * sizeof *a->most);
    a->exact = arena_alloc(memory, inputs * sizeof *a->exact);
    a->any_sign = arena_alloc(memory, inputs * sizeof *a->any_sign);
    a->found = arena_alloc(memory, inputs * sizeof *a->found);
    for (uint32_t n = 0; n < inputs; n++) {
        const float x = plan_input(a->argument, n);
        if (isnan(x) || bound_holds_at(bound, (double)x)) a->x[a->count++] = x;
    }
    begin_asking(a, memory);
    if (element_types[a->argument].lanes == ELEMENT_NARROW && a->count == inputs)
        a->parity = expr_parity(memory, request->piece.written);
    settle_all_quickly(a, NULL);
    if (!settle_small(a, request->piece.written)) return false;
    for (uint32_t n = 0; n < a->count; n++) {
        a->found[n] = isnan(a->x[n]) || (a->found[n] && !a->distrust);
        if (isnan(a->x[n])) set_undefined(a, n);
    }
    a->enclosure = enclosure_create(request->piece.simplified);
    return a->enclosure;
}

void answers_free(struct answers *a) { enclosure_free(a->enclosure); }

/* -- judging -- */

static bool is_right_answer(const struct answers *a, uint32_t n, float computed)
{
    const float y = element_types[a->result].rounded(computed), right = a->right[n];
    if (isnan(y) || isnan(right)) return isnan(y) && isnan(right);
    const bool is_sign_right = y != 0 || a->any_sign[n] || !signbit(y) == !signbit(right);
    return a->least[n] <= y && y <= a->most[n] && is_sign_right;
}

bool answers_check(struct answers_wrong *out, struct answers *a, const lane_program *program)
{
    float y[BLOCK];
    interp *run = interp_create(program);
    out->count = 0;
    if (!run) return false;
    /* Starts from the middle of the finite numbers, where wrong results show soonest. */
    for (uint32_t first = 0; first < a->count && out->count < ANSWERS_MOST_WRONG; first += BLOCK) {
        const uint32_t count = a->count - first < BLOCK ? a->count - first : BLOCK;
        void *operands[2] = {a->x + first, y};
        interp_run(run, operands, count);
        for (uint32_t i = 0; i < count && out->count < ANSWERS_MOST_WRONG; i++) {
            if (!a->found[first + i]) settle_answer(a, first + i);
            if (!is_right_answer(a, first + i, y[i])) out->input[out->count++] = first + i;
        }
    }
    interp_free(run);
    return true;
}

static void note(struct tally *t, const struct answers *a, uint32_t n, float computed)
{
    const double y = (double)element_types[a->result].rounded(computed), exact = a->exact[n];
    const double error = fabs(y - exact), absolute = error / fmax(1, fabs(exact));
    const double ulp = float_ulps(result_format(a), y, exact);
    const bool is_right_kind = isfinite(error) || is_right_answer(a, n, computed);
    if (is_right_kind && !isfinite(error)) return;
    if (ulp > t->max_ulp) t->max_ulp = ulp, t->max_ulp_at = bits_of_f32(a->x[n]);
    if (absolute > t->max_abs) t->max_abs = absolute, t->max_abs_at = bits_of_f32(a->x[n]);
}

bool answers_tally(struct tally *t, const struct answers *a, const lane_program *program,
                   const struct answers_wrong *only)
{
    float x[BLOCK], y[BLOCK];
    const uint32_t all = only ? only->count : a->count;
    interp *run = interp_create(program);
    *t = (struct tally){.inputs = a->count,
                        .undecided = a->unknown,
                        .undecided_at = bits_of_f32(a->unknown_at),
                        .decided_any = true};
    if (!run) return false;
    for (uint32_t first = 0; first < all; first += BLOCK) {
        const uint32_t count = all - first < BLOCK ? all - first : BLOCK;
        void *operands[2] = {x, y};
        for (uint32_t i = 0; i < count; i++) x[i] = a->x[only ? only->input[first + i] : first + i];
        interp_run(run, operands, count);
        for (uint32_t i = 0; i < count; i++) note(t, a, only ? only->input[first + i] : first + i, y[i]);
    }
    interp_free(run);
    if (!only && judge_is_exact(&a->bound) && t->max_ulp > 0.5) /* The error of a tie is known to 2^-27. */
        t->max_ulp = 0.5;
    return true;
}

/* -- mending -- */

#define TINY 0x1p-100f /* below this size results may be halves of inputs, next to ties */
/* Below this size results may be ties whose next term f64 does not hold, as x^2/2 + x^3/6. */
#define SMALL 0x1p-12f

/* A change that moves results. For inputs below a size it adds a step. Otherwise it multiplies by a factor,
 * which is one unit of the last place where x - tanh(x) is next to x - 1. */
struct nudge {
    const char *what;
    float below; /* 0: multiply by a factor, for all inputs */
    /* step by one or two units of the last place, but not beyond 0; otherwise by the smallest f32 */
    bool in_units;
    int way;       /* direction 1 or -1; 0: nothing is moved */
    bool outwards; /* the direction has x's sign */
    int side;      /* apply the factor only for x < 0 (-1) or x > 0 (1) */
};
static const struct nudge nudges[] = {
    {"", 0, false, 0, false, 0},
    {", tiny ones nudged up", TINY, false, 1, false, 0},
    {", tiny ones nudged down", TINY, false, -1, false, 0},
    {", tiny ones nudged out", TINY, false, 1, true, 0},
    {", tiny ones nudged in", TINY, false, -1, true, 0},
    {", nudged out", 0, false, 1, true, 0},
    {", nudged in", 0, false, -1, true, 0},
    {", nudged out left of 0", 0, false, 1, true, -1},
    {", nudged in left of 0", 0, false, -1, true, -1},
    {", nudged out right of 0", 0, false, 1, true, 1},
    {", nudged in right of 0", 0, false, -1, true, 1},
    {", small ones nudged up", SMALL, true, 1, false, 0},
    {", small ones nudged down", SMALL, true, -1, false, 0},
    {", small ones nudged out", SMALL, true, 1, true, 0},
    {", small ones nudged in", SMALL, true, -1, true, 0},
};
enum { FIRST_TINY = 1, FIRST_FACTOR = 5, FIRST_SMALL = 11, NUDGES = sizeof nudges / sizeof *nudges };

static lane_value nudged(lane_program *p, lane_value x, lane_value y, const struct nudge *n)
{
    if (!n->way) return y;
    if (n->below == 0) {
        const lane_value one = lane_f32(p, 1), zero = lane_f32(p, 0);
        lane_value factor = lane_f32(p, 1 + n->way * 0x1p-23);
        if (n->side > 0) factor = lane_select(p, lane_less(p, x, zero), one, factor);
        if (n->side < 0) factor = lane_select(p, lane_less(p, x, zero), factor, one);
        return lane_mul(p, y, factor);
    }
    lane_value step = lane_const_bits(p, LANE_F32, 1);
    if (n->in_units) {
        const lane_value own = lane_unary(p, LANE_ABS, y), unit = lane_f32(p, 0x1p-23);
        step = lane_add(p, lane_mul(p, own, unit), step);
        step = lane_min(p, step, own);
    }
    if (n->outwards) {
        step = lane_binary(p, LANE_OR, lane_sign_of(p, x), lane_unary(p, LANE_BITCAST, step));
        step = lane_unary(p, LANE_BITCAST, step);
    }
    /* Farther out a zero would lose its sign. */
    const lane_value size = lane_unary(p, LANE_ABS, x);
    const lane_value is_near = lane_less(p, size, lane_f32(p, (double)n->below));
    return lane_select(p, is_near, lane_binary(p, n->way > 0 ? LANE_ADD : LANE_SUB, y, step), y);
}

/* Two nudges, one after the other. Either may be nudges[0], which moves nothing. */
struct nudge_pair {
    const struct nudge *first, *second;
};

static enum lane_type loaded_type(const lane_program *p)
{
    uint32_t n = 0;
    while (p->code[n].op != LANE_LOAD) n++;
    return p->code[n].type;
}

/* Builds the program with nudges, patches and a rounding. `rounding` is LANE_TO_BF16_AWAY, LANE_TO_BF16, or
 * LANE_STORE for none. */
static lane_program *mended(const struct answers *a, const lane_program *plain, struct nudge_pair nudge,
                            enum lane_op rounding, const struct answers_wrong *patches)
{
    lane_program *p = lane_create(plain->memory, &plain->profile);
    const lane_value x = lane_load(p, loaded_type(plain), 0);
    lane_value y = nudged(p, x, nudged(p, x, lane_inline(p, plain, &x), nudge.first), nudge.second);
    for (uint32_t k = 0; patches && k < patches->count; k++) {
        const struct exact_patch patch = {.x = a->x[patches->input[k]], .right = a->right[patches->input[k]]};
        y = exact_patched(p, x, y, &patch);
    }
    lane_store(p, rounding == LANE_STORE ? y : lane_unary(p, rounding, y), 1);
    return lane_canonical(p);
}

static bool can_be_patched(const struct answers *a, const struct answers_wrong *w, uint32_t most)
{
    if (w->count > most) return false;
    for (uint32_t k = 0; k < w->count; k++)
        if (a->x[w->input[k]] == 0 || isnan(a->x[w->input[k]])) return false;
    return true;
}

/* Returns true if all wrong results of a bf16 program are at inputs below `limit` in size. */
static bool is_below(const struct answers *a, const struct answers_wrong *w, float limit)
{
    for (uint32_t k = 0; k < w->count; k++)
        if (!(fabsf(a->x[w->input[k]]) < limit)) return false;
    return a->result == ELEMENT_BF16;
}

/* Patches the program's wrong results, and keeps it in *out if patches suffice and it is the cheapest so far.
 * Also keeps the shortest list of wrong results. Returns false if memory runs out. */
static bool consider(struct answers_mended *out, struct answers *a, const lane_program *plain,
                     struct nudge_pair nudge, enum lane_op rounding, const struct target_costs *costs,
                     uint32_t most)
{
    struct answers_wrong wrong;
    if (!answers_check(&wrong, a, mended(a, plain, nudge, rounding, NULL))) return false;
    if (out->wrong.count > wrong.count) out->wrong = wrong;
    if (!can_be_patched(a, &wrong, most)) return true;
    const bool stores = rounding == LANE_STORE && a->result == ELEMENT_BF16;
    const double cost = plan_cost(mended(a, plain, nudge, stores ? LANE_TO_BF16 : rounding, &wrong), costs);
    if (out->program && out->cost <= cost) return true;
    struct text t = text_new(plain->memory);
    text_add(&t, "%s%s", nudge.first->what, nudge.second->what);
    if (wrong.count) text_add(&t, ", %u patch%s", wrong.count, wrong.count == 1 ? "" : "es");
    out->program = mended(a, plain, nudge, rounding, &wrong);
    out->cost = cost;
    out->what = t.data;
    return true;
}

bool answers_mend(struct answers_mended *out, struct answers *a, const lane_program *plain,
                  const struct target_costs *costs, uint32_t most_patches)
{
    /* Rounding away keeps the NaN of a bf16 argument. The payload of other NaNs might carry into the
     * exponent. */
    static const enum lane_op roundings[] = {LANE_STORE, LANE_TO_BF16_AWAY};
    const int count = a->result == ELEMENT_BF16 && a->argument == ELEMENT_BF16 ? 2 : 1;
    const struct nudge_pair none = {&nudges[0], &nudges[0]};
    *out = (struct answers_mended){.what = "", .wrong.count = UINT32_MAX};
    if (loaded_type(plain) == LANE_F16) return consider(out, a, plain, none, LANE_STORE, costs, 0);
    for (int i = 0; i < count; i++) {
        if (!consider(out, a, plain, none, roundings[i], costs, most_patches)) return false;
        if (!out->wrong.count) continue;
        const lane_program *before = out->program;
        const bool tiny = is_below(a, &out->wrong, TINY), small = is_below(a, &out->wrong, SMALL);
        const bool few = out->wrong.count < ANSWERS_MOST_WRONG || most_patches >= 8;
        unsigned first = tiny  ? FIRST_TINY
                         : few ? FIRST_FACTOR
                               : NUDGES,
                 end = tiny ? FIRST_FACTOR : FIRST_SMALL;
        for (int round = 0; round < 2; round++) {
            for (unsigned n = first; n < end; n++)
                if (!consider(out, a, plain, (struct nudge_pair){none.first, &nudges[n]}, roundings[i], costs,
                              most_patches))
                    return false;
            first = small && out->program == before ? FIRST_SMALL : NUDGES, end = NUDGES;
        }
        /* Ties of small x may need the opposite direction to those of large x. */
        const bool both = small && most_patches >= 8 && out->program == before;
        for (unsigned n = FIRST_FACTOR; both && n < FIRST_SMALL; n++)
            for (unsigned m = FIRST_SMALL; m < NUDGES; m++)
                if (!consider(out, a, plain, (struct nudge_pair){&nudges[n], &nudges[m]}, roundings[i], costs,
                              most_patches))
                    return false;
    }
    return true;
}
