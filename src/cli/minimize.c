/* Minimises by the simplex method of J. A. Nelder and R. Mead, A simplex method for function minimization,
 * The Computer Journal 7 (1965). The method needs no derivatives, which largest errors do not have. It may
 * stop at a point that is no minimum. So it starts again there with a smaller simplex, until that gains
 * nothing. */
#include "minimize.h"

#include <math.h>
#include <string.h>

struct corner {
    double at[MINIMIZE_MOST], value;
};

struct simplex {
    double (*function)(void *context, const double *at);
    void *context;
    size_t count;
    struct corner corners[MINIMIZE_MOST + 1]; /* the best first */
};

static void evaluate_corner(const struct simplex *s, struct corner *c)
{
    c->value = s->function(s->context, c->at);
    if (isnan(c->value)) c->value = INFINITY;
}

/* Sorts by insertion, because there are few corners. */
static void sort(struct simplex *s)
{
    for (size_t i = 1; i <= s->count; i++) {
        const struct corner c = s->corners[i];
        size_t k = i;
        for (; k && c.value < s->corners[k - 1].value; k--) s->corners[k] = s->corners[k - 1];
        s->corners[k] = c;
    }
}

/* Computes the point on the line from the worst corner through the centre of the others, at `step`: 0 is that
 * centre, 1 the mirror image. */
static struct corner along(const struct simplex *s, double step)
{
    struct corner c = {{0}, 0};
    const struct corner *worst = &s->corners[s->count];
    for (size_t d = 0; d < s->count; d++) {
        double centre = 0;
        for (size_t i = 0; i < s->count; i++) centre += s->corners[i].at[d] / (double)s->count;
        c.at[d] = centre + step * (centre - worst->at[d]);
    }
    evaluate_corner(s, &c);
    return c;
}

static void shrink(struct simplex *s)
{
    for (size_t i = 1; i <= s->count; i++) {
        for (size_t d = 0; d < s->count; d++)
            s->corners[i].at[d] = (s->corners[i].at[d] + s->corners[0].at[d]) / 2;
        evaluate_corner(s, &s->corners[i]);
    }
}

static void turn(struct simplex *s)
{
    struct corner *worst = &s->corners[s->count];
    const struct corner mirrored = along(s, 1);
    if (mirrored.value < s->corners[0].value) {
        const struct corner farther = along(s, 2);
        *worst = farther.value < mirrored.value ? farther : mirrored;
    } else if (mirrored.value < s->corners[s->count - 1].value) {
        *worst = mirrored;
    } else {
        const struct corner nearer = along(s, mirrored.value < worst->value ? 0.5 : -0.5);
        if (nearer.value < fmin(mirrored.value, worst->value))
            *worst = nearer;
        else
            shrink(s);
    }
    sort(s);
}

static double extent(const struct simplex *s)
{
    double widest = 0;
    for (size_t d = 0; d < s->count; d++)
        widest = fmax(widest, fabs(s->corners[s->count].at[d] - s->corners[0].at[d]) /
                                  (1e-3 + fabs(s->corners[0].at[d])));
    return widest;
}

double minimize(double (*function)(void *context, const double *at), void *context, double *at, size_t count)
{
    enum { TURNS = 400, ROUNDS = 8 };
    struct simplex s = {.function = function, .context = context, .count = count};
    double best = INFINITY, size = 0.2;
    for (int round = 0; round < ROUNDS; round++, size /= 8) {
        for (size_t i = 0; i <= count; i++) {
            memcpy(s.corners[i].at, at, count * sizeof *at);
            if (i) s.corners[i].at[i - 1] += size * (0.05 + fabs(at[i - 1]));
            evaluate_corner(&s, &s.corners[i]);
        }
        sort(&s);
        for (int i = 0; i < TURNS && extent(&s) > 1e-12; i++) turn(&s);
        memcpy(at, s.corners[0].at, count * sizeof *at);
        if (round > 1 && !(s.corners[0].value < best * (1 - 1e-9))) break;
        best = s.corners[0].value;
    }
    return s.corners[0].value;
}
