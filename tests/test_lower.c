/* Tests of which subexpressions of a kernel are pieces, and that the arithmetic around them is plain f32 in
 * the order written.
 *
 * The planner here is a stand-in: each piece becomes a recognizable piece of arithmetic, 3 * x +
 * k for piece k. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formulas.h"
#include "interp.h"
#include "lower.h"
#include "texts.h"

#include <math.h>

static const struct target_profile profile = {
    .name = "test", .fma = true, .lookup_f32 = 32, .lookup_f64 = 16};
static const struct spec_bound three_ulp = {BOUND_ULP, 3, false, false, 0, 0};

static int stand_in(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    (void)error;
    unsigned *found = context;
    arena *memory = expr_dag_memory(request->dag);
    lane_program *p = lane_create(memory, &request->profile);
    lane_value three = lane_const(p, LANE_F32, 3), number = lane_const(p, LANE_F32, ++*found);
    lane_value x = lane_load(p, LANE_F32, 0);
    lane_store(p, lane_binary(p, LANE_ADD, lane_binary(p, LANE_MUL, three, x), number), 1);
    *out = arena_alloc(memory, sizeof **out);
    (*out)->shape = "stand-in";
    (*out)->program = p;
    return DIAG_OK;
}

static int refuse(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    (void)context;
    (void)request;
    *out = NULL;
    return diag_set(error, DIAG_ACCURACY, "refused on purpose");
}

static int lower_for(struct lowered **out, arena *memory, const char *text,
                     const struct target_profile *made_for, struct planner planner, struct diag *error)
{
    const struct spec *s = parse_text(memory, text);
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .bound = three_ulp,
                                    .profile = *made_for,
                                    .costs = target_isa_at(0)->costs,
                                    .planner = planner};
    return lower_kernel(out, &request, error);
}

static int lower(struct lowered **out, arena *memory, const char *text, struct planner planner,
                 struct diag *error)
{
    return lower_for(out, memory, text, &profile, planner, error);
}

static const struct lowered *lower_with_stand_in(arena *memory, const char *text)
{
    struct lowered *l;
    struct diag error = {0};
    unsigned found = 0;
    if (lower(&l, memory, text, (struct planner){stand_in, &found}, &error))
        fail_msg("%s: %s", text, error.message);
    return l;
}

/* ---- pieces ---- */

enum { MOST_PIECES = 4 };
static const struct {
    const char *kernel;
    bool is_whole;
    /* The pieces of x, in the order in which lowering meets them. */
    const char *pieces[MOST_PIECES];
} kernels[] = {
    {"kernel k(a: f32) -> (y: f32) { y = gelu(a) }", true, {"x * normcdf(x)"}},
    {"kernel k(a: f32) -> (y: f32) { y = exp(a)*tanh(a) + 1 }", true, {"exp(x) * tanh(x) + 1"}},
    {"kernel k(gate: f32, up: f32) -> (y: f32) { y = gelu(gate) * up }", false, {"x * normcdf(x)"}},
    {"kernel k(gate: f32, bias: f32) -> (y: f32) { y = gelu(gate + bias) }", false, {"x * normcdf(x)"}},
    {"kernel k(gate: f32, bias: f32, up: f32) -> (y: f32) { g = gate + bias\n y = silu(g) * up }",
     false,
     {"x * sigmoid(x)"}},
    {"kernel k(g: f32, beta: f32, up: f32) -> (y: f32) { y = swish(g, beta = beta)*up }",
     false,
     {"sigmoid(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = exp(a) * tanh(b) }", false, {"exp(x)", "tanh(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = exp(sin(a) + b) }", false, {"sin(x)", "exp(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = tanh(tanh(a) * sigmoid(b))^2 }",
     false,
     {"tanh(x)", "sigmoid(x)", "tanh(x)^2"}},
    /* The piece is planned once. */
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = tanh(a) + tanh(b) }", false, {"tanh(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32, z: f32) { y = exp(a)\n z = exp(a)*b }", false, {"exp(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = a * b }", false, {NULL}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = max(a, b) }", false, {NULL}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = if a < b then exp(a) else exp(b) }", false, {"exp(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = (if a > 1 then a else 2*a) * b }",
     false,
     {"if 1 < x then x else 2 * x"}},
    {"kernel k(a: f32) -> (y: f32) { y = f32(exp(a)) * 2 }", false, {"exp(x)", "x * 2"}},
    {"kernel k(a: f32) -> (y: f32) { y = f32(exp(a)) * tanh(a) }", false, {"exp(x)", "tanh(x)"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = (a + b)/(1 + exp(-(a + b))) }",
     false,
     {"x / (1 + exp(-x))"}},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = sqrt(2)*a*b + pi }", false, {"sqrt(2) * x", "x + pi"}},
};

