/* Tests of bounds of f64 that analysis proves. Each block's bound holds at random inputs of that block. A
 * program with one wrong bit has no small bound. A proved bound is near the measured error.
 *
 * usage: test_proof [STEP]    only each STEP-th wrong bit and operation, others each day, and each second or
 *                             sixth interval. Without STEP each third, with ACTGEN_TEST_ALL=1 all of them */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "interp.h"
#include "part.h"
#include "planned.h"
#include "proof.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The wrong bits and operations so far, and the step between those that are tried. */
static unsigned seen, step = 1;

static const struct {
    const char *formula, *isa;
    double low, high;
    /* The largest bound in ulps that a proof may give. Next to powers of two of the result, that is above
     * the measured error. */
    double most;
    /* The error in ulps that other inputs have shown. The search must see at least this error. */
    double found;
} cases[] = {
    {"exp(x)", "avx512", 0.5, 3, 0.52, 0},
    {"exp(x)", "x86-64", -746, -743, 0.51, 0},
    {"tanh(x)", "avx512", 0.01, 2.2, 0.58, 0.518},
    {"sigmoid(x)", "avx512", -3, 3, 2.275, 0},
    {"erf(x)", "avx512", 0.01, 2.5, 0.71, 0},
    {"gelu(x)", "avx512", -3, -0.01, 1.02, 0},
    {"silu(x)", "avx512", -3, -0.01, 1.01, 0},
    {"sigmoid(x)", "neon", -1, 2, 0.8, 0},
    /* Saturated results, where corrections round away, then low words that underflow, then results that
     * pass powers of two. */
    {"tanh(x)", "avx512", 18, 20, 0.52, 0},
    {"tanh(x)", "avx512", 1e-310, 1e-306, 0.51, 0},
    {"erf(x)", "avx512", 1e-310, 1e-306, 0.9, 0.86732},
    {"silu(x)", "avx512", 1e-310, 1e-306, 1.26, 0},
    {"gelu(x)", "avx512", 1e-14, 1e-11, 1.02, 0},
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

struct check { /* A check of each block at inputs of that block. */
    const struct piece *piece;
    reference *truth;
    interp *run;
    uint64_t state;
    double worst; /* The worst error that was seen. */
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
        exact_value_find(&exact, c->truth, &x);
        const double ulp = result_error_of(format, y, &exact, x, true).ulp;
        c->worst = fmax(c->worst, ulp);
        if (ulp > block->bound * (1 + 0x1p-30)) {
            fprintf(stderr, "%.17g: off by %g ulp, %g is proved\n", x, ulp, block->bound);
            c->broken++;
        }
    }
}

/* Proves a bound. A wrong program may be off by any number of ulps, but its blocks' bounds must still be
 * near the errors seen. */
static struct proof prove(const struct piece *piece, double allowed, bool searches, struct check *check)
{
    struct proof proof;
    *check = (struct check){.piece = piece, .state = 1};
    check->truth = reference_create(piece->written, piece->simplified, 1);
    check->run = interp_create(piece->program);
    const struct proof_request request = {.piece = piece,
                                          .wanted = 1.25 * piece->plan->measured.max_ulp,
                                          .ratio = 1.25,
                                          .allowed = allowed,
                                          .searches = searches,
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
    const size_t every = step > 3 ? 6 : step > 1 ? 2 : 1;
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n += every) {
        arena *memory = test_memory();
        const struct piece piece = piece_of(memory, n);
        const double measured = piece.plan->measured.max_ulp;
        struct check check;
        const struct proof proof = prove(&piece, 3, true, &check);
        fprintf(stderr, "%s %s: %g proved, %g seen, %g measured\n", cases[n].formula, cases[n].isa,
                proof.bound, proof.seen, measured);
        if (!proof.proved || check.broken || proof.bound > cases[n].most || proof.bound < check.worst)
            fail_msg("%s on %s: proved %d, %g ulp near %.17g; measured %g; %u blocks broken",
                     cases[n].formula, cases[n].isa, proof.proved, proof.bound, proof.near, measured,
                     check.broken);
        assert_true(proof.intervals > 5 && proof.seen <= proof.bound && proof.seen >= cases[n].found);
        arena_free(memory);
    }
}

/* Returns an equal program except for one bit of a constant or of a table's entry. */
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
    bits[entries / 2 + 1] ^= bit; /* This entry is in the segments that the interval meets, or is 2^(9/16). */
    t->bits = bits;
    return q;
}

/* Checks that no bound is below an error that is seen, whatever the bit did, and that most bits
 * raise the bound. */
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
        if (!is_row_of_today(seen++, step)) continue;
        struct check check;
        piece.program = with_wrong_bit(memory, right, v, UINT64_C(1) << 48);
        const struct proof proof = prove(&piece, INFINITY, false, &check);
        assert_int_equal(check.broken, 0);
        assert_true(!proof.proved || proof.bound >= check.worst);
        raised += !proof.proved || proof.bound > 1.3 * measured;
        tried++;
    }
    assert_true(tried > 9 / step);
    /* A step's sample says nothing about most bits. */
    if (step == 1 && raised < tried / 2) fail_msg("only %u of %u wrong bits raised the bound", raised, tried);
    arena_free(memory);
}

