/* Tests of smooth factors in f64 lanes. Either kind of segments gives the function to the last bits, at
 * segments' borders and at both ends of the interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp.h"
#include "segments.h"
#include "texts.h"

#include <math.h>

static quad falling(quad t) { return (t + 2) / ((t + 1) * (t + 1)); }
static quad like_reciprocal(quad t) { return (t * t + 3 * t + 5) / (t * t * t + 4 * t * t + 9 * t + 10); }
static quad rising(quad t) { return 1 + t / 3 + t * t * t / 50; }
static quad settling(quad t) { return (1 + 2 * t * t) / (3 + t * t); }

static const struct {
    const char *label;
    quad (*function)(quad t);
    double end;
    bool divides; /* True for the cheaper kind. */
} cases[] = {
    {"a double pole at -1", falling, 15, true},
    {"GELU's factor, about", like_reciprocal, 14.25, true},
    {"a cubic", rising, 6, false},
    {"settles at 2", settling, 9, true},
};

static bool value(void *context, double t, quad *out)
{
    quad (*const *function)(quad) = context;
    *out = (*function)(t);
    return true;
}

enum { POINTS = 4096, LOG2_ENTRIES = 4 };

/* Makes inputs: tiny ones, evenly spaced ones, and those next to every border of the segments. */
static size_t make_inputs(float *x, const struct segments *s, double end)
{
    size_t count = 0;
    for (int k = -149; k < -4; k += 5) x[count++] = ldexpf(1, k);
    for (int i = 0; i <= 2000; i++) x[count++] = (float)(end * i / 2000);
    for (int n = 0; s->index == INDEX_RECIPROCAL && n < 64; n++) {
        const float border = (float)(s->numerator / (n + 0.5) - s->offset);
        if (!(border > 0) || (double)border > end) continue;
        x[count++] = nextafterf(border, 0);
        x[count++] = border;
        x[count++] = fminf(nextafterf(border, INFINITY), (float)end);
    }
    return count;
}

static void test_segments(void **state)
{
    static float x[POINTS];
    static double y[POINTS];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena *memory = test_memory();
        struct segments s;
        quad (*function)(quad) = cases[i].function;
        const struct segments_goal_exact goal = {.value = value,
                                                 .context = &function,
                                                 .end = cases[i].end,
                                                 .log2_entries = LOG2_ENTRIES,
                                                 .variable = VARIABLE_DISTANCE,
                                                 .divides = true,
                                                 .most_terms = 17,
                                                 .wanted = 0x1p-55};
        if (!segments_search_exact(&s, &goal, memory)) fail_msg("%s: no fit", cases[i].label);
        if ((s.index == INDEX_RECIPROCAL) != cases[i].divides)
            fail_msg("%s: the dearer kind", cases[i].label);
        const struct target_profile profile = {
            .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 1 << LOG2_ENTRIES};
        lane_program *p = lane_create(memory, &profile);
        lane_store(p, segments_build_halves(&s, p, lane_unary(p, LANE_WIDEN, lane_load(p, LANE_F32, 0))), 1);
        interp *run = interp_create(p);
        assert_non_null(run);
        const size_t count = make_inputs(x, &s, cases[i].end);
        interp_run(run, (void *[]){x, y}, count);
        for (size_t k = 0; k < count; k++) {
            const quad right = function((quad)x[k]);
            if (quad_abs((quad)y[k] - right) > (quad)0x1p-51 * quad_abs(right))
                fail_msg("%s at %.9g: %.17g, not %.17g", cases[i].label, (double)x[k], y[k], (double)right);
        }
        interp_free(run);
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_segments)};
    return cmocka_run_group_tests_name("wide_segments", tests, NULL, NULL);
}