static void pieces_are_maximal(void **state)
{
    (void)state;
    unsigned wrong = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        arena *memory = test_memory();
        const struct lowered *l = lower_with_stand_in(memory, kernels[i].kernel);
        uint32_t count = 0;
        while (count < MOST_PIECES && kernels[i].pieces[count]) count++;
        bool same = count == l->piece_count && l->is_whole == kernels[i].is_whole;
        struct text found = text_new(memory);
        for (uint32_t k = 0; k < l->piece_count; k++) {
            size_t start = found.length;
            expr_print(&found, l->pieces[k].written, NULL);
            same = same && !strcmp(found.data + start, kernels[i].pieces[k]);
            text_add(&found, "; ");
        }
        if (!same) {
            fprintf(stderr, "%s\n    pieces: %s whole: %d\n", kernels[i].kernel, found.data ? found.data : "",
                    l->is_whole);
            wrong++;
        }
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

/* ---- the arithmetic around them ---- */

/* Returns the stand-in's result for piece number k, which is rounded after each operation. */
static float piece(float x, int k)
{
    volatile float product = 3 * x;
    return product + (float)k;
}

static float gate_times_up(float a, float b, float c) { return (void)c, piece(a, 1) * b; }
static float piece_of_sum(float a, float b, float c) { return (void)c, piece(a + b, 1); }
static float bias_then_up(float a, float b, float c) { return piece(a + b, 1) * c; }
static float left_to_right(float a, float b, float c)
{
    volatile float sum = a + b;
    return sum + c;
}
static float right_first(float a, float b, float c)
{
    volatile float sum = b + c;
    return a + sum;
}
static float product_then_sum(float a, float b, float c) /* Rounds twice, because it uses no fma. */
{
    volatile float product = a * b;
    return product + c;
}
static float quotient_difference(float a, float b, float c)
{
    volatile float quotient = a / b;
    return quotient - c;
}
static float larger(float a, float b, float c)
{
    return (void)c, isnan(a) ? a : isnan(b) ? b : a > b ? a : b;
}
static float smaller(float a, float b, float c)
{
    return (void)c, isnan(a) ? a : isnan(b) ? b : a < b ? a : b;
}
static float chosen(float a, float b, float c)
{
    return isnan(a) || isnan(b) || isnan(c) ? NAN : a < b ? a * c : b;
}
static float chosen_not(float a, float b, float c)
{
    return isnan(a) || isnan(b) || isnan(c) ? NAN : !(a <= b) || b == c ? b : c;
}
static float both(float a, float b, float c)
{
    return isnan(a) || isnan(b) || isnan(c) ? NAN : a < b && b < c ? a : c;
}
static float two_pieces(float a, float b, float c) { return (void)c, piece(a, 1) * piece(b, 2); }
static float shared_piece(float a, float b, float c) { return (void)c, piece(a, 1) + piece(b, 1); }
static float constant(float a, float b, float c)
{
    (void)a, (void)b, (void)c;
    return (float)(1.0 / 3.0);
}
static float passed_on(float a, float b, float c) { return (void)a, (void)b, c; }

static const struct {
    const char *kernel;
    float (*expected)(float, float, float);
    uint32_t inputs;
} arithmetic[] = {
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = gelu(a) * b }", gate_times_up, 2},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = gelu(a + b) }", piece_of_sum, 2},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { g = a + b\n y = silu(g) * c }", bias_then_up, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = a + b + c }", left_to_right, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = a + (b + c) }", right_first, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = a*b + c }", product_then_sum, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = a/b - c }", quotient_difference, 3},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = max(a, b) }", larger, 2},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = min(a, b) }", smaller, 2},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = if a < b then a*c else b }", chosen, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = if not (a <= b) or b == c then b else c }",
     chosen_not, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32) { y = if a < b and b < c then a else c }", both, 3},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = exp(a) * tanh(b) }", two_pieces, 2},
    {"kernel k(a: f32, b: f32) -> (y: f32) { y = exp(a) + exp(b) }", shared_piece, 2},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32, z: f32) { z = a*b*c\n y = 1/3 }", constant, 3},
    {"kernel k(a: f32, b: f32, c: f32) -> (y: f32, z: f32) { z = a*b\n y = c }", passed_on, 3},
};

