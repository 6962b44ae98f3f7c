/* Tests of where functions end that decay: beyond it no product takes microcode on Intel's processors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp.h"
#include "isas.h"
#include "planned.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Formulas whose programs on AVX2 end where products take no microcode, see ended.h. gelu is none of them:
 * its segments end before. */
static const char *const quiet[] = {"silu(x)",    "sigmoid(x)",  "gelu_sigmoid(x)", "gelu_tanh(x)",
                                    "mish(x)",    "softplus(x)", "logsigmoid(x)",   "erfc(x)",
                                    "normcdf(x)", "exp(x)",      "sech(x)",         "softplus(-x)"};

/* Returns a copy of the program that also stores each f32 value v, to the kernel operand v + 2. */
static lane_program *with_all_stored(const lane_program *from, arena *memory)
{
    lane_program *p = lane_create(memory, &from->profile);
    lane_value *value = arena_alloc(memory, from->count * sizeof *value);
    for (uint32_t i = 0; i < from->count; i++) {
        struct lane_instruction copy = from->code[i];
        if (copy.op == LANE_STORE) continue;
        for (unsigned k = 0; k < lane_ops[copy.op].arity; k++) copy.operand[k] = value[copy.operand[k]];
        value[i] = lane_append(p, from, copy);
        if (copy.type == LANE_F32) lane_store(p, value[i], i + 2);
    }
    return p;
}

/* Returns whether Intel's processors compute the product, or its sum, by microcode. */
static bool takes_microcode(const struct lane_instruction *i, float *const *at, size_t x)
{
    if (i->type != LANE_F32 || (i->op != LANE_MUL && i->op != LANE_FMA)) return false;
    const double product = (double)at[i->operand[0] + 2][x] * (double)at[i->operand[1] + 2][x];
    const double size = fabs(i->op == LANE_FMA ? product + (double)at[i->operand[2] + 2][x] : product);
    return size < 0x1p-126 && size > 0x1p-161;
}

static const lane_program *program_of(arena *memory, const char *formula)
{
    const struct lowered *l = lower_planned(parse_expression(memory, formula), target_isa_find("avx2"));
    assert_int_equal(l->piece_count, 1);
    return l->pieces[0].plan->program;
}

static void ended_programs_take_no_microcode(void **state)
{
    (void)state;
    static const float x[] = {-INFINITY, -3e38f, -1000, 1000, 3e38f, INFINITY};
    enum { COUNT = sizeof x / sizeof *x };
    unsigned wrong = 0, products = 0;
    for (size_t row = 0; row < sizeof quiet / sizeof *quiet; row++) {
        arena *memory = test_memory();
        const lane_program *from = program_of(memory, quiet[row]);
        float **at = arena_alloc(memory, (from->count + 2) * sizeof *at);
        for (uint32_t i = 0; i < from->count + 2; i++) at[i] = arena_alloc(memory, sizeof x);
        memcpy(at[0], x, sizeof x);
        interp *run = interp_create(with_all_stored(from, memory));
        assert_non_null(run);
        interp_run(run, (void **)at, COUNT);
        for (uint32_t i = 0; i < from->count; i++)
            for (size_t k = 0; k < COUNT; k++)
                if (takes_microcode(&from->code[i], at, k)) {
                    fprintf(stderr, "%s at %g: value %u\n", quiet[row], (double)x[k], (unsigned)i);
                    wrong++;
                } else if (from->code[i].op == LANE_MUL)
                    products++;
        interp_free(run);
        arena_free(memory);
    }
    assert_true(products > 0);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ended_programs_take_no_microcode)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
