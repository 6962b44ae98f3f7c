/* Tests of sums, means and maxima over rows and columns, by the kernels of sums.act on every instruction
 * set that runs here. Calls and objects give the interpreter's bits, however rows are split. The bits are
 * those of the order that docs/language.md states. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "element.h"
#include "engine.h"
#include "filled.h"
#include "isas.h"
#include "loader.h"
#include "skipping.h"
#include "text.h"

enum { MOST = 24, TEXT_SIZE = 1 << 14, MARGIN = 64, BLOCK = ACTGEN_BLOCK_ROWS };

static char text[TEXT_SIZE];
static const size_t row_counts[] = {0, 1, 3, 255, 256, 257, 600},
                    column_counts[] = {0, 1, 2, 15, 16, 17, 35, 100};

static int read_kernels(void **state)
{
    FILE *file = fopen(TEST_DATA "/sums.act", "r");
    if (!file) return -1;
    const size_t length = fread(text, 1, TEXT_SIZE - 1, file);
    text[length] = '\0';
    return fclose(file) || length == TEXT_SIZE - 1 ? -1 : open_engine(state);
}

/* -- calls -- */

enum side { BY_CODE, BY_INTERPRETER, BY_PARTS, BY_OBJECT = BY_PARTS, SIDES };

struct group { /* An operand of a call. */
    actgen_operand_info info;
    size_t size, stride;
    unsigned char *memory[SIDES]; /* The operand's memory begins after MARGIN bytes. */
};

struct call {
    const actgen_kernel *kernel;
    size_t rows, cols, count;
    struct group groups[MOST];
};

static size_t elements_of(const struct group *g, size_t rows, size_t cols)
{
    const size_t block = g->info.block ? g->info.block : 1,
                 width = g->info.parts * ((cols + block - 1) / block), stride = g->stride ? g->stride : width;
    switch (g->info.shape) {
    case ACTGEN_SHAPE_COLS: return width;
    case ACTGEN_SHAPE_ROWS: return rows * (g->stride ? g->stride : 1);
    case ACTGEN_SHAPE_ONE: return g->info.parts;
    default: return rows * stride;
    }
}

/* Returns a number from -8 to 8, which is quicker to make than a normal deviate. */
static double small_number(uint64_t *state) { return (double)(int64_t)next_random(state) * 0x1p-60; }

/* Fills an operand with small numbers, which all types have, and a few that are no numbers. */
static void fill(const struct group *g, size_t number, bool nans)
{
    const enum element_type type = (enum element_type)g->info.type;
    const size_t bytes = actgen_type_bytes(g->info.type);
    uint64_t state = number + 1;
    unsigned char *data = memset(g->memory[0], 0xa5, g->size);
    for (size_t at = MARGIN; !g->info.is_result && at + MARGIN < g->size; at += bytes) {
        const double x = small_number(&state);
        const bool odd = nans && next_random(&state) % 701 == 0;
        element_set(data + at, type, 0,
                    type == ELEMENT_U64 ? next_random(&state)
                                        : element_types[type].near(odd ? (double)NAN : x));
    }
    for (int side = 1; side < SIDES; side++) memcpy(g->memory[side], data, g->size);
}

static void open_call(struct call *c, const actgen_kernel *kernel, size_t rows, size_t cols, bool gaps,
                      bool nans)
{
    *c = (struct call){
        .kernel = kernel, .rows = rows, .cols = cols, .count = actgen_kernel_group_count(kernel)};
    assert_true(c->count <= MOST - 1);
    for (size_t k = actgen_kernel_operand_count(kernel); k-- > 0;) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(kernel, k, &info), ACTGEN_OK);
        c->groups[info.group].info = info; /* At the end, that of the first name. */
    }
    for (size_t g = 0; g < c->count; g++) {
        struct group *own = &c->groups[g];
        const bool in_rows = own->info.shape == ACTGEN_SHAPE_MATRIX || own->info.shape == ACTGEN_SHAPE_ROWS;
        const size_t width = own->info.shape == ACTGEN_SHAPE_MATRIX ? own->info.parts * cols : 1;
        if (gaps && in_rows) own->stride = width + 1 + g;
        own->size = elements_of(own, rows, cols) * actgen_type_bytes(own->info.type) + 2 * MARGIN;
        for (int side = 0; side < SIDES; side++) assert_non_null(own->memory[side] = malloc(own->size));
        fill(own, g + rows + cols, nans);
    }
}

