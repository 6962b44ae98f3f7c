/* Finds Chebyshev series for the pieces, and evaluates them. */
#include "surrogate.h"
#include "chebyshev.h"

#include <math.h>

/* TAIL: the number of last terms, which show the error of the terms left out. */
enum { TAIL = 3, INITIAL_OCTAVES = 4 };

struct maker {
    const struct surrogate_request *request;
    struct surrogate *out;
    double cosine[2 * SURROGATE_TERMS + 1]; /* for steps of pi / 36, where the odd ones are roots of T_18 */
};

/* Expands one piece. Returns false if f has no value there. *good says whether the series reaches the
 * tolerance. */
static bool expand(struct maker *m, struct surrogate_piece *p, bool *good)
{
    const struct surrogate_request *r = m->request;
    double value[SURROGATE_TERMS], largest = 0, tail = 0;
    for (unsigned j = 0; j < SURROGATE_TERMS; j++) {
        double t = (p->low + p->high) / 2 + (p->high - p->low) / 2 * m->cosine[2 * j + 1];
        quad exact;
        if (!r->value(r->context, t, &exact)) return false;
        for (unsigned k = 0; k < r->power; k++) exact /= t;
        value[j] = (double)exact;
        if (fabs(value[j]) > largest) largest = fabs(value[j]);
    }
    for (unsigned k = 0; k < SURROGATE_TERMS; k++) {
        double sum = 0;
        for (unsigned j = 0; j < SURROGATE_TERMS; j++)
            sum += value[j] * chebyshev_cosine(m->cosine, 2 * SURROGATE_TERMS, k * (2 * j + 1));
        p->coefficient[k] = sum * (k ? 2.0 : 1.0) / (double)SURROGATE_TERMS;
        if (k >= SURROGATE_TERMS - TAIL && fabs(p->coefficient[k]) > tail) tail = fabs(p->coefficient[k]);
    }
    *good = tail <= r->tolerance * (r->relative ? largest : 1) + largest * 0x1p-51;
    return true;
}

static bool add_pieces(struct maker *m, double low, double high)
{
    struct surrogate_piece p = {.low = low, .high = high};
    bool good;
    if (m->out->count == SURROGATE_MAX_PIECES || high - low < m->request->high * 0x1p-14) return false;
    if (!expand(m, &p, &good)) return false;
    if (!good) return add_pieces(m, low, (low + high) / 2) && add_pieces(m, (low + high) / 2, high);
    m->out->piece[m->out->count++] = p;
    return true;
}

const struct surrogate *surrogate_make(const struct surrogate_request *request, arena *memory)
{
    struct maker m = {.request = request, .out = arena_alloc(memory, sizeof *m.out)};
    m.out->power = request->power;
    quad cosine[2 * SURROGATE_TERMS + 1];
    chebyshev_cosines(cosine, 2 * SURROGATE_TERMS + 1, 2 * SURROGATE_TERMS);
    for (unsigned i = 0; i <= 2 * SURROGATE_TERMS; i++) m.cosine[i] = (double)cosine[i];
    /* Most functions change fastest near 0, so that the first pieces are octaves. */
    double low = 0;
    for (int octave = INITIAL_OCTAVES; octave >= 0; octave--) {
        double high = request->high / (1 << octave);
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
    const double x = (2 * t - p->low - p->high) / (p->high - p->low);
    double value = chebyshev_sum(p->coefficient, SURROGATE_TERMS - 1, x);
    for (unsigned k = 0; k < s->power; k++) value *= t;
    return value;
}
