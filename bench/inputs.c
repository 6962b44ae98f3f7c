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

static void fill_pool(float *out, enum input_set set, uint64_t state)
{
    for (size_t i = 0; i < POOL; i++) {
        switch (set) {
        case INPUTS_NEGATIVE: out[i] = (float)-fabs(normal_number(&state)); break;
        case INPUTS_SUBNORMAL: out[i] = (float)subnormal_result(&state); break;
        case INPUTS_NAN: out[i] = next_random(&state) % 16 ? (float)normal_number(&state) : NAN; break;
        default: out[i] = (float)normal_number(&state);
        }
    }
}

static size_t size_of(const struct inputs *in, enum input_set set)
{
    return set == INPUTS_NORMAL ? in->capacity : SET_SIZE;
}

/* Fills the second inputs of gates. A subnormal value of the function keeps its absolute error if the second
 * input is at most 1. */
static void fill_up_pool(float *out, enum input_set set)
{
    uint64_t state = 201 + (uint64_t)set;
    if (set != INPUTS_SUBNORMAL)
        fill_pool(out, set, state);
    else
        for (size_t i = 0; i < POOL; i++) out[i] = (float)(2 * uniform(&state) - 1);
}

static float into(enum domain domain, float x)
{
    switch (domain) {
    case DOMAIN_POSITIVE: return fabsf(x);
    case DOMAIN_ABOVE_1: return 1 + fabsf(x);
    case DOMAIN_BELOW_1: return x / (1 + fabsf(x));
    case DOMAIN_ABOVE_MINUS_1: return x < 0 ? x / (1 - x) : x;
    default: return x;
    }
}

static void draw_set(struct inputs *in, enum input_set set)
{
    uint64_t state = 101 + (uint64_t)set;
    fill_pool(in->pool[set], set, 1 + (uint64_t)set);
    fill_up_pool(in->up_pool[set], set);
    for (size_t i = 0; i < POOL; i++) in->pool[set][i] = into(in->domain, in->pool[set][i]);
    for (size_t i = 0; i < size_of(in, set); i++) {
        const size_t pair = next_random(&state) % POOL;
        in->x[set][i] = in->pool[set][pair];
        in->up[set][i] = in->up_pool[set][pair];
    }
}

static bool make_set(struct inputs *in, enum input_set set)
{
    const size_t n = size_of(in, set);
    in->pool[set] = array_make(POOL * sizeof(float), 0);
    in->up_pool[set] = array_make(POOL * sizeof(float), 2);
    in->x[set] = array_make(n * sizeof(float), 0);
    in->up[set] = array_make(n * sizeof(float), 2);
    if (!in->pool[set] || !in->up_pool[set] || !in->x[set] || !in->up[set]) return false;
    draw_set(in, set);
    return true;
}

void inputs_suit(struct inputs *in, const char *function)
{
    const enum domain domain = domain_of(function);
    if (domain == in->domain) return;
    in->domain = domain;
    for (int set = 0; set < INPUT_SETS; set++) draw_set(in, (enum input_set)set);
}

struct arrays inputs_of(const struct inputs *in, enum input_set set)
{
    return (struct arrays){in->x[set], in->up[set], in->y};
}

bool inputs_make(struct inputs *in, size_t capacity)
{
    *in = (struct inputs){.capacity = capacity < SET_SIZE ? SET_SIZE : capacity};
    in->y = array_make(in->capacity * sizeof(float), 1);
    if (!in->y) return false;
    for (int set = 0; set < INPUT_SETS; set++)
        if (!make_set(in, (enum input_set)set)) return false;
    return true;
}

void inputs_free(struct inputs *in)
{
    for (int set = 0; set < INPUT_SETS; set++) {
        array_free(in->pool[set]);
        array_free(in->up_pool[set]);
        array_free(in->x[set]);
        array_free(in->up[set]);
    }
    array_free(in->y);
    *in = (struct inputs){0};
}

static struct error_figures errors_of(struct arrays a, bool gate, const double *truth)
{
    const float *x = a.x, *y = a.y;
    struct error_figures e = {0, 0, 0};
    for (size_t i = 0; i < POOL; i++) {
        if (isnan(truth[i])) {
            e.not_nan += (isnan(x[i]) || (gate && isnan(a.up[i]))) && !isnan(y[i]);
            continue;
        }
        double difference = fabs(y[i] - truth[i]);
        if (isnan(difference)) difference = INFINITY;
        e.max_ulp = fmax(e.max_ulp, difference / element_spacing(ACTGEN_F32, truth[i]));
        e.max_abs = fmax(e.max_abs, difference / fmax(fmax(1, gate ? fabs(a.up[i]) : 0), fabs(truth[i])));
    }
    return e;
}

bool errors_measure(struct contest *c, const char *function, const struct inputs *in)
{
    if (is_follower()) return true; /* errors are the same in every process */
    double *truth = malloc(POOL * sizeof *truth);
    bool good = truth;
    for (int set = 0; set < INPUT_SETS && good; set++) {
        const struct arrays a = {in->pool[set], in->up_pool[set], in->y};
        good = truth_of(function, a.x, a.up, truth, POOL);
        for (size_t i = 0; i < c->count && good; i++) {
            struct contestant *t = &c->list[i];
            if (t->is_limit || strcmp(t->function, function)) continue;
            /* An element that the loop does not write is then wrong. */
            for (size_t k = 0; k < POOL; k++) in->y[k] = -FLT_MAX;
            contestant_run(t, POOL, a);
            t->errors[set] = errors_of(a, is_gate(function), truth);
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