static void close_call(struct call *c)
{
    for (size_t g = 0; g < c->count; g++)
        for (int side = 0; side < SIDES; side++) free(c->groups[g].memory[side]);
}

static void list_operands(actgen_operand *out, const struct call *c, enum side side)
{
    for (size_t g = 0; g < c->count; g++)
        out[g] = (actgen_operand){c->groups[g].memory[side] + MARGIN, c->groups[g].stride};
}

/* Returns the workspace, full of NaNs, which follows the operands in the list. The caller frees it. */
static void *list_with_workspace(actgen_operand *out, const struct call *c, enum side side)
{
    const size_t size = actgen_kernel_workspace(c->kernel, c->rows, c->cols);
    void *workspace = malloc(size + 1);
    assert_non_null(workspace);
    memset(workspace, 0xff, size);
    list_operands(out, c, side);
    out[c->count] = (actgen_operand){workspace, size};
    return workspace;
}

/* Runs block by block, the last block first. Without sums, that is all. */
static void run_parts(const struct call *c)
{
    actgen_operand list[MOST];
    void *workspace = list_with_workspace(list, c, BY_PARTS);
    const bool has_sums = actgen_kernel_workspace(c->kernel, 1, 1) != 0;
    const size_t count = c->count + has_sums;
    for (size_t first = (c->rows + BLOCK - 1) / BLOCK * BLOCK; first >= BLOCK; first -= BLOCK) {
        const size_t begin = first - BLOCK, rows = c->rows - begin < BLOCK ? c->rows - begin : BLOCK;
        if (actgen_run_rows(c->kernel, begin, rows, c->rows, c->cols, list, count, &error))
            fail_msg("%s", error.message);
    }
    if (has_sums && actgen_finish(c->kernel, c->rows, c->cols, list, count, &error))
        fail_msg("%s", error.message);
    free(workspace);
}

static uint64_t differing(const struct group *g, enum side a, enum side b)
{
    const enum element_type type = (enum element_type)g->info.type;
    const size_t bytes = actgen_type_bytes(g->info.type);
    uint64_t differ = 0;
    if (!memcmp(g->memory[a], g->memory[b], g->size)) return 0;
    for (size_t at = 0; at + bytes <= g->size; at += bytes) {
        const uint64_t x = element_get(g->memory[a] + at, type, 0),
                       y = element_get(g->memory[b] + at, type, 0);
        differ += type == ELEMENT_U64 ? x != y : !element_same(type, x, y);
    }
    return differ;
}

static void expect_same(const struct call *c, enum side side, const char *whose)
{
    for (size_t g = 0; g < c->count; g++) {
        const struct group *own = &c->groups[g];
        const unsigned long long differ = differing(own, BY_CODE, side);
        if (differ)
            fail_msg("%s on %s, %zu x %zu%s, `%s`: %llu elements differ from %s",
                     actgen_kernel_name(c->kernel), actgen_kernel_isa(c->kernel), c->rows, c->cols,
                     c->groups[0].stride ? " with gaps" : "", own->info.name, differ, whose);
    }
}

/* Opens a call and runs it by machine code. */
static void run_code(struct call *c, const actgen_kernel *kernel, size_t rows, size_t cols, bool gaps,
                     bool nans)
{
    actgen_operand list[MOST];
    open_call(c, kernel, rows, cols, gaps, nans);
    list_operands(list, c, BY_CODE);
    if (actgen_run(kernel, rows, cols, list, c->count, &error)) fail_msg("%s", error.message);
}

