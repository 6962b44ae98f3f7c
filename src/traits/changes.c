/* Walks over a function in steps. Bisects where the kind of the result changes, and searches between three
 * steps where the result turns back.
 *
 * A value is open if its error covers zero. Its neighbours usually tell all that is needed. The exact
 * function is a thousand times slower. It is asked only when a search has come near an open value, and at one
 * open step of 64. */
#include "changes.h"
#include "float_bits.h"

#include <math.h>

/* -- the reference -- */

static void values_of(reference *truth, const double *x, double *values, double *errors, size_t count)
{
    const double *inputs[1] = {x};
    reference_quick(truth, inputs, count, values, errors);
}

static double sure_value(reference *truth, double x)
{
    double value;
    return reference_value(truth, &x, &value, NULL) == REFERENCE_DECIDED ? value : NAN;
}

static void f32_values(void *truth, const uint64_t *at, double *values, double *errors, size_t count)
{
    double x[CHANGES_BLOCK];
    for (size_t i = 0; i < count; i++) x[i] = (double)f32_of_bits((uint32_t)at[i]);
    values_of(truth, x, values, errors, count);
}

static double f32_sure(void *truth, uint64_t at)
{
    return sure_value(truth, (double)f32_of_bits((uint32_t)at));
}

struct changes_function changes_of_f32(reference *truth)
{
    return (struct changes_function){f32_values, f32_sure, truth};
}

static void f64_values(void *truth, const uint64_t *at, double *values, double *errors, size_t count)
{
    double x[CHANGES_BLOCK];
    for (size_t i = 0; i < count; i++) x[i] = f64_of_bits(at[i]);
    values_of(truth, x, values, errors, count);
}

static double f64_sure(void *truth, uint64_t at) { return sure_value(truth, f64_of_bits(at)); }

struct changes_function changes_of_f64(reference *truth)
{
    return (struct changes_function){f64_values, f64_sure, truth};
}

/* -- points -- */

enum kind { IS_OPEN, IS_NAN, IS_NEGATIVE, IS_ZERO, IS_POSITIVE, IS_INFINITE };

struct point {
    uint64_t at;
    double value, error;
    enum kind kind;
};

static enum kind kind_of(double y)
{
    if (isnan(y)) return IS_NAN;
    return isinf(y) ? IS_INFINITE : y < 0 ? IS_NEGATIVE : y > 0 ? IS_POSITIVE : IS_ZERO;
}

static bool is_open(const struct changes_function *f, double value, double error)
{
    return f->sure && !(fabs(value) > error);
}

static struct point point_of(const struct changes_function *f, uint64_t at, double value, double error)
{
    return (struct point){at, value, error, is_open(f, value, error) ? IS_OPEN : kind_of(value)};
}

static void ask_point(struct point *p, const struct changes_function *f)
{
    p->value = f->sure(f->context, p->at);
    p->error = isnan(p->value) ? INFINITY : fabs(p->value) * 0x1p-53;
    p->kind = kind_of(p->value);
}

static struct point point_at(const struct changes_function *f, uint64_t at)
{
    double value, error;
    f->values(f->context, &at, &value, &error, 1);
    return point_of(f, at, value, error);
}

static enum kind kind_at(const struct changes_function *f, uint64_t at)
{
    struct point p = point_at(f, at);
    if (p.kind == IS_OPEN) ask_point(&p, f);
    return p.kind;
}

/* -- searches -- */

struct walk {
    const struct changes_function *f;
    unsigned wanted;
    uint64_t *places;
    size_t room, count, tries;
    struct point last; /* the last point whose kind is known */
    unsigned open;     /* number of open points since then */
};

static void visit_place(struct walk *w, uint64_t place)
{
    if (w->count < w->room) w->places[w->count++] = place;
}

static void add_change(struct walk *w, uint64_t low, uint64_t high, enum kind kind_of_low)
{
    if (!(w->wanted & CHANGES_OF_KIND)) return;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (kind_at(w->f, middle) == kind_of_low)
            low = middle;
        else
            high = middle;
    }
    visit_place(w, high);
}

/* Compares a's value with b's. Returns -1, 1, or 0 where the difference does not matter. */
static int order_of(const struct changes_function *f, uint64_t a, uint64_t b)
{
    struct point p = point_at(f, a), q = point_at(f, b);
    if (f->sure && !(fabs(p.value - q.value) > p.error + q.error)) {
        ask_point(&p, f);
        ask_point(&q, f);
    }
    return (p.value > q.value) - (p.value < q.value);
}

/* Returns where the value is least (`turns` is 1) or largest (-1) between `low` and `high`. It divides by
 * thirds. */
static uint64_t turn_between(const struct changes_function *f, uint64_t low, uint64_t high, int turns)
{
    while (high - low > 2) {
        const uint64_t third = (high - low) / 3, a = low + third, b = high - third;
        const int order = order_of(f, a, b) * turns;
        if (order <= 0) high = b;
        if (order >= 0) low = a;
    }
    return low + (high - low) / 2;
}

