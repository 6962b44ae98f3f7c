/* Tests of sweeps that settle whole blocks of inputs without looking at each value of the formula. A sweep
 * must still see one fault at one input. The faults are at random inputs, at both ends of settled blocks,
 * and among the subnormals. A fault is a bit of the machine code's result that differs from the
 * interpreter's, or a program that is wrong there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp.h"
#include "planned.h"
#include "random_program.h"
#include "sweep.h"

#include <math.h>

enum { BLOCK = 1 << 18, RANDOM_FAULTS = 100, SUBNORMAL_FAULTS = 10, SETTLED_BLOCKS = 10 };

static const struct input_run all_inputs = {.type = ELEMENT_F32, .stride = 1, .count = UINT64_C(1) << 32};

/* The stand-in for machine code: the interpreter, whose result has a wrong lowest bit at one input, or a
 * number in place of NaN. */
static interp *code_program;
static uint32_t faulty_input;
static bool is_faulty;

static void code(size_t rows, size_t cols, const actgen_operand *o)
{
    const float *x = o[0].data;
    float *y = (float *)o[1].data;
    (void)rows;
    interp_run(code_program, (void *[]){(float *)x, y}, cols);
    for (size_t k = 0; is_faulty && k < cols; k++)
        if (bits_of_f32(x[k]) == faulty_input) y[k] = isnan(y[k]) ? 1 : f32_of_bits(bits_of_f32(y[k]) ^ 1);
}

struct proof {
    arena *memory;
    struct lowered *l;
    struct piece piece;
    struct beginning *beginning;
};

static void proof_plan(struct proof *p, const char *formula)
{
    p->l = lower_planned(parse_expression(p->memory, formula), target_isa_at(0));
    p->piece = p->l->pieces[0];
    p->beginning = beginning_create(p->piece.written);
}

/* Sweeps the block of the input, with the plan's program or a wrong one. */
static struct tally sweep_block(const struct proof *p, uint32_t input, const lane_program *program)
{
    struct piece piece = p->piece;
    struct lane_kernel kernel = p->l->kernel;
    piece.program = kernel.program = program;
    const struct verify_subject subject = {
        .kernel = &kernel, .code = code, .pieces = &piece, .piece_count = 1, .is_whole = true};
    const struct sweep s = {.subject = &subject,
                            .piece = &piece,
                            .beginning = p->beginning,
                            .with_bits = true,
                            .shares_program = true};
    struct tally t = {.max_ulp = 2.9, .max_abs = 1, .decided_any = true};
    bool distrust = false;
    code_program = interp_create(program);
    assert_true(sweep_shard(&s, &all_inputs, input / BLOCK * BLOCK, BLOCK, &distrust, &t));
    interp_free(code_program);
    assert_int_equal(t.inputs, BLOCK);
    assert_int_equal(t.bits_compared, BLOCK);
    return t;
}

/* Returns the program with a fault at one input: some ulps too far from 0, or a number in place of NaN. */
static const lane_program *wrong_program(const struct proof *p, uint32_t input)
{
    enum { ULPS = 8 };
    lane_program *wrong = lane_create(p->memory, &p->piece.program->profile);
    const lane_value x = lane_load(wrong, LANE_F32, 0), y = lane_inline(wrong, p->piece.program, &x);
    const lane_value bits = lane_unary(wrong, LANE_BITCAST, y);
    const lane_value more = lane_unary(
        wrong, LANE_BITCAST, lane_binary(wrong, LANE_IADD, bits, lane_const(wrong, LANE_I32, ULPS)));
    const lane_value is_number = lane_binary(wrong, LANE_EQ, y, y);
    const lane_value fault = lane_select(wrong, is_number, more, lane_const(wrong, LANE_F32, 1));
    const lane_value here = lane_binary(wrong, LANE_EQ, x, lane_const_bits(wrong, LANE_F32, input));
    lane_store(wrong, lane_select(wrong, here, fault, y), 1);
    return wrong;
}

static void expect_seen(const struct proof *p, const char *formula, uint32_t input)
{
    faulty_input = input;
    is_faulty = true;
    const struct tally differs = sweep_block(p, input, p->piece.program);
    is_faulty = false;
    const struct tally wrong = sweep_block(p, input, wrong_program(p, input));
    if (differs.bits_differ != 1 || !wrong.wrong)
        fail_msg("%s: a fault at %a is not seen: %llu bits differ, %llu are wrong", formula,
                 (double)f32_of_bits(input), (unsigned long long)differs.bits_differ,
                 (unsigned long long)wrong.wrong);
}

static uint32_t random_input(struct randomness *r, uint32_t below)
{
    return random_below(r, below) | (random_below(r, 2) ? UINT32_C(1) << 31 : 0);
}

/* Checks a formula. Blocks must settle a `share` of the inputs, which is their purpose. */
static void break_formula(struct proof *p, const char *formula, double share)
{
    struct randomness r = {7};
    unsigned blocks = 0;
    uint64_t settled = 0;
    proof_plan(p, formula);
    for (int n = 0; n < RANDOM_FAULTS; n++) {
        const uint32_t input = random_input(&r, UINT32_C(0x7f800000));
        const struct tally t = sweep_block(p, input, p->piece.program);
        if (t.wrong || t.undecided || t.bits_differ)
            fail_msg("%s: a fault is seen where there is none", formula);
        settled += t.settled;
        expect_seen(p, formula, input);
        if (t.settled < BLOCK || blocks++ >= SETTLED_BLOCKS) continue;
        expect_seen(p, formula, input / BLOCK * BLOCK);
        expect_seen(p, formula, input / BLOCK * BLOCK + BLOCK - 1);
    }
    for (int n = 0; n < SUBNORMAL_FAULTS; n++) expect_seen(p, formula, random_input(&r, UINT32_C(0x800000)));
    assert_true(blocks > SETTLED_BLOCKS);
    assert_true((double)settled > share * (double)(RANDOM_FAULTS * BLOCK));
}

static void one_fault_is_seen(void **state)
{
    static const struct {
        const char *formula;
        double share; /* The least share that blocks settle. */
    } rows[] = {{"gelu(x)", 0.75},    {"tanh(x)", 0.75}, {"softplus(x)", 0.75}, {"diff(silu(x), x)", 0.75},
                {"x - tanh(x)", 0.4}, /* Its series next to 0 gives its values. */
                {"log(x)", 0.4}};     /* The value is NaN below 0. */
    (void)state;
    for (size_t n = 0; n < sizeof rows / sizeof *rows; n++) {
        struct proof p = {.memory = test_memory()};
        break_formula(&p, rows[n].formula, rows[n].share);
        beginning_free(p.beginning);
        arena_free(p.memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_fault_is_seen)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
