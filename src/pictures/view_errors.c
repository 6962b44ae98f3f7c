/* Measures the error of a view over all numbers of its input's type, binade by binade. */
#include "element.h"
#include "filled.h"
#include "parallel.h"
#include "view.h"

#include <math.h>
#include <stdlib.h>

/* Beyond the largest number, errors are counted as if the numbers went on to 2^(greatest + 1), which infinity
 * stands for. */
/* Returns true if the value is the type's end, and the exact one is beyond it. Types without an infinity
 * saturate. Integers have no NaN either, and 0 stands for it. */
static bool is_saturated(int type, double value, double truth)
{
    double least, most;
    if (type == ACTGEN_U8)
        least = 0, most = UINT8_MAX;
    else if (type == ACTGEN_I8)
        least = INT8_MIN, most = INT8_MAX;
    else if (type == ACTGEN_E4M3)
        least = -448, most = 448;
    else
        return false;
    if (isnan(truth)) return value == 0;
    return (value == least && truth <= least) || (value == most && truth >= most);
}

double error_by(enum measure measure, int type, double value, double truth)
{
    if (value == truth || (isnan(value) && isnan(truth)) || is_saturated(type, value, truth)) return 0;
    if (isnan(value) || isnan(truth)) return INFINITY;
    const double end = ldexp(1, element_format(type).greatest + 1);
    const double error = fabs(fmax(fmin(value, end), -end) - fmax(fmin(truth, end), -end));
    if (measure == MEASURE_ABS) return error / fmax(1, fmin(fabs(truth), end));
    return error / element_spacing(type, isinf(truth) ? end : truth);
}

struct sweep {
    const struct view *view;
    struct envelope *envelope;
    size_t samples; /* per binade; all its numbers if they are no more */
};

/* Returns sample i in the range 1 to 2: the ends, and between them a random number in each of equal parts. */
static double sample_of_binade(const struct sweep *s, size_t i, uint64_t *state)
{
    const double part = 1 / (double)s->samples;
    if (s->envelope->is_exhaustive) return 1 + (double)i * part;
    if (i == 0) return 1;
    if (i + 1 == s->samples) return 2 - ldexp(1, 1 - element_format(s->view->input_type).bits);
    return 1 + ((double)i + (double)(next_random(state) >> 11) * 0x1p-53) * part;
}

static void try_input(const struct sweep *s, struct probe *probe, struct binade *b, double x)
{
    double truth;
    if (x < s->view->promise.bound_low || x > s->view->promise.bound_high) return;
    if (!probe_truth(probe, x, &truth)) return;
    const double value = probe_value(probe, x);
    for (enum measure m = 0; m < MEASURES; m++) {
        const double error = error_by(m, s->view->result_type, value, truth);
        if (!b->inputs || error > b->worst[m].error) b->worst[m] = (struct worst){error, x, value, truth};
    }
    b->inputs++;
}

/* Tries an input at which the planner found its largest error. */
static void try_known(const struct sweep *s, struct probe *probe, struct binade *b, double x)
{
    if ((x < 0) == b->is_negative && x != 0 && ilogb(x) == b->exponent && probe_round(probe, x) == x)
        try_input(s, probe, b, x);
}

static void sweep_binade(void *context, size_t number)
{
    const struct sweep *s = context;
    struct binade *b = &s->envelope->binades[number];
    const double sign = b->is_negative ? -1 : 1;
    struct probe probe;
    uint64_t state = number + 1;
    double last = 0;
    probe_open(&probe, s->view);
    for (size_t i = 0; i < s->samples && !was_interrupted(); i++) {
        const double x = probe_round(&probe, sign * ldexp(sample_of_binade(s, i, &state), b->exponent));
        if (ilogb(x) == b->exponent && x != last) try_input(s, &probe, b, x);
        last = x;
    }
    if (!s->envelope->is_exhaustive) {
        try_known(s, &probe, b, s->view->promise.max_ulp_at);
        try_known(s, &probe, b, s->view->promise.max_abs_at);
    }
    probe_close(&probe);
}

void envelope_open(struct envelope *e, const struct view *v)
{
    enum { ALL_BITS = 11, SAMPLES = 48, SAMPLES_OF_F64 = 12 };
    const struct element_format f = element_format(v->input_type);
    const int least = f.least - f.bits + 1, binades = f.greatest - least + 1;
    *e = (struct envelope){.count = 2 * (size_t)binades, .is_exhaustive = f.bits <= ALL_BITS};
    e->binades = must_allocate(e->count, sizeof *e->binades);
    struct sweep sweep = {v, e,
                          e->is_exhaustive              ? (size_t)1 << (f.bits - 1)
                          : v->input_type == ACTGEN_F64 ? SAMPLES_OF_F64
                                                        : SAMPLES};
    for (int i = 0; i < binades; i++) {
        e->binades[i] = (struct binade){.exponent = f.greatest - i, .is_negative = true};
        e->binades[binades + i] = (struct binade){.exponent = least + i};
    }
    parallel_for(NULL, e->count, sweep_binade, &sweep);
    for (size_t i = 0; i < e->count; i++) e->inputs += e->binades[i].inputs;
}

void envelope_close(struct envelope *e) { free(e->binades); }

struct worst envelope_worst(const struct envelope *e, enum measure measure)
{
    struct worst worst = {0};
    for (size_t i = 0; i < e->count; i++)
        if (e->binades[i].inputs && e->binades[i].worst[measure].error > worst.error)
            worst = e->binades[i].worst[measure];
    return worst;
}