/* -- operations -- */

enum mutation { ROUNDED_TWICE, OPERANDS_SWAPPED, SIGN_LOST, ADDEND_LOST, MUTATIONS };

/* Computes what stands in place of an operation whose operands are those of the new program. Returns false
 * where the mutation does not apply. */
static bool mutate(lane_program *q, enum mutation how, struct lane_instruction i, lane_value *v)
{
    const lane_value a = i.operand[0], b = i.operand[1], c = i.operand[2];
    if (i.type != LANE_F64) return false;
    switch (how) {
    case ROUNDED_TWICE:
        if (i.op != LANE_FMA) return false;
        *v = lane_binary(q, LANE_ADD, lane_binary(q, LANE_MUL, a, b), c);
        return true;
    case OPERANDS_SWAPPED:
        if (i.op != LANE_SUB) return false;
        *v = lane_binary(q, LANE_SUB, b, a);
        return true;
    case SIGN_LOST:
        if (i.op != LANE_SUB) return false;
        *v = lane_binary(q, LANE_ADD, a, b);
        return true;
    default:
        if (i.op != LANE_ADD && i.op != LANE_FMA) return false;
        *v = i.op == LANE_ADD ? a : c;
        return true;
    }
}

/* Returns the program with one operation changed, or NULL where the mutation does not apply to it. */
static const lane_program *mutated(arena *memory, const lane_program *p, lane_value at, enum mutation how)
{
    lane_program *q = lane_create(memory, &p->profile);
    lane_value *image = arena_alloc(memory, p->count * sizeof *image);
    for (lane_value v = 0; v < p->count; v++) {
        struct lane_instruction i = p->code[v];
        for (unsigned k = 0; k < lane_ops[i.op].arity; k++) i.operand[k] = image[i.operand[k]];
        if (i.op == LANE_STORE)
            lane_store(q, i.operand[0], i.index);
        else if (v != at)
            image[v] = lane_append(q, p, i);
        else if (!mutate(q, how, i, &image[v]))
            return NULL;
    }
    return q;
}

/* Returns the largest error of results in the bound's interval, at evenly spaced inputs. */
static double largest_error(const struct piece *piece)
{
    struct check check = {.piece = piece, .state = 1};
    check.truth = reference_create(piece->written, piece->simplified, 1);
    check.run = interp_create(piece->program);
    enum { PARTS = 64 };
    const double width = (piece->bound.high - piece->bound.low) / (double)PARTS;
    for (unsigned k = 0; k < PARTS; k++) {
        const double low = piece->bound.low + (double)k * width;
        check_block(&check, &(struct proof_block){low, low + width, INFINITY});
    }
    interp_free(check.run);
    reference_free(check.truth);
    return check.worst;
}

/* Checks intervals of few inputs. Where analysis proves nothing, the search judges all of them. */
static void wrong_operations_raise_the_bound(void **state)
{
    (void)state;
    static const struct {
        size_t formula;
        double low;
    } places[] = {{0, 2}, {2, 1.25}, {2, 0.03125}, {4, 1.5}, {5, -1.25}, {3, -0.5}};
    unsigned tried = 0, raised = 0;
    for (size_t n = 0; n < sizeof places / sizeof *places; n++) {
        arena *memory = test_memory();
        struct piece piece = piece_of(memory, places[n].formula);
        const lane_program *right = piece.program;
        piece.bound.low = places[n].low;
        piece.bound.high = places[n].low + fabs(places[n].low) * 0x1p-42;
        for (lane_value v = 0; v < right->count; v++)
            for (enum mutation how = 0; how < MUTATIONS; how++) {
                struct check check;
                if (!(piece.program = mutated(memory, right, v, how)) || !is_row_of_today(seen++, step))
                    continue;
                const struct proof proof = prove(&piece, INFINITY, false, &check);
                const double worst = largest_error(&piece);
                if (check.broken || (proof.proved && proof.bound < worst * (1 - 0x1p-30)))
                    fail_msg("%s at %g, instruction %u, mutation %d: %g ulp proved, %g seen",
                             cases[places[n].formula].formula, places[n].low, v, (int)how, proof.bound,
                             worst);
                raised += !proof.proved || proof.bound > 1.3 * piece.plan->measured.max_ulp;
                tried++;
            }
        arena_free(memory);
    }
    fprintf(stderr, "%u of %u wrong operations raised the bound\n", raised, tried);
    assert_true(tried >= 200 / step && raised >= tried / 3);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold_and_are_near),
                                       cmocka_unit_test(wrong_bits_raise_the_bound),
                                       cmocka_unit_test(wrong_operations_raise_the_bound)};
    step = argument_count > 1 || takes_all() ? step_argument(argument_count, arguments, 1) : 3;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