/* Adds a turn between points of one known kind. If the turn has another kind, the function crosses zero on
 * both sides of it. These crossings are added unless they are known already, as `crossed` tells. */
static void add_turn(struct walk *w, const struct point *low, const struct point *high, int turns,
                     bool crossed)
{
    /* depth, relative to the value a step away, from which a turn is more than a mere valley */
    static const double deep = 0x1p-12;
    if (w->tries++ > 2 * w->room) return;
    struct point p = point_at(w->f, turn_between(w->f, low->at, high->at, turns));
    if (p.kind == IS_OPEN) ask_point(&p, w->f);
    const bool crosses = !crossed && p.kind != low->kind && p.kind != IS_ZERO && p.kind != IS_NAN,
               touches = !crosses && fabs(p.value) < deep * fabs(low->value);
    if (crosses) add_change(w, low->at, p.at, low->kind);
    if (w->wanted & (touches ? CHANGES_TOUCHING : CHANGES_TURNS)) visit_place(w, p.at);
    if (crosses) add_change(w, p.at, high->at, p.kind);
}

/* -- the walk -- */

/* Returns the direction of a turn towards zero between two steps of this kind. A positive function turns at a
 * minimum, a negative one at a maximum. */
static int turn_to_zero(enum kind kind) { return kind == IS_POSITIVE ? 1 : kind == IS_NEGATIVE ? -1 : 0; }

enum { ASKED_EVERY = 64, MOST_OPEN = 4 };

/* Handles the next step, number n. */
static void meet(struct walk *w, struct point *p, uint64_t n)
{
    if (p->kind == IS_OPEN && n % ASKED_EVERY == 0) ask_point(p, w->f);
    if (p->kind == IS_OPEN) {
        w->open++;
        return;
    }
    const int turns = turn_to_zero(p->kind);
    if (w->last.kind != IS_OPEN && p->kind != w->last.kind)
        add_change(w, w->last.at, p->at, w->last.kind);
    else if (w->last.kind == p->kind && w->open && w->open <= MOST_OPEN && turns &&
             w->wanted != CHANGES_OF_KIND)
        add_turn(w, &w->last, p, turns, false);
    w->last = *p;
    w->open = 0;
}

/* Returns 1 where the value certainly has a minimum at the middle one of three steps, -1 for a maximum, else
 * 0. */
static int turn_at(const struct point *p)
{
    const double before = p[1].value - p[0].value, after = p[2].value - p[1].value;
    if (p[0].kind != p[2].kind || p[1].kind == IS_OPEN || !turn_to_zero(p[0].kind)) return 0;
    if (!(fabs(before) > p[0].error + p[1].error && fabs(after) > p[1].error + p[2].error)) return 0;
    return before < 0 && after > 0 ? 1 : before > 0 && after < 0 ? -1 : 0;
}

static bool is_turn_wanted(const struct walk *w, const struct point *p, int turns)
{
    return (w->wanted & CHANGES_TURNS) || ((w->wanted & CHANGES_TOUCHING) && turns == turn_to_zero(p->kind));
}

size_t changes_find(uint64_t *places, size_t room, const struct changes_function *f,
                    struct changes_range range, unsigned wanted)
{
    struct walk w = {.f = f, .wanted = wanted, .places = places, .room = room};
    struct point recent[3] = {{.kind = IS_OPEN}};
    uint64_t at[CHANGES_BLOCK];
    double values[CHANGES_BLOCK], errors[CHANGES_BLOCK];
    for (uint64_t first = 0; first <= range.steps && w.count < room; first += CHANGES_BLOCK) {
        const uint64_t left = range.steps + 1 - first, count = left < CHANGES_BLOCK ? left : CHANGES_BLOCK;
        for (uint64_t i = 0; i < count; i++) at[i] = range.first + (first + i) * range.step;
        f->values(f->context, at, values, errors, count);
        for (uint64_t i = 0; i < count && w.count < room; i++) {
            recent[0] = recent[1];
            recent[1] = recent[2];
            recent[2] = point_of(f, at[i], values[i], errors[i]);
            meet(&w, &recent[2], first + i);
            const int turns = first + i >= 2 && wanted != CHANGES_OF_KIND ? turn_at(recent) : 0;
            if (turns && is_turn_wanted(&w, &recent[0], turns))
                add_turn(&w, &recent[0], &recent[2], turns, recent[1].kind != recent[0].kind);
        }
    }
    return w.count;
}

size_t changes_find_f32(uint32_t *places, size_t room, const struct changes_function *f, unsigned wanted)
{
    enum { STEP = 1 << 17, INFINITE = 0x7f800000, MOST = 1024 };
    static const uint64_t sign = UINT64_C(1) << 31;
    uint64_t found[MOST];
    size_t count = 0;
    const size_t half = room / 2 < MOST ? room / 2 : MOST;
    for (uint64_t side = 0; side < 2; side++) {
        const struct changes_range range = {side * sign, STEP, INFINITE / STEP};
        const size_t more = changes_find(found, half, f, range, wanted);
        for (size_t i = 0; i < more; i++) places[count++] = (uint32_t)found[i];
    }
    return count;
}
