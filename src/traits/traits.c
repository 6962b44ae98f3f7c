/* Finds each trait once. */
#include "traits.h"
#include "centre.h"
#include "changes.h"
#include "float_bits.h"
#include "kinks.h"

#include <math.h>

enum { MOST_ROOTS = 16 };

/* The state of a trait: whether it was asked for, and whether it exists. */
enum state { UNASKED, MISSING, KNOWN };

struct traits_found {
    enum state has_symmetry, has_asymptote[2], has_power[2], has_factor, has_part, has_centre;
    bool has_ends, has_kinks, has_roots, has_tiny;
    struct symmetry symmetry;
    struct line asymptote[2];
    unsigned power[2];
    struct factor factor;
    struct centre centre;
    struct traits *centred;
    struct traits_end end[TRAITS_ENDS];
    struct exact_tiny tiny;
    double *kink, root[MOST_ROOTS];
    unsigned kink_count, root_count;
};

struct traits *traits_create(arena *memory, const expr *written, const expr *simplified, bool is_wide,
                             struct progress *progress)
{
    struct traits *t = arena_alloc(memory, sizeof *t);
    *t = (struct traits){.memory = memory,
                         .written = written,
                         .simplified = simplified,
                         .is_wide = is_wide,
                         .is_algebraic = expr_is_algebraic(memory, simplified),
                         .truth = reference_create(written, simplified, 1),
                         .fitted = reference_create(simplified, simplified, 1),
                         .found = arena_alloc(memory, sizeof *t->found)};
    if (!t->truth || !t->fitted) {
        traits_free(t);
        return NULL;
    }
    reference_watch(t->truth, progress);
    reference_watch(t->fitted, progress);
    return t;
}

void traits_free(struct traits *t)
{
    if (!t) return;
    traits_free(t->found->centred);
    reference_free(t->truth);
    reference_free(t->fitted);
}

static enum state state_of(bool is_known) { return is_known ? KNOWN : MISSING; }

/* -- lines -- */

const struct symmetry *traits_symmetry(struct traits *t)
{
    struct traits_found *f = t->found;
    if (!f->has_symmetry) f->has_symmetry = state_of(symmetry_find(&f->symmetry, t->fitted));
    return f->has_symmetry == KNOWN ? &f->symmetry : NULL;
}

const struct line *traits_asymptote(struct traits *t, bool negative)
{
    enum state *has = &t->found->has_asymptote[negative];
    struct line *line = &t->found->asymptote[negative];
    if (!*has) *has = state_of(asymptote_find(line, t->fitted, negative));
    return *has == KNOWN ? line : NULL;
}

bool traits_leading_power(unsigned *m, unsigned largest, struct traits *t, bool negative)
{
    enum state *has = &t->found->has_power[negative];
    unsigned *power = &t->found->power[negative];
    if (!*has) *has = state_of(formula_leading_power(power, TRAITS_MOST_POWER, t->fitted, negative));
    *m = *power;
    return *has == KNOWN && *m <= largest;
}

/* -- functions that decay -- */

const struct factor *traits_factor(struct traits *t)
{
    struct traits_found *f = t->found;
    if (!f->has_factor) f->has_factor = state_of(factor_find(&f->factor, t));
    return f->has_factor == KNOWN ? &f->factor : NULL;
}

const struct factor *traits_factor_part(struct traits *t)
{
    struct traits_found *f = t->found;
    if (!traits_factor(t)) return NULL;
    if (!f->has_part) f->has_part = state_of(factor_find_part(&f->factor, t));
    return f->has_part == KNOWN ? &f->factor : NULL;
}

static bool find_centre(struct traits *t)
{
    struct traits_found *f = t->found;
    if (!centre_find(&f->centre, t->memory, t->simplified)) return false;
    f->centred = traits_create(t->memory, f->centre.formula, f->centre.formula, t->is_wide, NULL);
    const struct factor *part = f->centred ? traits_factor_part(f->centred) : NULL;
    return part && part->line.mirrors;
}

struct traits *traits_centred(struct traits *t, quad *c)
{
    struct traits_found *f = t->found;
    if (!f->has_centre) f->has_centre = state_of(find_centre(t));
    *c = f->centre.at;
    return f->has_centre == KNOWN ? f->centred : NULL;
}

/* -- places -- */

const struct traits_end *traits_ends(struct traits *t)
{
    static const double places[TRAITS_ENDS] = {-(double)INFINITY, (double)INFINITY, -0.0, 0.0};
    struct traits_found *f = t->found;
    for (unsigned i = 0; !f->has_ends && i < TRAITS_ENDS; i++) {
        struct traits_end *end = &f->end[i];
        end->x = places[i];
        end->is_known = reference_value(t->truth, &end->x, &end->value, &end->is_zero) == REFERENCE_DECIDED;
    }
    f->has_ends = true;
    return f->end;
}

static void note_kink(void *context, double x)
{
    struct traits *t = context;
    struct traits_found *f = t->found;
    for (unsigned i = 0; i < f->kink_count; i++)
        if (f->kink[i] == x) return;
    f->kink = arena_with_room(t->memory, f->kink, f->kink_count, sizeof *f->kink);
    f->kink[f->kink_count++] = x;
}

const double *traits_kinks(struct traits *t, unsigned *count)
{
    if (!t->found->has_kinks) formula_kinks(t->memory, t->written, note_kink, t);
    t->found->has_kinks = true;
    *count = t->found->kink_count;
    return t->found->kink;
}

static void find_roots(struct traits_found *f, reference *truth)
{
    uint32_t places[MOST_ROOTS];
    double zero = 0, value;
    const struct changes_function function = changes_of_f32(truth);
    if (reference_value(truth, &zero, &value, NULL) == REFERENCE_DECIDED && value == 0)
        f->root[f->root_count++] = 0;
    const size_t count = changes_find_f32(places, MOST_ROOTS, &function, CHANGES_OF_KIND | CHANGES_TOUCHING);
    for (size_t i = 0; i < count && f->root_count < MOST_ROOTS; i++) {
        const double x = (double)f32_of_bits(places[i]);
        const bool is_root =
            reference_value(truth, &x, &value, NULL) == REFERENCE_DECIDED && fabs(value) < 0x1p-10;
        if (is_root && fabs(x) > 0x1p-60) f->root[f->root_count++] = x;
    }
}

const double *traits_roots(struct traits *t, unsigned *count)
{
    if (!t->found->has_roots) find_roots(t->found, t->fitted);
    t->found->has_roots = true;
    *count = t->found->root_count;
    return t->found->root;
}

const struct exact_tiny *traits_tiny(struct traits *t)
{
    if (!t->found->has_tiny) exact_tiny_find(&t->found->tiny, t->truth);
    t->found->has_tiny = true;
    return &t->found->tiny;
}