enum { VALUES = 14, TRIPLES = VALUES * VALUES * VALUES };
static const float values[VALUES] = {0.0f,   -0.0f, 1.0f,      -1.5f,           0.1f,     3.3333f,   -7.77f,
                                     1e-30f, 1e30f, 0x1p-149f, 0x1.fffffep127f, INFINITY, -INFINITY, NAN};

static bool same_bits(float a, float b)
{
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : !memcmp(&a, &b, sizeof a);
}

static void arithmetic_is_ieee_in_written_order(void **state)
{
    (void)state;
    static float in[3][TRIPLES], out[2][TRIPLES];
    for (unsigned i = 0; i < TRIPLES; i++) {
        in[0][i] = values[i % VALUES];
        in[1][i] = values[i / VALUES % VALUES];
        in[2][i] = values[i / VALUES / VALUES];
    }
    unsigned wrong = 0;
    for (size_t k = 0; k < sizeof arithmetic / sizeof *arithmetic; k++) {
        arena *memory = test_memory();
        const struct lowered *l = lower_with_stand_in(memory, arithmetic[k].kernel);
        void *operands[5];
        for (uint32_t i = 0; i < arithmetic[k].inputs; i++) operands[i] = in[i];
        for (uint32_t i = 0; i < 2; i++) operands[arithmetic[k].inputs + i] = out[i];
        interp *run = interp_create(l->kernel.program);
        assert_non_null(run);
        interp_run(run, operands, TRIPLES);
        interp_free(run);
        for (unsigned i = 0; i < TRIPLES; i++) {
            float a = in[0][i], b = in[1][i], c = arithmetic[k].inputs > 2 ? in[2][i] : 0;
            float expected = arithmetic[k].expected(a, b, c);
            if (same_bits(out[0][i], expected)) continue;
            fprintf(stderr, "%s at %g, %g, %g: %g, not %g\n", arithmetic[k].kernel, (double)a, (double)b,
                    (double)c, (double)out[0][i], (double)expected);
            wrong++;
            break;
        }
        arena_free(memory);
    }
    assert_int_equal(wrong, 0);
}

static void operands_are_the_specs(void **state)
{
    (void)state;
    arena *memory = test_memory();
    const struct lane_kernel *k =
        &lower_with_stand_in(memory,
                             "kernel gate(a: f32, b: f32) -> (y: f32, z: f32) { y = exp(a)\n z = a*b }")
             ->kernel;
    static const char *const names[] = {"a", "b", "y", "z"};
    assert_string_equal(k->name, "gate");
    assert_int_equal(k->operand_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(k->operands[i].name, names[i]);
        assert_int_equal(k->operands[i].is_result, i >= 2);
        assert_int_equal(k->operands[i].type, ELEMENT_F32);
    }
    arena_free(memory);
}

static void refusals_of_the_planner_are_passed_on(void **state)
{
    (void)state;
    arena *memory = test_memory();
    struct lowered *l;
    struct diag error = {0};
    assert_int_equal(lower(&l, memory, "kernel k(a: f32, b: f32) -> (y: f32) { y = exp(a)*b }",
                           (struct planner){refuse, NULL}, &error),
                     DIAG_ACCURACY);
    assert_null(l);
    assert_string_equal(error.message, "`exp(a)`: refused on purpose");
    arena_free(memory);
}

