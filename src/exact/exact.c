/* Makes a program exact: sweep, nudge, sweep again, patch. */
#include "exact_sweep.h"
#include "float_bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 3 };

/* The expected number of wrong roundings above which patches cannot help, whatever the sweep finds. */
static const double MOST_EXPECTED = 60;

/* -- nudge -- */

/* Finds the factor that moves the results of one side, whose f64 values lie on ties, to the right side. The
 * factor is 1 if no result is wrong there. Returns false if some would have to move up and others down. */
static bool side_factor(double *factor, const struct exact_sweep *s, bool negative, float *farthest)
{
    int way = 0;
    for (size_t k = 0; k < s->wrong_count; k++) {
        const struct exact_wrong *w = &s->wrong[k];
        const float x = f32_of_bits(w->bits);
        if (!signbit(x) != !negative || fabsf(x) > EXACT_NUDGEABLE) continue;
        const int this_way = fabsf(w->right) > fabsf(w->computed) ? 1 : -1;
        if (way && way != this_way) return false;
        way = this_way;
        *farthest = fmaxf(*farthest, fabsf(x));
    }
    *factor = way > 0 ? 1 + 0x1p-52 : way < 0 ? 1 - 0x1p-53 : 1;
    return true;
}

static bool find_nudge(struct exact_nudge *out, const struct exact_sweep *s)
{
    float farthest = 0;
    if (!side_factor(&out->factor[0], s, false, &farthest) ||
        !side_factor(&out->factor[1], s, true, &farthest))
        return false;
    if (farthest == 0) return false;
    out->below = 2 * farthest;
    for (int side = 0; side < 2; side++) { /* extends the nudge as far as the side of the ties is known */
        const struct exact_side *t = &s->request->tiny->side[side];
        if (farthest > t->limit || t->next == 0) continue;
        out->below = fmaxf(out->below, t->limit);
        out->factor[side] = t->next > 0 ? 1 + 0x1p-52 : 1 - 0x1p-53;
    }
    return true;
}

/* -- patches -- */

static int32_t step_of(const struct exact_wrong *w)
{
    return (int32_t)(bits_of_f32(w->right) - bits_of_f32(w->computed));
}

/* Makes patches, one for x and -x if both take the same step. Returns how many, or EXACT_MOST_PATCHES + 1 if
 * there are too many. */
static size_t make_patches(struct exact_patch *out, const struct exact_sweep *s)
{
    bool done[EXACT_MOST_WRONG] = {false};
    size_t count = 0;
    for (size_t k = 0; k < s->wrong_count; k++) {
        const struct exact_wrong *w = &s->wrong[k];
        if (done[k]) continue;
        if (count == EXACT_MOST_PATCHES) return EXACT_MOST_PATCHES + 1;
        struct exact_patch p = {f32_of_bits(w->bits), w->right, false, step_of(w)};
        for (size_t other = k + 1; other < s->wrong_count && !isnan(w->right) && !isnan(w->computed);
             other++) {
            if ((s->wrong[other].bits ^ w->bits) != UINT32_C(1) << 31 || step_of(&s->wrong[other]) != p.step)
                continue;
            p.both = done[other] = true;
            p.x = fabsf(p.x);
        }
        out[count++] = p;
    }
    return count;
}

/* -- the whole process -- */

struct course {
    const struct exact_request *request;
    const lane_program *plain;
    struct exact_sweep *sweep;
    struct exact_nudge nudge;
    struct exact_patch patches[EXACT_MOST_PATCHES];
    size_t patch_count;
    uint64_t asked;
};

static int prepare_course(struct course *c, const struct exact_request *request, const lane_program *program,
                          struct diag *error)
{
    struct exact_sweep *s = arena_alloc(request->memory, sizeof *s);
    *c = (struct course){.request = request, .plain = program, .sweep = s};
    s->request = request;
    s->chunks = arena_alloc(request->memory, EXACT_CHUNKS * sizeof *s->chunks);
    s->margins = arena_alloc(request->memory, EXACT_CHUNKS * sizeof *s->margins);
    s->sampled = arena_alloc(request->memory, (EXACT_CHUNKS + 2) * sizeof *s->sampled);
    s->parts = arena_alloc(request->memory, EXACT_MOST_PARTS * sizeof *s->parts);
    if (!exact_chunks_find(s->chunks, request)) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    return DIAG_OK;
}