static void compare(const actgen_kernel *kernel, size_t rows, size_t cols, bool gaps, bool nans)
{
    struct call c;
    actgen_operand list[MOST];
    run_code(&c, kernel, rows, cols, gaps, nans);
    list_operands(list, &c, BY_INTERPRETER);
    if (actgen_interpret(kernel, rows, cols, list, c.count, &error)) fail_msg("%s", error.message);
    run_parts(&c);
    expect_same(&c, BY_INTERPRETER, "the interpreter's");
    expect_same(&c, BY_PARTS, "those of its parts");
    close_call(&c);
}

/* -- objects, whose code joins blocks itself: here the library does -- */

static int append(void *payload, const void *data, size_t size)
{
    text_bytes(payload, data, size);
    return 0;
}

static void check_object(const actgen_kernel *kernel)
{
    static const size_t rows[] = {1, 256, 257, 600};
    arena *memory = arena_create(0);
    struct text object = text_new(memory);
    loader_code *code;
    char symbol[64];
    actgen_operand list[MOST];
    struct call c;
    if (actgen_emit(&kernel, 1, ACTGEN_EMIT_OBJECT, NULL, append, &object, &error))
        fail_msg("%s", error.message);
    assert_int_equal(loader_load(&code, object.data, object.length, NULL), 0);
    snprintf(symbol, sizeof symbol, "%s_kernel", actgen_kernel_name(kernel));
    void *address = loader_symbol(code, symbol, NULL);
    actgen_fn function;
    assert_non_null(address);
    memcpy(&function, &address, sizeof function);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        run_code(&c, kernel, rows[r], 19, r % 2, r % 2);
        void *workspace = list_with_workspace(list, &c, BY_OBJECT);
        function(c.rows, c.cols, list);
        free(workspace);
        expect_same(&c, BY_OBJECT, "those of its object");
        close_call(&c);
    }
    loader_free(code);
    arena_free(memory);
}

static bool is_sum(const actgen_operand_info *o) { return o->is_result && o->shape != ACTGEN_SHAPE_MATRIX; }

static bool is_list(const actgen_operand_info *info)
{
    return info->shape == ACTGEN_SHAPE_ONE && info->layout == ACTGEN_LAYOUT_PACKED;
}

static bool has_one(const actgen_kernel *kernel, bool (*is_meant)(const actgen_operand_info *))
{
    bool found = false;
    for (size_t k = 0; k < actgen_kernel_operand_count(kernel); k++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, k, &info);
        found = found || is_meant(&info);
    }
    return found;
}

/* Checks a kernel: few rows with all numbers of columns, and many rows with those around one vector. */
static void check_kernel(const actgen_kernel *kernel, bool is_to_verify)
{
    enum { FEW_ROWS = 3, ABOUT_A_VECTOR = 17 };
    actgen_verify_options how = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    how.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    for (size_t r = 0; r < sizeof row_counts / sizeof *row_counts; r++)
        for (size_t n = 0; n < sizeof column_counts / sizeof *column_counts; n++)
            for (int form = 0; form < 2; form++)
                if (row_counts[r] <= FEW_ROWS || column_counts[n] <= ABOUT_A_VECTOR)
                    compare(kernel, row_counts[r], column_counts[n], form == 1, form == 1);
    for (size_t cols = 3; cols < 15; cols++)
        compare(kernel, 1, cols, false, false); /* The other remainders of vectors. */
    for (int form = 0; form < 2; form++)
        compare(kernel, 5, 3000, form == 1, form == 1); /* The rows are longer than a tile. */
    if (!is_to_verify) return;
    if (actgen_verify(kernel, &how, &report, &error)) fail_msg("%s", error.message);
    if (!report.ok) fail_msg("%s: %g ulp", actgen_kernel_name(kernel), report.max_ulp);
}