/* Checks that the planner refuses a result that is rounded after rounding, because rounding twice is not
 * correct rounding. */
static void correct_rounding_is_for_functions_of_one_operand(void **state)
{
    static const struct {
        const char *text;
        int status;
    } cases[] = {
        {"kernel f(x: f32) -> (y: f32) { y = exp(x) }", DIAG_OK},
        {"kernel f(x: f32) -> (y: f32, z: f32) { y = 1/3\n z = exp(x) }", DIAG_OK},
        {"kernel f(a: f32, x: f32) -> (y: f32, z: f32) { y = a\n z = exp(x) }", DIAG_OK},
        {"kernel f(a: f32, b: f32) -> (y: f32) { y = a * exp(b) }", DIAG_ACCURACY},
        {"kernel f(a: f32, b: f32) -> (y: f32) { y = exp(a + b) }", DIAG_ACCURACY},
        {"kernel f(a: f32, b: f32) -> (y: f32, z: f32) { y = exp(a)\n z = a + b }", DIAG_ACCURACY},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena *memory = test_memory();
        const struct spec *s = parse_text(memory, cases[i].text);
        unsigned found = 0;
        struct diag error = {0};
        struct lowered *lowered;
        const struct lower_request request = {.spec = s,
                                              .kernel = &s->kernels[0],
                                              .bound = {BOUND_ULP, 0.5, false, false, 0, 0},
                                              .profile = profile,
                                              .costs = target_isa_at(0)->costs,
                                              .planner = {stand_in, &found}};
        assert_int_equal(lower_kernel(&lowered, &request, &error), cases[i].status);
        if (cases[i].status) {
            assert_int_equal(found, 0); /* Lowering refuses before it plans anything. */
            assert_non_null(strstr(error.message, "`f`"));
        }
        arena_free(memory);
    }
}

/* ---- lanes of f16 ---- */

static int stand_in_of_f16(void *context, struct plan **out, const struct plan_request *request,
                           struct diag *error)
{
    if (!request->profile.lookup_f16) return stand_in(context, out, request, error);
    lane_program *p = lane_create(expr_dag_memory(request->dag), &request->profile);
    lane_value x = lane_load(p, LANE_F16, 0);
    lane_store(p, lane_binary(p, LANE_MUL, x, lane_const(p, LANE_F16, 3)), 1);
    *out = arena_alloc(expr_dag_memory(request->dag), sizeof **out);
    (*out)->program = p;
    return DIAG_OK;
}

static const struct {
    const char *kernel;
    bool in_f16;
} half_cases[] = {
    {"(x: f16) -> (y: f16) { y = exp(x) }", true},
    {"(x: f16, b: f16) -> (y: f16) { y = exp(x)*b }", true},
    {"(x: f16, b: f16[cols]) -> (y: f16, z: f16) { y = exp(x)/b; z = b }", true},
    {"(x: f16, b: f16) -> (y: f16, z: f16) { y = b - exp(x); z = x*b }", true},
    {"(x: f16, b: f16) -> (y: f32) { y = exp(x)*b }", false},
    {"(x: f16, b: f32) -> (y: f16) { y = exp(x)*b }", false},
    {"(x: bf16, b: f16) -> (y: f16) { y = exp(x)*b }", false},
    {"(x: f16, b: f16) -> (y: f16) { y = max(exp(x), b) }", false},
    /* The product is one of f32. */
    {"(x: f16, b: f16, c: f16) -> (y: f16) { y = exp(x)*b*c }", false},
    /* The formula has two pieces. */
    {"(x: f16, b: f16) -> (y: f16) { y = exp(x)*cos(b) }", false},
    /* The value is stored twice. */
    {"(x: f16, b: f16) -> (y: f16, z: f16) { y = exp(x)*b; z = y }", true},
    {"(x: f16, b: f16) -> (y: f16, z: f16) { y = exp(x)*b; z = 0.5 }", false},
};