/* Sweeps the program with its nudge. Sets *why if the program is hopeless. */
static int sweep_once(struct course *c, const char **why, struct diag *error)
{
    struct exact_sweep *s = c->sweep;
    struct text t = text_new(c->request->memory);
    const struct plan_machine *machine = c->request->plan->machine;
    const lane_program *with_ends = exact_program(c->plain, &c->nudge, NULL, 0, EXTRA_ENDS);
    s->with_value = exact_program(c->plain, &c->nudge, NULL, 0, EXTRA_VALUE);
    s->no_memory = false;
    exact_measure(s);
    const bool hopeless = s->expected_wrong > MOST_EXPECTED;
    s->code = !hopeless && machine ? machine->make(machine->context, with_ends, 3) : NULL;
    if (!hopeless) exact_sweep_all(s);
    if (s->code) machine->free(s->code);
    if (!progress_goes_on(c->request->plan->progress))
        return diag_set(error, DIAG_STOPPED, "stopped while planning");
    if (s->no_memory) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    c->asked += s->asked;
    if (hopeless) {
        text_add(&t, "some %.2g inputs would round wrongly", s->expected_wrong);
        *why = t.data;
    } else if (s->undecided) {
        *why = "the reference cannot decide roundings";
    } else if (s->gave_up && s->wrong_count < EXACT_MOST_WRONG && s->far_count <= 2 * EXACT_MOST_PATCHES) {
        *why = "too many values lie next to ties";
    }
    return DIAG_OK;
}

/* Judges a sweep. Returns true if patches suffice. Otherwise sets *why, or leaves a nudge to try. */
static bool settle(struct course *c, const char **why)
{
    struct exact_nudge nudge = {0};
    c->patch_count = make_patches(c->patches, c->sweep);
    if (!c->sweep->gave_up && c->patch_count <= EXACT_MOST_PATCHES) return true;
    if (c->sweep->far_count > 2 * EXACT_MOST_PATCHES || !find_nudge(&nudge, c->sweep) ||
        nudge.below <= c->nudge.below) {
        struct text t = text_new(c->request->memory);
        const struct exact_wrong *w = &c->sweep->wrong[0];
        text_add(&t, "%zu%s inputs round wrongly, as %.9g does", c->sweep->wrong_count,
                 c->sweep->gave_up ? " or more" : "", (double)f32_of_bits(w->bits));
        *why = t.data;
    }
    c->nudge = nudge;
    return false;
}

static const char *what_was_done(const struct course *c)
{
    struct text t = text_new(c->request->memory);
    text_add(&t, "all inputs swept");
    if (c->nudge.below > 0) text_add(&t, ", nudged below %.3g", (double)c->nudge.below);
    text_add(&t, ", %zu patch%s", c->patch_count, c->patch_count == 1 ? "" : "es");
    return t.data;
}

int exact_mend(struct exact_result *out, const struct exact_request *request, const lane_program *program,
               struct diag *error)
{
    struct course c;
    bool right = false;
    *out = (struct exact_result){0};
    if (exact_by_construction(program, request->plan->piece.written)) {
        *out = (struct exact_result){program, "one rounding", 0};
        return DIAG_OK;
    }
    int status = prepare_course(&c, request, program, error);
    for (int round = 0; round < ROUNDS && !status && !right && !out->what; round++) {
        status = sweep_once(&c, &out->what, error);
        if (!status && !out->what) right = settle(&c, &out->what);
    }
    if (status) return status;
    if (!out->what) out->what = "no nudge helps";
    if (!right) return DIAG_OK;
    out->program = exact_program(program, &c.nudge, c.patches, c.patch_count, EXTRA_NONE);
    out->what = what_was_done(&c);
    out->swept = UINT64_C(1) << 32;
    return DIAG_OK;
}
