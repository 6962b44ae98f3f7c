/* Writes every operation for every type, and tables of every size, for one instruction set. Random programs
 * show each bit of each value (random_program.h). So each machine compares everything of which activations
 * are made, whichever activations it has.
 *
 * ACTGEN_TEST_BROKEN=OP in the environment breaks that operation in the code. The test of the machine
 * must then fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "llvm_subject.h"
#include "write.h"

enum {
    LENGTH = 12, /* The length of a program, in operations. */
    /* The programs in which each operation comes once for both widths. */
    SERIES = (2 * LANE_OP_COUNT + LENGTH - 1) / LENGTH,
    /* The number of table sizes, which are powers of 2. The largest exceed every set's permutation. */
    TABLE_SIZES = 9,
    PROGRAMS = SERIES + TABLE_SIZES,
    NAME = 24
};

static struct subject subjects[PROGRAMS];
static char names[PROGRAMS][2][NAME]; /* The names of the lane kernel and of the function. */
static bool seen[LANE_OP_COUNT][2];   /* The operations seen in lanes of 4 bytes, and in wide ones. */

/* Prepares a program that looks up one index in a table of each type of lanes. */
static void prepare_tables(struct subject *s, const struct target_isa *isa, unsigned log2_size)
{
    static const enum lane_type types[] = {LANE_F32, LANE_I32, LANE_F64, LANE_I64};
    uint64_t bits[1 << (TABLE_SIZES - 1)];
    struct randomness random = {log2_size};
    *s = (struct subject){.memory = arena_create(0)};
    assert_non_null(s->memory);
    if (setjmp(*arena_escape(s->memory))) fail();
    s->program = lane_create(s->memory, &isa->profile);
    const lane_value index = lane_unary(s->program, LANE_BITCAST, lane_load(s->program, LANE_F32, 0));
    for (uint32_t t = 0; t < 4; t++) {
        const enum lane_type type = types[t];
        for (unsigned i = 0; i >> log2_size == 0; i++) {
            /* These bits are numbers in either type. */
            bits[i] = random_bits(&random) & UINT64_C(0xbfefffffbf7fffff);
            if (lane_type_bytes(type) == 4) bits[i] &= 0xffffffffu;
        }
        lane_value found = lane_lookup(s->program, lane_table_add(s->program, type, log2_size, bits), index);
        if (type == LANE_I32 || type == LANE_I64) found = lane_unary(s->program, LANE_BITCAST, found);
        if (lane_type_bytes(type) == 8) found = lane_unary(s->program, LANE_NARROW, found);
        lane_store(s->program, found, 1 + t);
    }
    describe(s, isa, 1, 4);
}

static void note_ops(const lane_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        const enum lane_type own = p->code[i].type,
                             type = own == LANE_TRUTH ? p->code[p->code[i].operand[0]].type : own;
        seen[p->code[i].op][lane_type_bytes(type) == 8] = true;
    }
}

/* Checks that all operations are there. A signature with a letter for several types needs lanes of both
 * widths. The activations have loads and stores. */
static void check_ops(const struct target_isa *isa)
{
    unsigned count = 0;
    for (enum lane_op op = 0; op < LANE_OP_COUNT; op++) {
        const bool has_both = strpbrk(lane_ops[op].signature, "fginvwt");
        const bool is_seen = has_both ? seen[op][false] && seen[op][true] : seen[op][false] || seen[op][true];
        if (op == LANE_LOAD || op == LANE_STORE || (op == LANE_FMA && !isa->profile.fma)) continue;
        if (!is_seen)
            fail_msg("%s: no program has the operation %s in lanes of each width", isa->name,
                     lane_ops[op].name);
        count++;
    }
    print_message("  %s: %u operations\n", isa->name, count);
}

static void write_values(FILE *data, const struct subject *s, uint32_t operand, const struct expectation *e)
{
    const uint32_t fields[CROSS_FIELDS] = {[CROSS_IS_RESULT] = s->operands[operand].is_result,
                                           [CROSS_GROUP] = operand,
                                           /* The other fields are zeros, which stand for a matrix of f32. */
                                           [CROSS_PARTS] = 1};
    for (int f = 0; f < CROSS_FIELDS; f++) cross_write_number(data, fields[f], 4);
    for (size_t i = 0; i < CROSS_ROWS * CROSS_COLS; i++)
        cross_write_number(data, bits_of_f32(e->values[operand][(i + i / CROSS_COLS * 7) % MOST_ELEMENTS]),
                           4);
}

static void emit(FILE *object)
{
    struct backend_function functions[PROGRAMS];
    struct backend_call calls[PROGRAMS];
    const struct backend_options options = {
        .calls = calls, .call_count = PROGRAMS, .broken_op = getenv("ACTGEN_TEST_BROKEN")};
    struct backend_buffer out;
    struct diag error = {0};
    for (uint32_t n = 0; n < PROGRAMS; n++) {
        functions[n] = subjects[n].function;
        functions[n].symbol = names[n][0];
        calls[n] = (struct backend_call){names[n][1], names[n][0], CALL_OPERANDS, {0}};
    }
    if (backend_emit(functions, PROGRAMS, &options, BACKEND_OBJECT, &out, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fwrite(out.data, 1, out.size, object), out.size);
    assert_int_equal(fclose(object), 0);
    backend_buffer_free(&out);
}

void cross_write_ops(const char *name, FILE *table, FILE *data)
{
    static struct expectation e;
    const struct target_isa *isa = target_isa_find(name);
    for (uint32_t n = 0; n < PROGRAMS; n++) {
        struct subject *s = &subjects[n];
        if (n < SERIES)
            prepare(s, isa, n, n * LENGTH, LENGTH);
        else
            prepare_tables(s, isa, n - SERIES);
        snprintf(names[n][0], NAME, "ops_%u", (unsigned)n);
        snprintf(names[n][1], NAME, "ops_%u_kernel", (unsigned)n);
        s->kernel.name = names[n][0];
        note_ops(s->program);
        expect(&e, s, n);
        fprintf(table, "KERNEL(\"%s\", %s)\n", names[n][0], names[n][1]);
        const uint32_t count = s->inputs + s->results;
        cross_write_head(data, count, count, 0, 0);
        for (uint32_t k = 0; k < count; k++) write_values(data, s, k, &e);
    }
    check_ops(isa);
    emit(cross_create("ops_", "kernels.o"));
    for (uint32_t n = 0; n < PROGRAMS; n++) arena_free(subjects[n].memory);
}
