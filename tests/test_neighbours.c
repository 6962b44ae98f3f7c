/* Tests of judging blocks of neighbours: a look along the curve finds wrong results where a look at each
 * input finds some, and judges few inputs where all results are right. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "neighbours.h"
#include "planned.h"

#include <stdlib.h>

enum { LOG2_SIZE = 16 };

struct block {
    const char *formula;
    float first;
    bool is_smooth; /* otherwise the formula has a kink or a jump in the block, and no curve is close */
};

static const struct block blocks[] = {
    {"gelu(x)", 1, true},
    {"gelu(x)", -3.5f, true},
    {"mish(x)", -0.25f, true},
    {"diff(gelu_tanh(x), x)", -0.75f, true}, /* a root at -0.7518 */
    {"silu(x)", 0x1p-127f, true},            /* subnormal inputs */
    {"max(gelu(x), 0.5*x)", 0x1p-127f, true},
    {"gelu(x) + abs(x - 1.003)", 1, false},
    {"if x < 1.003 then exp(x) else 2*exp(x)", 1, false},
};

static struct tally look(const struct piece *piece, const struct block *b, const struct spec_bound *bound,
                         bool (*judge)(const struct neighbours *, uint32_t, unsigned, struct tally *))
{
    struct piece bounded = *piece;
    struct judge *j = malloc(sizeof *j);
    struct tally t = {0};
    bounded.bound = *bound;
    assert_true(j && judge_init(j, &bounded));
    const struct neighbours near = {j, piece->program, NULL, UINT64_MAX};
    assert_true(judge(&near, bits_of_f32(b->first), LOG2_SIZE, &t));
    judge_clear(j);
    free(j);
    return t;
}

/* Judges by a bound that all results of the block keep, and by one that the worst of them breaks narrowly. */
static void check_block(const struct piece *piece, const struct block *b, bool by_abs)
{
    static const double narrowly = 1 - 0x1p-10, tiny = 0x1p-40;
    struct spec_bound bound = {.kind = by_abs ? BOUND_ABS : BOUND_ULP, .value = by_abs ? 1 : 3};
    const struct tally all = look(piece, b, &bound, neighbours_judge);
    assert_true(all.inputs == 1 << LOG2_SIZE && !all.wrong && !all.undecided);
    const struct tally kept = look(piece, b, &bound, neighbours_judge_suspect);
    if (kept.wrong || kept.inputs > (b->is_smooth ? 0 : JUDGE_BLOCK))
        fail_msg("%s from %g: %llu inputs are suspected", b->formula, (double)b->first,
                 (unsigned long long)kept.inputs);
    bound.value = (by_abs ? all.max_abs : all.max_ulp) * narrowly;
    const struct tally broken = look(piece, b, &bound, neighbours_judge_suspect);
    if (b->is_smooth && bound.value > tiny && !broken.wrong)
        fail_msg("%s from %g: an error beyond %g is not found", b->formula, (double)b->first, bound.value);
    assert_true(broken.inputs <= JUDGE_BLOCK);
}

static void wrong_results_are_found_along_the_curve(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        arena *memory = test_memory();
        const struct lowered *l =
            lower_planned(parse_expression(memory, blocks[i].formula), target_isa_at(0));
        check_block(&l->pieces[0], &blocks[i], false);
        check_block(&l->pieces[0], &blocks[i], true);
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_results_are_found_along_the_curve)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