static void kernels_of_f16_numbers_stay_in_f16(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof half_cases / sizeof *half_cases; i++) {
        char text[160];
        struct lowered *l;
        struct diag error = {0};
        unsigned found = 0;
        arena *memory = test_memory();
        snprintf(text, sizeof text, "kernel k%s", half_cases[i].kernel);
        if (lower_for(&l, memory, text, &target_isa_find("avx512fp16")->profile,
                      (struct planner){stand_in_of_f16, &found}, &error))
            fail_msg("%s: %s", text, error.message);
        const lane_program *p = l->kernel.program;
        for (uint32_t n = 0; n < p->count; n++)
            if (lane_is_number(p->code[n].type) && (p->code[n].type == LANE_F16) != half_cases[i].in_f16)
                fail_msg("%s: %s of %s", text, lane_ops[p->code[n].op].name,
                         lane_types[p->code[n].type].name);
        assert_true(!p->profile.lookup_f16 == !half_cases[i].in_f16);
        arena_free(memory);
    }
}

/* ---- operations that stand for several ---- */

static const struct {
    const char *kernel;
    enum lane_op op;
    uint32_t count; /* how many of that operation the program has */
} operations[] = {
    /* A product and a sum of f64 that are rounded to f32 are one operation of f32. */
    {"(a: f32, b: f32, c: f32) -> (y: f32) { y = f32(f64(a)*b + c) }", LANE_FMA, 1},
    {"(a: f32, b: f32) -> (y: f32) { y = f32(f64(f32(a + b))*b + a) }", LANE_FMA, 1},
    {"(a: f32, b: f32, c: f64) -> (y: f32) { y = f32(f64(a)*b + c) }", LANE_FMA, 0},
    {"(a: f32, b: f32, c: f32) -> (y: f32) { y = f32(a*b + c) }", LANE_FMA, 0},
    /* A byte that depends on one byte is looked up. */
    {"(a: i8) -> (y: i8) { y = a*3 }", LANE_LOOKUP, 1},
    {"(a: i8, b: i8, c: u8) -> (y: i8, z: u8, w: i8) { y = b*3; z = c/2; w = a }", LANE_LOOKUP, 3},
    {"(a: i8, b: i8) -> (y: i8) { y = a*b }", LANE_LOOKUP, 0},
    {"(a: i8, b: i8, c: i8) -> (y: i8, z: i8) { y = a*c; z = b }", LANE_LOOKUP, 0},
    {"(a: i8) -> (y: i8, z: i8) { y = a*3; z = 3 }", LANE_LOOKUP, 0},
    {"(a: i8) -> (y: f16) { y = a*3 }", LANE_LOOKUP, 0},
    {"(a: i8[cols]) -> (y: i8) { y = a*3 }", LANE_LOOKUP, 0},
};

static void some_operations_stand_for_several(void **state)
{
    (void)state;
    struct target_profile with_bytes = profile;
    with_bytes.lookup_i8 = 64;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        char text[160];
        struct lowered *l;
        struct diag error = {0};
        unsigned found = 0;
        uint32_t count = 0;
        arena *memory = test_memory();
        snprintf(text, sizeof text, "kernel k%s", operations[i].kernel);
        if (lower_for(&l, memory, text, &with_bytes, (struct planner){stand_in, &found}, &error))
            fail_msg("%s: %s", text, error.message);
        const lane_program *p = l->kernel.program;
        for (uint32_t n = 0; n < p->count; n++) count += p->code[n].op == operations[i].op;
        if (count != operations[i].count)
            fail_msg("%s: %u times %s", text, count, lane_ops[operations[i].op].name);
        arena_free(memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_maximal),
        cmocka_unit_test(arithmetic_is_ieee_in_written_order),
        cmocka_unit_test(operands_are_the_specs),
        cmocka_unit_test(refusals_of_the_planner_are_passed_on),
        cmocka_unit_test(correct_rounding_is_for_functions_of_one_operand),
        cmocka_unit_test(kernels_of_f16_numbers_stay_in_f16),
        cmocka_unit_test(some_operations_stand_for_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
