/* Writes what a machine of another instruction set needs to test it: write ISA FOLDER [TYPE]. The folder gets objects of all built-ins
 * in every type, of examples/ffn.act and of kernels.act, table.inc with their names, and data.bin with inputs and what the
 * interpreter computes of them (check.h). With a type there are only kernels of that type. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "matrix.h"

enum { MOST = 128 };

static const struct series {
    const char *prefix, *type, *accuracy;
} all_series[] = {{"f32_", "f32", NULL},
                  {"f32_abs_", "f32", "abs 2^-20"},
                  {"f64_", "f64", NULL},
                  {"f16_", "f16", NULL},
                  {"bf16_", "bf16", NULL}};

static const char *folder, *only_type;
static FILE *table, *data;
static actgen_engine *engine;
static actgen_options options = ACTGEN_OPTIONS_INIT;
static actgen_kernel *kernels[MOST];
static size_t kernel_count, written;
static struct matrix m;

static void add(actgen_spec *spec, const char *name)
{
    assert_true(kernel_count < MOST);
    actgen_error error;
    const int status = actgen_compile(&kernels[kernel_count], engine, spec, name, &options, &error);
    if (!status) kernel_count++;
    /* An absolute bound of a gradient, say, may not be kept by any plan. */
    if (status && status != ACTGEN_EACCURACY) fail_msg("%s for %s: %s", name, options.isa, error.message);
}

static int add_builtin(void *type, const actgen_builtin *b)
{
    actgen_spec *spec;
    if (b->alias_of) return 0;
    assert_int_equal(actgen_spec_builtin_typed(&spec, b->name, type, NULL), ACTGEN_OK);
    add(spec, NULL);
    actgen_spec_free(spec);
    return 0;
}

/* Every `word` that stands alone becomes `type`. */
static void replace(char *text, const char *word, const char *type)
{
    const size_t length = strlen(word), size = strlen(type);
    for (char *at = text; (at = strstr(at, word)); at += size) {
        memmove(at + size, at + length, strlen(at + length) + 1);
        memcpy(at, type, size);
    }
}

static void add_file(const char *path, const char *const *words, const char *type)
{
    static char text[1 << 14];
    actgen_spec *spec;
    actgen_error error;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text / 2, file)] = 0;
    fclose(file);
    for (; *words; words++) replace(text, *words, type);
    if (actgen_spec_parse(&spec, path, text, strlen(text), &error)) fail_msg("%s: %s", path, error.message);
    for (size_t i = 0; i < actgen_spec_kernel_count(spec); i++) add(spec, actgen_spec_kernel_name(spec, i));
    actgen_spec_free(spec);
}

/* ---- output ---- */

static int write_some(void *file, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, file) != size;
}

static FILE *create(const char *prefix, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", folder, prefix, name);
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    return file;
}

static void write_number(uint64_t number, size_t bytes)
{
    for (; bytes--; number >>= 8) fputc((int)(number & 0xff), data);
}

static void write_name(const actgen_operand_info *n)
{
    const struct matrix_group *g = &m.groups[n->group];
    const bool has_rows = matrix_has_rows(g),
               has_cols = n->shape == ACTGEN_SHAPE_MATRIX || n->shape == ACTGEN_SHAPE_COLS;
    const uint32_t fields[CROSS_FIELDS] = {[CROSS_TYPE] = (uint32_t)n->type,
                                           [CROSS_SHAPE] = (uint32_t)n->shape,
                                           [CROSS_LAYOUT] = (uint32_t)n->layout,
                                           [CROSS_IS_RESULT] = n->is_result != 0,
                                           [CROSS_GROUP] = n->group,
                                           [CROSS_PART] = n->part,
                                           [CROSS_PARTS] = n->parts};
    for (int f = 0; f < CROSS_FIELDS; f++) write_number(fields[f], 4);
    for (size_t row = 0; row < (has_rows ? CROSS_ROWS : 1); row++)
        for (size_t col = 0; col < (has_cols ? CROSS_COLS : 1); col++)
            write_number(element_get(g->given[BY_INTERPRETER].data, g->type,
                                     matrix_index(&m, n, row, col, CROSS_COLS)),
                         g->bytes);
}

static void write_kernel(const actgen_kernel *kernel, const char *prefix)
{
    const struct matrix_call call = {.rows = CROSS_ROWS, .cols = CROSS_COLS};
    actgen_operand operands[MATRIX_NAMES];
    actgen_error error;
    const char *name = actgen_kernel_name(kernel);
    matrix_take(&m, kernel, name);
    assert_true(matrix_place(&m, &call));
    matrix_fill(&m, &call, ++written);
    for (size_t g = 0; g < m.group_count; g++) operands[g] = m.groups[g].given[BY_INTERPRETER];
    if (actgen_interpret(kernel, CROSS_ROWS, CROSS_COLS, operands, m.group_count, &error))
        fail_msg("%s", error.message);
    write_number(m.name_count, 4);
    write_number(m.group_count, 4);
    for (size_t n = 0; n < m.name_count; n++) write_name(&m.names[n]);
    fprintf(table, "KERNEL(\"%s%s\", %s%s_kernel)\n", prefix, name, prefix, name);
}

static void write_series(const struct series *s)
{
    static const char *const ffn[] = {"bf16", "f32", NULL}, *const own[] = {"TYPE", NULL};
    actgen_emit_options emit = ACTGEN_EMIT_OPTIONS_INIT;
    actgen_error error;
    options.accuracy = s->accuracy;
    actgen_builtins(add_builtin, (void *)(uintptr_t)s->type, NULL);
    if (!s->accuracy) add_file(TEST_DATA "/cross/kernels.act", own, s->type);
    if (!strchr(s->type, '1'))
        add_file(TEST_DATA "/../examples/ffn.act", ffn, s->type); /* its bound is f32's */
    FILE *object = create(s->prefix, "kernels.o");
    emit.prefix = s->prefix;
    if (actgen_emit_with((const actgen_kernel *const *)kernels, kernel_count, ACTGEN_EMIT_OBJECT, &emit,
                         write_some, object, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(object), 0);
    for (size_t k = 0; k < kernel_count; k++) write_kernel(kernels[k], s->prefix);
    while (kernel_count) actgen_kernel_free(kernels[--kernel_count]);
}

static void write_all(void **state)
{
    (void)state;
    matrix_open(&m);
    data = create("", "data.bin");
    table = create("", "table.inc");
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    for (size_t i = 0; i < sizeof all_series / sizeof *all_series; i++)
        if (!only_type || !strcmp(only_type, all_series[i].type)) write_series(&all_series[i]);
    actgen_engine_free(engine);
    matrix_close(&m);
    assert_int_equal(fclose(data), 0);
    assert_int_equal(fclose(table), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(write_all)};
    if (argc < 3) return fprintf(stderr, "usage: write ISA FOLDER [TYPE]\n"), 2;
    options.isa = argv[1];
    options.interpret = 1;
    folder = argv[2];
    only_type = argv[3];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
