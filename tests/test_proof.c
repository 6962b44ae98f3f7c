/* Bounds of f64 that are proved by analysis: each block's holds at random inputs of it, a program with one wrong bit has no small
 * bound, and what is proved is near what is measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "interp.h"
#include "planned.h"
#include "proof.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *formula, *isa;
    double low, high;
    double
        most; /* ulps that may be proved, and no more: beside powers of two of the result that is above what is measured */
} cases[] = {
    {"exp(x)", "avx512", 0.5, 3, 0.52},     {"exp(x)", "x86-64", -746, -743, 0.51},
    {"tanh(x)", "avx512", 0.01, 2.2, 1.01}, {"sigmoid(x)", "avx512", -3, 3, 2.275},
    {"erf(x)", "avx512", 0.01, 2.5, 1.2},   {"gelu(x)", "avx512", -3, -0.01, 1.6},
    {"silu(x)", "avx512", -3, -0.01, 1.6},  {"sigmoid(x)", "neon", -1, 2, 2.275},
};

static struct piece piece_of(arena *memory, size_t n)
{
    char text[200];
    snprintf(text, sizeof text, "kernel k(x: f64) -> (y: f64) { y = %s }", cases[n].formula);
    const struct spec *s = parse_text(memory, text);
    struct piece piece = lower_planned(s, target_isa_find(cases[n].isa))->pieces[0];
    piece.bound.has_interval = true;
    piece.bound.low = cases[n].low;
    piece.bound.high = cases[n].high;
    return piece;
}

struct check { /* of each block, at inputs of it */
    const struct piece *piece;
    reference *truth;
    interp *run;
    uint64_t state;
    double worst; /* that was seen */
    unsigned broken;
};

static void check_block(void *context, const struct proof_block *block)
{
    struct check *c = context;
    const struct float_format *format = &element_types[ELEMENT_F64].format;
    const uint64_t low = bits_of_f64(block->low), high = bits_of_f64(block->high),
                   first = low < high ? low : high, span = low < high ? high - low : low - high;
    for (unsigned k = 0; k < 3; k++) {
        c->state = c->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint64_t off = k == 0 ? 0 : k == 1 ? span : (c->state >> 11) % (span + 1);
        const double x = f64_of_bits(first + off);
        double y;
        struct exact_value exact;
        void *operands[2] = {(void *)(uintptr_t)&x, &y};
        interp_run(c->run, operands, 1);
        exact_value_find(&exact, c->truth, x);
        const double ulp = result_error_of(format, y, &exact, x, true).ulp;
        c->worst = fmax(c->worst, ulp);
        if (ulp > block->max_ulp * (1 + 0x1p-30)) {
            fprintf(stderr, "%.17g: off by %g ulp, %g is proved\n", x, ulp, block->max_ulp);
            c->broken++;
        }
    }
}

static struct proof prove(const struct piece *piece, double wanted, struct check *check)
{
    struct proof proof;
    *check = (struct check){.piece = piece, .state = 1};
    check->truth = reference_create(piece->written, piece->simplified, 1);
    check->run = interp_create(piece->program);
    const struct proof_request request = {.piece = piece,
                                          .wanted = wanted,
                                          .ratio = 1.25,
                                          .allowed = 3,
                                          .observer = check_block,
                                          .context = check};
    assert_true(proof_run(&request, &proof));
    interp_free(check->run);
    reference_free(check->truth);
    return proof;
}

static void bounds_hold_and_are_near(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        arena *memory = test_memory();
        const struct piece piece = piece_of(memory, n);
        const double measured = piece.plan->measured.max_ulp;
        struct check check;
        const struct proof proof = prove(&piece, 1.25 * measured, &check);
        fprintf(stderr, "%s %s: %g proved, %g seen, %g measured\n", cases[n].formula, cases[n].isa,
                proof.max_ulp, check.worst, measured);
        if (!proof.proved || check.broken || proof.max_ulp > cases[n].most || proof.max_ulp < check.worst)
            fail_msg("%s on %s: proved %d, %g ulp near %.17g; measured %g; %u blocks broken",
                     cases[n].formula, cases[n].isa, proof.proved, proof.max_ulp, proof.near, measured,
                     check.broken);
        assert_true(proof.intervals > 5);
        arena_free(memory);
    }
}

/* Returns an equal program but for one bit of a constant or of a table's entry. */
static const lane_program *with_wrong_bit(arena *memory, const lane_program *p, lane_value v, uint64_t bit)
{
    lane_program *q = arena_copy(memory, p, sizeof *p);
    q->code = arena_copy(memory, p->code, p->count * sizeof *p->code);
    q->tables = arena_copy(memory, p->tables, p->table_count * sizeof *p->tables);
    struct lane_instruction *i = &q->code[v];
    if (i->op == LANE_CONST) {
        i->bits ^= bit;
        return q;
    }
    struct lane_table *t = &q->tables[i->index];
    const size_t entries = (size_t)1 << t->log2_size;
    uint64_t *bits = arena_copy(memory, t->bits, entries * sizeof *bits);
    bits[entries / 2 + 1] ^= bit; /* of the segments that the interval meets, or of 2^(9/16) */
    t->bits = bits;
    return q;
}

/* Whatever the bit did, no bound is below an error that is seen; and most bits are seen. */
static void wrong_bits_raise_the_bound(void **state)
{
    (void)state;
    arena *memory = test_memory();
    struct piece piece = piece_of(memory, 0);
    const lane_program *right = piece.program;
    const double measured = piece.plan->measured.max_ulp;
    unsigned tried = 0, raised = 0;
    for (lane_value v = 0; v < right->count; v++) {
        const struct lane_instruction *i = &right->code[v];
        if (i->type != LANE_F64 || (i->op != LANE_CONST && i->op != LANE_LOOKUP)) continue;
        struct check check;
        piece.program = with_wrong_bit(memory, right, v, UINT64_C(1) << 48);
        const struct proof proof = prove(&piece, 1.25 * measured, &check);
        assert_int_equal(check.broken, 0);
        assert_true(!proof.proved || proof.max_ulp >= check.worst);
        raised += !proof.proved || proof.max_ulp > 1.3 * measured;
        tried++;
    }
    assert_true(tried >= 10);
    if (raised < tried / 2) fail_msg("only %u of %u wrong bits raised the bound", raised, tried);
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_and_are_near),
                                       cmocka_unit_test(wrong_bits_raise_the_bound)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
