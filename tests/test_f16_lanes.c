/* Tests of operations on f16 and i16 lanes, for operands of all 65,536 bit patterns: the interpreter
 * against f64 rounded once, and machine code against the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "backend.h"
#include "half.h"
#include "interp.h"
#include "loader.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>

enum { COUNT = 1 << 16, OPERANDS = 4, RESULT = 3, ROUNDS = 4 };

static uint16_t data[OPERANDS][COUNT];
static const struct target_isa *isa;

static double value(uint16_t bits) { return (double)f32_of_f16(bits); }
static bool is_nan(uint16_t bits) { return (bits & 0x7fff) > 0x7c00; }

/* Computes the expected result in f64. Sums and products of f16 are exact in f64, or rounding twice is
 * harmless. Other results have 53 bits, of which the result keeps 11. */
static uint16_t expected(enum lane_op op, uint16_t a, uint16_t b, uint16_t c)
{
    const double x = value(a), y = value(b), z = value(c);
    const unsigned shift = 3;
    switch (op) {
    case LANE_ADD: return f16_of_f64(x + y);
    case LANE_SUB: return f16_of_f64(x - y);
    case LANE_MUL: return f16_of_f64(x * y);
    case LANE_DIV: return f16_of_f64(x / y);
    case LANE_SQRT: return f16_of_f64(sqrt(x));
    case LANE_FMA: return f16_of_f64(fma(x, y, z));
    case LANE_MIN: return x < y ? a : b;
    case LANE_MAX: return x > y ? a : b;
    case LANE_NEG: return a ^ 0x8000;
    case LANE_ABS: return a & 0x7fff;
    case LANE_EQ: return x == y ? b : c; /* The comparison chooses the result. */
    case LANE_LT: return x < y ? b : c;
    case LANE_LE: return x <= y ? b : c;
    case LANE_IADD: return (uint16_t)(a + b);
    case LANE_ISUB: return (uint16_t)(a - b);
    case LANE_IMUL: return (uint16_t)((uint32_t)a * b);
    case LANE_IMIN: return (int16_t)a < (int16_t)b ? a : b;
    case LANE_ILT: return (int16_t)a < (int16_t)b ? b : c;
    case LANE_AND: return a & b;
    case LANE_OR: return a | b;
    case LANE_XOR: return a ^ b;
    case LANE_NOT: return (uint16_t)~a;
    case LANE_SHL: return (uint16_t)(a << shift);
    case LANE_SHR: return (uint16_t)(a >> shift);
    case LANE_SAR: return (uint16_t)((int16_t)a < 0 ? ~((uint16_t)~a >> shift) : a >> shift);
    case LANE_LOOKUP: return (uint16_t)(0x3c00 + 7 * (a % 32));
    default: fail_msg("%s of f16 has no definition in the test", lane_ops[op].name); return 0;
    }
}

/* Returns true if the results are equal. All NaNs are equal as results. Integer operations take the
 * bits of a NaN. */
static bool same(uint16_t a, uint16_t b) { return a == b || (is_nan(a) && is_nan(b)); }

static lane_value as_type(lane_program *p, lane_value v, enum lane_type type)
{
    return type == LANE_I16 ? lane_unary(p, LANE_BITCAST, v) : v;
}

static lane_program *program_of(arena *memory, enum lane_op op, enum lane_type type)
{
    lane_program *p = lane_create(memory, &isa->profile);
    lane_value v[3], y;
    for (uint32_t k = 0; k < 3; k++) v[k] = as_type(p, lane_load(p, LANE_F16, k), type);
    const unsigned arity = lane_ops[op].arity;
    if (op == LANE_LOOKUP) {
        uint64_t entries[32];
        for (unsigned i = 0; i < 32; i++) entries[i] = 0x3c00 + 7 * i;
        y = lane_lookup(p, lane_table_add(p, type, 5, entries),
                        lane_unary(p, LANE_BITCAST, lane_load(p, LANE_F16, 0)));
    } else if (op == LANE_SHL || op == LANE_SHR || op == LANE_SAR) {
        y = lane_binary(p, op, v[0], lane_const(p, type, 3));
    } else {
        y = arity == 1   ? lane_unary(p, op, v[0])
            : arity == 2 ? lane_binary(p, op, v[0], v[1])
                         : lane_fma(p, v[0], v[1], v[2]);
    }
    if (p->code[y].type == LANE_TRUTH) y = lane_select(p, y, v[1], v[2]);
    lane_store(p, as_type(p, y, type), RESULT);
    return p;
}

struct kernel_operands {
    void *data;
    size_t stride;
};
typedef void kernel_fn(size_t rows, size_t cols, const struct kernel_operands *operands);

/* Fills the operands. The first holds all numbers. The others hold the same numbers in other orders, which
 * change each round. */