static void check_isa(size_t number)
{
    const char *isa = own_isa_to_run(number);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    if (!isa) SKIP_BECAUSE("no further instruction set on this processor, or watched by a sanitizer");
    options.isa = isa;
    actgen_spec *spec = parse(text);
    for (size_t i = 0; i < actgen_spec_kernel_count(spec); i++) {
        if (number && !is_row_of_today(i + number, 2)) continue; /* The second and third set share kernels. */
        actgen_kernel *kernel;
        const char *name = actgen_spec_kernel_name(spec, i);
        if (actgen_compile(&kernel, engine, spec, name, &options, &error))
            fail_msg("%s: %s", name, error.message);
        const bool has_workspace = actgen_kernel_workspace(kernel, 1, 1) != 0;
        assert_true(has_workspace || !has_one(kernel, is_sum));
        if (has_workspace) check_object(kernel);
        if (has_workspace || has_one(kernel, is_list))
            check_kernel(kernel, number == 0 && is_kernel_verified(i) && is_row_of_today(i, 3));
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
}

static void first_isa(void **state) { (void)state, check_isa(0); }
static void second_isa(void **state) { (void)state, check_isa(1); }
static void third_isa(void **state) { (void)state, check_isa(2); }

/* -- the order, said once more -- */

static float row_sum(const float *row, size_t cols)
{
    float all[16] = {0};
    for (size_t j = 0; j < cols; j++) all[j % 16] += row[j];
    for (size_t half = 8; half; half /= 2)
        for (size_t i = 0; i < half; i++) all[i] += all[i + half];
    return all[0];
}

/* Returns the sum of column j. Column `cols` is that of the rows' sums. */
static float sum_over_rows(const float *x, size_t rows, size_t cols, size_t j)
{
    double all = 0;
    for (size_t first = 0; first < rows; first += BLOCK) {
        float block = 0;
        for (size_t r = first; r < rows && r < first + BLOCK; r++)
            block += j < cols ? x[r * cols + j] : row_sum(x + r * cols, cols);
        all += (double)block;
    }
    return (float)all;
}

static void sums_have_the_order_that_is_stated(void **state)
{
    (void)state;
    enum { ROWS = 700, COLS = 83 };
    static float x[ROWS * COLS], r[ROWS], c[COLS], o;
    uint64_t random = 1;
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = (float)normal_number(&random);
    for (size_t n = 0; own_isa(n); n++) {
        actgen_kernel *k = compile_for("kernel k(x: f32) -> (r: f32[rows], c: f32[cols], o: f32[]) {\n"
                                       "r = sum(x); c = sum(x); o = sum(x) }",
                                       own_isa(n));
        const actgen_operand list[] = {{x, 0}, {r, 0}, {c, 0}, {&o, 0}};
        assert_int_equal(actgen_run(k, ROWS, COLS, list, 4, &error), ACTGEN_OK);
        for (size_t i = 0; i < ROWS; i++) assert_true(r[i] == row_sum(x + i * COLS, COLS));
        for (size_t j = 0; j < COLS; j++) assert_true(c[j] == sum_over_rows(x, ROWS, COLS, j));
        assert_true(o == sum_over_rows(x, ROWS, COLS, COLS));
        actgen_kernel_free(k);
    }
}

static void what_has_no_elements_is_defined(void **state)
{
    (void)state;
    float s = 1, m = 1, a = 1, empty = 1;
    actgen_kernel *k = compile_for("kernel k(x: f32) -> (s: f32[rows], m: f32[], a: f32[]) {\n"
                                   "s = sum(x); m = mean(x); a = amax(x) }",
                                   NULL);
    const actgen_operand list[] = {{NULL, 0}, {&s, 0}, {&m, 0}, {&a, 0}};
    assert_int_equal(actgen_run(k, 1, 0, list, 4, &error), ACTGEN_OK);
    assert_true(s == 0 && isnan(m) && a == -INFINITY);
    s = 1;
    assert_int_equal(actgen_run(k, 0, 5, list, 4, &error), ACTGEN_OK);
    assert_true(s == 1);
    actgen_kernel_free(k);
    k = compile_for("kernel k(x: f32) -> (s: f32[cols]) { s = sum(x) }", NULL);
    const actgen_operand columns[] = {{NULL, 0}, {&empty, 0}};
    assert_int_equal(actgen_run(k, 0, 1, columns, 2, &error), ACTGEN_OK);
    assert_true(empty == 0 && !signbit(empty));
    const actgen_operand missing[] = {{NULL, 0}, {NULL, 0}};
    assert_refused(actgen_run(k, 0, 1, missing, 2, &error), ACTGEN_EINVAL, "`s` is NULL");
    actgen_kernel_free(k);
}

/* -- lists -- */

static actgen_kernel *compile_of(const char *spec_text, const char *name, const char *isa)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = parse(spec_text);
    actgen_kernel *kernel = NULL;
    options.isa = isa;
    if (actgen_compile(&kernel, engine, spec, name, &options, &error)) fail_msg("%s", error.message);
    actgen_spec_free(spec);
    return kernel;
}

