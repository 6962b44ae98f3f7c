/* Measures how far a program's f64 value may be off, at a few inputs of each 2^20, with a wide safety
 * margin. */
#include "budget.h"
#include "exact_sweep.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 6, VALUE_BITS = 96 };

/* Returns the first input of a chunk, the last one, or one between. */
static uint32_t sample_of(uint32_t chunk, unsigned k)
{
    const uint32_t first = chunk << EXACT_LOG2_CHUNK, size = UINT32_C(1) << EXACT_LOG2_CHUNK;
    if (k == 0) return first;
    if (k == SAMPLES - 1) return first + size - 1;
    return first + size / (SAMPLES - 1) * k + ((chunk * SAMPLES + k) * 0x9e3779b9u >> 16);
}

/* Notes the error of `value` at x. */
static void note_sample(struct exact_sampled *s, reference *truth, double x, double value, mpfr_t exact)
{
    if (reference_precise(truth, &x, VALUE_BITS, exact) != REFERENCE_DECIDED) return;
    if (!mpfr_regular_p(exact) || !isfinite(value)) return;
    const double size = fabs(mpfr_get_d(exact, MPFR_RNDN));
    mpfr_sub_d(exact, exact, value, MPFR_RNDN);
    const double error = fabs(mpfr_get_d(exact, MPFR_RNDN));
    if (size == 0 || !isfinite(size)) return;
    s->absolute = fmax(s->absolute, error);
    s->relative = fmax(s->relative, error / size);
    s->high = fmax(s->high, size);
    s->low = s->count ? fmin(s->low, size) : size;
    s->count++;
}

static void sample_chunk(struct exact_sampled *s, struct exact_sweep *part, uint32_t chunk, mpfr_t exact)
{
    float x[SAMPLES], y[SAMPLES];
    double value[SAMPLES];
    void *operands[3] = {x, y, value};
    for (unsigned k = 0; k < SAMPLES; k++) {
        const uint32_t bits = sample_of(chunk, k);
        memcpy(&x[k], &bits, sizeof bits);
    }
    interp *run = exact_part_run(part);
    reference *truth = exact_part_truth(part);
    if (!run || !truth) return;
    interp_run(run, operands, SAMPLES);
    for (unsigned k = 0; k < SAMPLES; k++) note_sample(s, truth, (double)x[k], value[k], exact);
}

static struct exact_margin margin_of(const struct exact_sampled *s)
{
    struct exact_margin m = {.low = s[0].low / 4};
    /* Without samples, every input is asked of the reference. */
    if (!s[0].count) return (struct exact_margin){HUGE_VAL, HUGE_VAL, 0};
    /* Includes both neighbours. */
    for (int k = -1; k <= 1; k++) {
        m.relative = fmax(m.relative, s[k].relative);
        m.absolute = fmax(m.absolute, k == 0 ? s[k].absolute : 0);
    }
    m.relative = fmax(m.relative * BUDGET_MARGIN, BUDGET_MARGIN_LEAST);
    m.absolute = fmax(m.absolute * BUDGET_MARGIN, s[0].low * BUDGET_MARGIN_LEAST);
    return m;
}

/* Estimates the number of wrong roundings by the error of the largest value. Next to a root, the few worst
 * inputs say nothing about the others. */
static double expected_wrong_of(const struct exact_sampled *s)
{
    const double unit = fmax(s->high * 0x1p-23, 0x1p-149); /* approximate spacing of results */
    return s->count ? fmin(s->absolute / unit, 1) * (1 << EXACT_LOG2_CHUNK) / 2 : 0;
}

/* Measures a share of the chunks. This is the task of a thread. */
static void measure_part(void *context, size_t i)
{
    enum { SHARE = EXACT_CHUNKS / EXACT_MOST_PARTS };
    const struct exact_sweep *sweep = context;
    struct exact_sweep *part = &sweep->parts[i];
    mpfr_t exact;
    mpfr_init2(exact, VALUE_BITS + 64);
    exact_part_begin(part, sweep);
    for (uint32_t chunk = (uint32_t)i * SHARE; chunk < (uint32_t)(i + 1) * SHARE; chunk++)
        if (sweep->chunks[chunk].kind == CHUNK_ORDINARY)
            sample_chunk(&sweep->sampled[chunk + 1], part, chunk, exact);
    exact_part_end(part);
    mpfr_clear(exact);
}

void exact_measure(struct exact_sweep *sweep)
{
    struct exact_sampled *s = sweep->sampled;
    struct progress *progress = sweep->request->plan->progress;
    memset(s, 0, (size_t)(EXACT_CHUNKS + 2) * sizeof *s);
    progress_begin(progress, "measuring errors of all binades", EXACT_MOST_PARTS);
    progress_parallel(progress, EXACT_MOST_PARTS, measure_part, sweep);
    for (unsigned i = 0; i < EXACT_MOST_PARTS; i++) {
        sweep->no_memory = sweep->no_memory || sweep->parts[i].no_memory;
        reference_add_work(sweep->request->truth, sweep->parts[i].work);
    }
    sweep->expected_wrong = 0;
    for (uint32_t chunk = 0; chunk < EXACT_CHUNKS; chunk++) {
        sweep->margins[chunk] = margin_of(&s[chunk + 1]);
        sweep->expected_wrong += expected_wrong_of(&s[chunk + 1]);
    }
}