static void give_operands(uint32_t round)
{
    for (uint32_t n = 0; n < COUNT; n++) {
        data[0][n] = (uint16_t)n;
        data[1][n] = (uint16_t)(n * (40503u + 2u * 7919u * round) + 12345u);
        data[2][n] = n % 3 ? (uint16_t)(n * 27581u + 777u) : (uint16_t)(n % 5 ? 0x3c00 : 0xbc00);
    }
}

static void interpret(uint16_t *result, const struct lane_kernel *kernel)
{
    interp *run = interp_create_kernel(kernel);
    struct kernel_row rows[OPERANDS];
    for (unsigned k = 0; k < OPERANDS; k++)
        rows[k] = (struct kernel_row){k == RESULT ? result : data[k], 1, 0};
    interp_run_row(run, rows, COUNT);
    interp_free(run);
}

/* Runs the code in calls with tails of several lengths. */
static void call(uint16_t *result, kernel_fn *compiled)
{
    enum { MOST = COUNT / 4 + 13 };
    for (size_t first = 0; first < COUNT; first += MOST) {
        const size_t left = COUNT - first;
        struct kernel_operands operands[OPERANDS];
        for (unsigned k = 0; k < OPERANDS; k++)
            operands[k] = (struct kernel_operands){(k == RESULT ? result : data[k]) + first, 0};
        compiled(1, left < MOST ? left : MOST, operands);
    }
}

static void compare(enum lane_op op, enum lane_type type, const struct lane_kernel *kernel,
                    kernel_fn *compiled)
{
    static uint16_t interpreted[COUNT], made[COUNT];
    interpret(interpreted, kernel);
    if (compiled) call(made, compiled);
    for (uint32_t n = 0; n < COUNT; n++) {
        const uint16_t right = expected(op, data[0][n], data[1][n], data[2][n]);
        if (!same(interpreted[n], right) || (compiled && !same(made[n], interpreted[n])))
            fail_msg("%s of %s: %04x, %04x, %04x gives %04x, by machine code %04x, not %04x",
                     lane_ops[op].name, lane_types[type].name, data[0][n], data[1][n], data[2][n],
                     interpreted[n], compiled ? made[n] : interpreted[n], right);
    }
}

/* Checks an operation. Every machine makes the code, and calls it if the processor has the instructions. */
static void check(enum lane_op op, enum lane_type type)
{
    arena *memory = test_memory();
    struct diag error = {0};
    struct kernel_operand operands[OPERANDS];
    struct backend_buffer object;
    loader_code *code = NULL;
    kernel_fn *compiled = NULL;
    for (unsigned k = 0; k < OPERANDS; k++)
        operands[k] =
            (struct kernel_operand){.name = "x", .type = ELEMENT_F16, .parts = 1, .is_result = k == RESULT};
    lane_program *p = program_of(memory, op, type);
    if (lane_verify(p, &error))
        fail_msg("%s of %s: %s", lane_ops[op].name, lane_types[type].name, error.message);
    const struct lane_kernel kernel = lane_kernel_make("k", operands, OPERANDS, p);
    const struct backend_function function = {.kernel = &kernel, .symbol = "k", .isa = isa};
    if (backend_emit(&function, 1, NULL, BACKEND_OBJECT, &object, &error)) fail_msg("%s", error.message);
    if (target_isa_runs_here(isa)) {
        if (loader_load(&code, object.data, object.size, &error)) fail_msg("%s", error.message);
        void *address = loader_symbol(code, "k", &error);
        memcpy(&compiled, &address, sizeof address);
    }
    for (uint32_t round = 0; round < ROUNDS; round++) {
        give_operands(round);
        compare(op, type, &kernel, compiled);
    }
    loader_free(code);
    backend_buffer_free(&object);
    arena_free(memory);
}

static void every_op_has_one_meaning(void **state)
{
    (void)state;
    unsigned tried = 0;
    isa = target_isa_find("avx512fp16");
    assert_non_null(isa);
    if (!target_isa_runs_here(isa))
        print_message("  (%s does not run here: machine code is skipped)\n", isa->name);
    for (enum lane_op op = 0; op < LANE_OP_COUNT; op++)
        for (int integer = 0; integer < 2; integer++) {
            const enum lane_type type = integer ? LANE_I16 : LANE_F16;
            const bool moves = !lane_ops[op].arity || op == LANE_STORE || op == LANE_BITCAST ||
                               op == LANE_SELECT || op == LANE_RARELY;
            if (moves || !lane_op_has_type(op, type)) continue;
            check(op, type);
            tried++;
        }
    assert_true(tried > 25);
}

static void profiles_without_refuse_it(void **state)
{
    (void)state;
    arena *memory = test_memory();
    struct diag error = {0};
    lane_program *p = lane_create(memory, &target_isa_find("avx512")->profile);
    lane_store(p, lane_unary(p, LANE_NEG, lane_load(p, LANE_F16, 0)), 1);
    assert_int_equal(lane_verify(p, &error), DIAG_INVALID);
    assert_non_null(strstr(error.message, "no arithmetic on f16"));
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_op_has_one_meaning),
                                       cmocka_unit_test(profiles_without_refuse_it)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