static float sum_of_products(const float *x, const float *d, size_t rows, size_t cols, float (*slope)(float))
{
    float *products = malloc(rows * cols * sizeof *products);
    assert_non_null(products);
    for (size_t i = 0; i < rows * cols; i++) products[i] = d[i] * slope(x[i]);
    const float sum = sum_over_rows(products, rows, cols, cols);
    free(products);
    return sum;
}

static float is_in_first(float x) { return x < 1 ? 1 : 0; }
static float is_in_second(float x) { return x < 1 || x >= 2 ? 0 : 1; }
static float is_in_third(float x) { return x < 2 ? 0 : 1; }

/* Checks lists: c[x] is c[0] below 1 and c[2] from 2 on. Each value's slope sums over its elements. */
static void values_of_lists_are_chosen_and_have_gradients(void **state)
{
    (void)state;
    enum { ROWS = 300, COLS = 37 };
    static float x[ROWS * COLS], d[ROWS * COLS], y[ROWS * COLS];
    static float (*const slopes[])(float) = {is_in_first, is_in_second, is_in_third};
    const float c[] = {3, 5, 7};
    uint64_t random = 1;
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = 3 * (float)normal_number(&random);
    for (size_t i = 0; i < ROWS * COLS; i++) d[i] = (float)normal_number(&random);
    x[0] = -INFINITY, x[1] = INFINITY, x[2] = 1, x[3] = 2, x[4] = -0.0F;
    for (size_t n = 0; own_isa(n); n++) {
        float sums[4] = {0, 0, 0, -1};
        actgen_kernel *k = compile_for("kernel k(x: f32, c: f32[3]) -> (y: f32) { y = c[x] }", own_isa(n));
        const actgen_operand list[] = {{x, 0}, {c, 0}, {y, 0}};
        assert_int_equal(actgen_run(k, ROWS, COLS, list, 3, &error), ACTGEN_OK);
        for (size_t i = 0; i < ROWS * COLS; i++) assert_true(y[i] == c[x[i] < 1 ? 0 : x[i] < 2 ? 1 : 2]);
        actgen_kernel_free(k);
        k = compile_of("kernel k(x: f32, c: f32[3]) -> (y: f32) { y = c[x] }\nkernel q = gradient k of c",
                       "q", own_isa(n));
        const actgen_operand backward[] = {{x, 0}, {c, 0}, {d, 0}, {sums, 0}};
        assert_int_equal(actgen_run(k, ROWS, COLS, backward, 4, &error), ACTGEN_OK);
        for (size_t i = 0; i < 3; i++) assert_true(sums[i] == sum_of_products(x, d, ROWS, COLS, slopes[i]));
        assert_true(sums[3] == -1);
        actgen_kernel_free(k);
    }
}

