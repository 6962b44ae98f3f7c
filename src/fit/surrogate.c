#include "surrogate.h"

enum { TAIL = 3, INITIAL_OCTAVES = 4 }; /* the last terms, which tell the error of those left out */

struct maker {
    const struct surrogate_request *request;
    struct surrogate *out;
    double node[SURROGATE_TERMS];                        /* roots of the Chebyshev polynomial, falling */
    double polynomial[SURROGATE_TERMS][SURROGATE_TERMS]; /* T_k at node j */
};

static void set_nodes(struct maker *m)
{
    quad angle = quad_cos_pi_over(2 * SURROGATE_TERMS), twice = 2 * (2 * angle * angle - 1), previous = angle,
         current = angle; /* cos(-a), cos(a); steps of 2a */
    for (unsigned j = 0; j < SURROGATE_TERMS; j++) {
        m->node[j] = (double)current;
        quad before = 1, now = current;
        m->polynomial[0][j] = 1;
        for (unsigned k = 1; k < SURROGATE_TERMS; k++) {
            m->polynomial[k][j] = (double)now;
            quad after = 2 * current * now - before;
            before = now;
            now = after;
        }
        quad next = twice * current - previous;
        previous = current;
        current = next;
    }
}

static double magnitude(double v) { return v < 0 ? -v : v; }

/* One piece; false if f has no value there. *good tells whether the series reaches the tolerance. */
static bool expand(struct maker *m, struct surrogate_piece *p, bool *good)
{
    const struct surrogate_request *r = m->request;
    double value[SURROGATE_TERMS], largest = 0, tail = 0;
    for (unsigned j = 0; j < SURROGATE_TERMS; j++) {
        double t = (p->low + p->high) / 2 + (p->high - p->low) / 2 * m->node[j];
        quad exact;
        if (!r->value(r->context, t, &exact)) return false;
        for (unsigned k = 0; k < r->power; k++) exact /= t;
        value[j] = (double)exact;
        if (magnitude(value[j]) > largest) largest = magnitude(value[j]);
    }
    for (unsigned k = 0; k < SURROGATE_TERMS; k++) {
        double sum = 0;
        for (unsigned j = 0; j < SURROGATE_TERMS; j++) sum += value[j] * m->polynomial[k][j];
        p->coefficient[k] = sum * (k ? 2.0 : 1.0) / (double)SURROGATE_TERMS;
        if (k >= SURROGATE_TERMS - TAIL && magnitude(p->coefficient[k]) > tail)
            tail = magnitude(p->coefficient[k]);
    }
    *good = tail <= r->tolerance * (r->relative ? largest : 1) + largest * 0x1p-51;
    return true;
}

static bool add_pieces(struct maker *m, double low, double high)
{
    struct surrogate_piece p = {.low = low, .high = high};
    bool good;
    if (m->out->count == SURROGATE_MAX_PIECES || high - low < (m->request->high - m->request->low) * 0x1p-14)
        return false;
    if (!expand(m, &p, &good)) return false;
    if (!good) return add_pieces(m, low, (low + high) / 2) && add_pieces(m, (low + high) / 2, high);
    m->out->piece[m->out->count++] = p;
    return true;
}

const struct surrogate *surrogate_make(const struct surrogate_request *request, arena *memory)
{
    struct maker m = {.request = request, .out = arena_alloc(memory, sizeof *m.out)};
    m.out->power = request->power;
    set_nodes(&m);
    /* Most functions are busy near 0: begin with octaves. */
    double low = request->low;
    for (int octave = INITIAL_OCTAVES; octave >= 0; octave--) {
        double high = request->low + (request->high - request->low) / (1 << octave);
        if (!add_pieces(&m, low, high)) return NULL;
        low = high;
    }
    return m.out;
}

double surrogate_at(const struct surrogate *s, double t)
{
    unsigned first = 0, last = s->count - 1;
    while (first < last) {
        unsigned middle = (first + last) / 2;
        if (t <= s->piece[middle].high)
            last = middle;
        else
            first = middle + 1;
    }
    const struct surrogate_piece *p = &s->piece[first];
    double x = (2 * t - p->low - p->high) / (p->high - p->low), one = 0, two = 0;
    for (unsigned k = SURROGATE_TERMS - 1; k > 0; k--) {
        double now = 2 * x * one - two + p->coefficient[k];
        two = one;
        one = now;
    }
    double value = x * one - two + p->coefficient[0];
    for (unsigned k = 0; k < s->power; k++) value *= t;
    return value;
}
