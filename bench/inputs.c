/* The inputs, their true values, and the errors of the contestants. */
#include "bench.h"
#include "element.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const char *const input_set_names[INPUT_SETS] = {"normal", "negative", "subnormal", "nan"};

static double uniform(uint64_t *state) { return ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53; }

/* Returns an input whose result is subnormal: a subnormal input, or one in the tails of exp and similar
 * functions from -104 to -87, or of GELU from -14.5 on. */
static double subnormal_result(uint64_t *state)
{
    double u = uniform(state);
    switch (next_random(state) % 3) {
    case 0: return ldexp(2 * u - 1, -126);
    case 1: return -87 - 17 * u;
    default: return -12.9 - 1.6 * u;
    }
}

static void fill_pool(float *out, enum input_set set)
{
    uint64_t state = 1 + (uint64_t)set;
    for (size_t i = 0; i < POOL; i++) {
        switch (set) {
        case INPUTS_NEGATIVE: out[i] = (float)-fabs(normal_number(&state)); break;
        case INPUTS_SUBNORMAL: out[i] = (float)subnormal_result(&state); break;
        case INPUTS_NAN: out[i] = next_random(&state) % 16 ? (float)normal_number(&state) : NAN; break;
        default: out[i] = (float)normal_number(&state);
        }
    }
}

static bool make_set(struct inputs *in, enum input_set set, size_t n)
{
    uint64_t state = 101 + (uint64_t)set;
    in->pool[set] = array_make(POOL * sizeof(float), 0);
    in->x[set] = array_make(n * sizeof(float), 0);
    if (!in->pool[set] || !in->x[set]) return false;
    fill_pool(in->pool[set], set);
    for (size_t i = 0; i < n; i++) in->x[set][i] = in->pool[set][next_random(&state) % POOL];
    return true;
}

bool inputs_make(struct inputs *in, size_t capacity)
{
    *in = (struct inputs){.capacity = capacity < SET_SIZE ? SET_SIZE : capacity};
    in->y = array_make(in->capacity * sizeof(float), 1);
    if (!in->y) return false;
    for (int set = 0; set < INPUT_SETS; set++)
        if (!make_set(in, (enum input_set)set, set == INPUTS_NORMAL ? in->capacity : SET_SIZE)) return false;
    return true;
}

void inputs_free(struct inputs *in)
{
    for (int set = 0; set < INPUT_SETS; set++) {
        array_free(in->pool[set]);
        array_free(in->x[set]);
    }
    array_free(in->y);
    *in = (struct inputs){0};
}

static struct error_figures errors_of(const float *x, const float *y, const double *truth)
{
    struct error_figures e = {0, 0, 0};
    for (size_t i = 0; i < POOL; i++) {
        if (isnan(truth[i])) {
            e.not_nan += isnan(x[i]) && !isnan(y[i]);
            continue;
        }
        double difference = fabs(y[i] - truth[i]);
        if (isnan(difference)) difference = INFINITY;
        e.max_ulp = fmax(e.max_ulp, difference / element_spacing(ACTGEN_F32, truth[i]));
        e.max_abs = fmax(e.max_abs, difference / fmax(1, fabs(truth[i])));
    }
    return e;
}

bool errors_measure(struct contest *c, const char *function, const struct inputs *in)
{
    if (is_follower()) return true; /* errors are the same in every process */
    double *truth = malloc(POOL * sizeof *truth);
    bool good = truth;
    for (int set = 0; set < INPUT_SETS && good; set++) {
        good = truth_of(function, in->pool[set], truth, POOL);
        for (size_t i = 0; i < c->count && good; i++) {
            struct contestant *t = &c->list[i];
            if (t->is_limit || strcmp(t->function, function)) continue;
            /* An element that the loop does not write is then wrong. */
            for (size_t k = 0; k < POOL; k++) in->y[k] = -FLT_MAX;
            contestant_run(t, POOL, in->pool[set], in->y);
            t->errors[set] = errors_of(in->pool[set], in->y, truth);
        }
    }
    free(truth);
    return good;
}

/* Returns true if an error exceeds its bound. The true value is itself a rounded double, so the test allows
 * 1e-6 more. */
bool error_beyond_bound(const struct contestant *c)
{
    for (int set = 0; set < INPUT_SETS; set++) {
        const struct error_figures *e = &c->errors[set];
        if (e->not_nan && c->kernel) return true;
        if (e->max_ulp > c->bound_ulp * (1 + 1e-6) || e->max_abs > c->bound_abs * (1 + 1e-6)) return true;
    }
    return false;
}