static void nans_in_indices_and_lists_make_nan(void **state)
{
    (void)state;
    float c[] = {3, 5, 7}, x = NAN, y = 0;
    actgen_kernel *k = compile_for("kernel k(x: f32, c: f32[3]) -> (y: f32) { y = c[x] }", NULL);
    const actgen_operand list[] = {{&x, 0}, {c, 0}, {&y, 0}}, missing[] = {{&x, 0}, {NULL, 0}, {&y, 0}},
                         shared[] = {{&x, 0}, {c, 0}, {&c[1], 0}};
    assert_int_equal(actgen_run(k, 1, 1, list, 3, &error), ACTGEN_OK);
    assert_true(isnan(y));
    x = 1;
    for (size_t i = 0; i < 3; i++) { /* The value is chosen, or not. */
        const float number = c[i];
        c[i] = NAN;
        assert_int_equal(actgen_run(k, 1, 1, list, 3, &error), ACTGEN_OK);
        assert_true(isnan(y));
        c[i] = number;
    }
    assert_int_equal(actgen_run(k, 1, 1, list, 3, &error), ACTGEN_OK);
    assert_true(y == 5);
    assert_refused(actgen_run(k, 1, 1, missing, 3, &error), ACTGEN_EINVAL, "operand `c` is NULL");
    assert_refused(actgen_run(k, 1, 1, shared, 3, &error), ACTGEN_EINVAL, "`y` overlaps `c`");
    actgen_kernel_free(k);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    enum { ROWS = 600, COLS = 20, SIZE = ROWS * COLS };
    static float x[SIZE], s[COLS];
    static double memory[SIZE];
    actgen_kernel *k = compile_for("kernel k(x: f32) -> (s: f32[cols]) { s = sum(x) }", NULL);
    const size_t size = actgen_kernel_workspace(k, ROWS, COLS);
    actgen_operand list[3] = {{x, 0}, {s, 0}, {memory, size}};
    assert_true(size && size < sizeof memory);
    assert_int_equal(actgen_kernel_workspace(k, SIZE_MAX, SIZE_MAX), SIZE_MAX);
    assert_int_equal(actgen_run(k, ROWS, COLS, list, 3, &error), ACTGEN_OK);
    assert_refused(actgen_run(k, ROWS, COLS, list, 4, &error), ACTGEN_EINVAL, "not 4");
    assert_refused(actgen_run_rows(k, 0, 256, ROWS, COLS, list, 2, &error), ACTGEN_EINVAL,
                   "need a workspace");
    assert_refused(actgen_finish(k, ROWS, COLS, list, 2, &error), ACTGEN_EINVAL, "need a workspace");
    assert_refused(actgen_run_rows(k, 10, 256, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL,
                   "multiples of 256");
    assert_refused(actgen_run_rows(k, 0, 300, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL,
                   "multiples of 256");
    assert_refused(actgen_run_rows(k, 256, 400, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL,
                   "more than the 600");
    list[2].stride = size - 1;
    assert_refused(actgen_run(k, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL, "too small");
    list[2] = (actgen_operand){NULL, size};
    assert_refused(actgen_run(k, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL, "workspace of `k` is NULL");
    list[2] = (actgen_operand){(char *)memory + 4, size};
    assert_refused(actgen_finish(k, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL, "aligned");
    list[2] = (actgen_operand){memory, size};
    list[0].data = memory;
    assert_refused(actgen_run(k, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL, "workspace overlaps `x`");
    list[0].data = x, list[1].data = x;
    assert_refused(actgen_run(k, ROWS, COLS, list, 3, &error), ACTGEN_EINVAL, "overlaps `x`");
    double value, input = 1;
    assert_refused(actgen_reference(k, 0, &input, &value, &error), ACTGEN_EINVAL, "is a sum");
    assert_int_equal(actgen_kernel_workspace(NULL, 1, 1), 0);
    assert_refused(actgen_finish(NULL, 1, 1, list, 3, &error), ACTGEN_EINVAL, "NULL");
    actgen_kernel_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_isa),
        cmocka_unit_test(second_isa),
        cmocka_unit_test(third_isa),
        cmocka_unit_test(sums_have_the_order_that_is_stated),
        cmocka_unit_test(what_has_no_elements_is_defined),
        cmocka_unit_test(values_of_lists_are_chosen_and_have_gradients),
        cmocka_unit_test(nans_in_indices_and_lists_make_nan),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, read_kernels, close_engine);
}
