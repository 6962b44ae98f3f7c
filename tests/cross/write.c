/* Writes what a machine of another instruction set needs for its test. Usage: write ISA FOLDER [TYPE|hashes].
 * The folder gets objects of built-ins in every type, of examples/ffn.act, of kernels.act and of every
 * operation (ops.c). table.inc has their names. data.bin has inputs and the interpreter's results for them
 * (check.h). Files <series>source.[ch] have C source of the kernels that can have it. hashes.inc has the
 * hashes of the results of portable plans. With a type, the program writes only kernels of that type. With
 * `hashes` it writes only hashes.
 *
 * Each machine has every operation, every layout, and every built-in of one operand with the portable
 * plan, if that is the machine's own. The other plans of a built-in go round: each built-in of each type
 * is on two or three machines (is_taken). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

#include "builtins.h"
#include "check.h"
#include "flushed_by_neon.h"
#include "kernel.h"
#include "matrix.h"
#include "part.h"
#include "random_kernel.h"
#include "source_calls.h"
#include "target.h"
#include "write.h"

/* The calls of C source on random inputs: 10^4 or 10^6 elements. */
enum { MOST = 256, FEW = 20, MANY = 1931 };

/* A series of kernels. It takes a kernel of kernels.act if the sum of the kernel's number, `file_first`
 * and the machine's number is a multiple of `file_step`. All kernels are there in f32. Each is also there
 * in elements of another size: of 8 bytes on one machine, and of 2 bytes on the next. */
static const struct series {
    const char *prefix, *type, *accuracy;
    unsigned file_step, file_first;
} all_series[] = {
    {"f32_", "f32", NULL, 1, 0}, {"f32_abs_", "f32", "abs 2^-20", 1, 0},
    {"f64_", "f64", NULL, 2, 1}, {"flush_", "f32", "3 ulp flush", 1, 0}, /* where a set flushes */
    {"f16_", "f16", NULL, 4, 0}, {"bf16_", "bf16", NULL, 4, 2}};
enum { BUILTIN_STEP = 4, LARGE_STEP = 3, MOST_INTERPRETED = 14 };

/* The kernels of a random series, and the seconds that planning one may take. */
enum { RANDOM_COUNT = 6, RANDOM_SECONDS = 5, DAY = 86400 };
static const char random_prefix[] = "random_";

static const char *folder, *only_type;
static FILE *table, *data, *hashes;
static actgen_engine *engine;
static actgen_options options = ACTGEN_OPTIONS_INIT;
static actgen_kernel *kernels[MOST];
static size_t kernel_count, written;
/* The numbers of the visited built-in and of the machine. */
static size_t builtin_number, isa_number;
static bool is_flushed; /* The kernels run on a set that takes subnormal numbers for zero. */
static struct matrix m;

static bool is_taken(size_t number, unsigned step)
{
    return takes_all() || (number + isa_number) % step == 0;
}

/* Returns true if the set is one for GPUs. */
static bool is_for_gpus(void) { return !strncmp(options.isa, "ptx", strlen("ptx")); }

/* Returns true if the kernel has masks of bits, or results that are sums over rows. */
static bool is_not_for_gpus(const actgen_kernel *kernel)
{
    bool found = false;
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(kernel, i, &info), ACTGEN_OK);
        found |= info.type == ACTGEN_U1 || info.type == ACTGEN_E2M1 || info.type == ACTGEN_I4;
        found |= info.is_result && (info.shape == ACTGEN_SHAPE_COLS || info.shape == ACTGEN_SHAPE_ONE);
    }
    return found;
}

static void add(actgen_spec *spec, const char *name)
{
    assert_true(kernel_count < MOST);
    actgen_error error;
    const int status = actgen_compile(&kernels[kernel_count], engine, spec, name, &options, &error);
    if (!status) kernel_count++;
    if (!status && is_for_gpus() && is_not_for_gpus(kernels[kernel_count - 1]))
        actgen_kernel_free(kernels[--kernel_count]);
    /* Some absolute bounds, for example of a gradient, cannot be kept by any plan. */
    if (status && status != ACTGEN_EACCURACY) fail_msg("%s for %s: %s", name, options.isa, error.message);
}

static int add_every_builtin(void *type, const actgen_builtin *b)
{
    actgen_spec *spec;
    if (!is_made_of(b, type)) return 0;
    assert_int_equal(actgen_spec_builtin_typed(&spec, b->name, type, NULL), ACTGEN_OK);
    add(spec, NULL);
    actgen_spec_free(spec);
    return 0;
}

static int add_builtin(void *type, const actgen_builtin *b)
{
    if (!is_made_of(b, type)) return 0;
    return is_taken(builtin_number++, BUILTIN_STEP) ? add_every_builtin(type, b) : 0;
}

/* Replaces every `word` that stands alone by `type`. */
static void replace(char *text, const char *word, const char *type)
{
    const size_t length = strlen(word), size = strlen(type);
    for (char *at = text; (at = strstr(at, word)); at += size) {
        memmove(at + size, at + length, strlen(at + length) + 1);
        memcpy(at, type, size);
    }
}

static void add_file(const char *path, const char *const *words, const char *type, unsigned step,
                     size_t first)
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
    for (size_t i = 0; i < actgen_spec_kernel_count(spec); i++)
        if (is_taken(i + first, step)) add(spec, actgen_spec_kernel_name(spec, i));
    actgen_spec_free(spec);
}

/* ---- output ---- */

static int write_some(void *file, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, file) != size;
}

FILE *cross_create(const char *prefix, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s%s", folder, prefix, name);
    FILE *file = fopen(path, "wb");
    if (!file) fail_msg("cannot write %s", path);
    return file;
}

void cross_write_number(FILE *file, uint64_t number, size_t bytes)
{
    for (; bytes--; number >>= 8) fputc((int)(number & 0xff), file);
}

void cross_write_head(FILE *file, size_t names, size_t groups, uint32_t random_calls, uint64_t random_hash)
{
    const uint64_t numbers[] = {names, groups, random_calls};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) cross_write_number(file, numbers[i], 4);
    cross_write_number(file, random_hash, sizeof random_hash);
}

/* Returns true if the result depends on a sum over its row. */
static bool is_of_row(const actgen_kernel *kernel, size_t name)
{
    const struct spec_kernel *k = kernel->source;
    size_t result = 0;
    if (!m.names[name].is_result) return false;
    for (size_t n = 0; n < name; n++) result += m.names[n].is_result != 0;
    return k->results[result].value->inputs & spec_total_inputs(k);
}

static void write_name(const actgen_operand_info *n, bool of_row)
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
                                           [CROSS_PARTS] = n->parts,
                                           [CROSS_OF_ROW] = of_row,
                                           [CROSS_FLUSHED] = is_flushed};
    for (int f = 0; f < CROSS_FIELDS; f++) cross_write_number(data, fields[f], 4);
    for (size_t row = 0; row < (has_rows ? CROSS_ROWS : 1); row++)
        for (size_t col = 0; col < (has_cols ? CROSS_COLS : 1); col++)
            cross_write_number(data,
                               element_get(g->given[BY_INTERPRETER].data, g->type,
                                           matrix_index(&m, n, row, col, CROSS_COLS)),
                               g->bytes);
}

/* Checks that each result of small numbers contains numbers. Otherwise the test would compare only NaNs. */
static void check_for_numbers(void)
{
    for (size_t n = 0; n < m.name_count; n++) {
        const actgen_operand_info *o = &m.names[n];
        const struct matrix_group *g = &m.groups[o->group];
        bool found = !o->is_result;
        for (size_t col = 0; col < CROSS_COLS && !found; col++) {
            const size_t place = matrix_index(&m, o, 0, o->shape == ACTGEN_SHAPE_ROWS ? 0 : col, CROSS_COLS);
            found = !isnan(
                element_types[g->type].value(element_get(g->given[BY_INTERPRETER].data, g->type, place)));
        }
        if (!found) fail_msg("%s: %s is no number anywhere in its first row", m.what, o->name);
    }
}

/* Writes a call of the kernel, and the number of its calls on random inputs. `row` is the macro of its row in
 * the table: AGAIN if another row is before. */
static void write_call(const actgen_kernel *kernel, const char *prefix, const char *row,
                       enum matrix_content content, uint32_t random_calls)
{
    const struct matrix_call call = {.rows = CROSS_ROWS, .cols = CROSS_COLS};
    actgen_operand operands[MATRIX_NAMES];
    actgen_error error;
    const char *name = actgen_kernel_name(kernel);
    matrix_take(&m, kernel, name);
    const uint64_t random_hash = cross_random_hash(&m, random_calls);
    assert_true(matrix_place(&m, &call));
    matrix_fill(&m, &call, content, ++written);
    for (size_t g = 0; g < m.group_count; g++) operands[g] = m.groups[g].given[BY_INTERPRETER];
    if (actgen_interpret(kernel, CROSS_ROWS, CROSS_COLS, operands, m.group_count, &error))
        fail_msg("%s", error.message);
    if (content == MATRIX_NUMBERS && !strstr(prefix, random_prefix)) check_for_numbers();
    cross_write_head(data, m.name_count, m.group_count, random_calls, random_hash);
    for (size_t n = 0; n < m.name_count; n++) write_name(&m.names[n], is_of_row(kernel, n));
    fprintf(table, "%s(\"%s%s\", %s%s_kernel)\n", row, prefix, name, prefix, name);
}

/* Writes a kernel. Rows of any values have a NaN, which makes every sum over the row NaN. So a kernel with
 * such a sum is also called on rows of small numbers. */
static void write_kernel(const actgen_kernel *kernel, const char *prefix)
{
    write_call(kernel, prefix, "KERNEL", MATRIX_ANYTHING, 0);
    if (has_workspace(kernel)) write_call(kernel, prefix, "AGAIN", MATRIX_NUMBERS, 0);
}

static int drop_bytes(void *unused, const void *bytes, size_t size)
{
    (void)unused, (void)bytes, (void)size;
    return 0;
}

/* Returns the style of C source for the set: its intrinsics, or a style for every set. */
static const char *style_of_isa(void)
{
    const char *isa;
    for (size_t i = 0; (isa = actgen_style_isa("intrinsics", i)); i++)
        if (!strcmp(isa, options.isa)) return "intrinsics";
    return isa_number % 2 ? "scalar" : "vector";
}

/* Writes C source of the kernels that can have it, as <style>_<series>source.h, and functions that call it.
 */
static void write_source(const char *series, const char *style)
{
    const actgen_kernel *own[MOST];
    char prefix[32], header[48];
    size_t count = 0;
    actgen_emit_options emit = ACTGEN_EMIT_OPTIONS_INIT;
    actgen_error error;
    snprintf(prefix, sizeof prefix, "%s_%s", style, series);
    snprintf(header, sizeof header, "%ssource.h", prefix);
    emit.prefix = prefix;
    emit.style = style;
    emit.header_name = header;
    for (size_t k = 0; k < kernel_count; k++) {
        own[count] = kernels[k];
        count += !actgen_emit_with(&own[count], 1, ACTGEN_EMIT_C, &emit, drop_bytes, NULL, &error);
    }
    if (!count && series == random_prefix) return;
    if (!count) fail_msg("%s: no kernel has C source: %s", options.isa, error.message);
    FILE *file = cross_create("", header);
    if (actgen_emit_with(own, count, ACTGEN_EMIT_C, &emit, write_some, file, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(file), 0);
    file = cross_create(prefix, "source.c");
    source_calls_begin(file, header);
    for (size_t k = 0; k < count; k++) {
        char name[96], called[96];
        write_call(own[k], prefix, "KERNEL", MATRIX_ANYTHING, takes_all() ? MANY : FEW);
        snprintf(name, sizeof name, "%s%s_kernel", prefix, m.what);
        snprintf(called, sizeof called, "%s%s_strided", prefix, m.what);
        source_calls_add(file, own[k], name, called);
    }
    source_calls_end(file);
    assert_int_equal(fclose(file), 0);
}

/* Sets without files or C compilers have no C source. */
static bool has_source(void) { return strcmp(options.isa, "wasm") != 0 && !is_for_gpus(); }

/* Writes the kernels that were added into one object. */
static void write_object(const char *prefix, const char *name)
{
    actgen_emit_options emit = ACTGEN_EMIT_OPTIONS_INIT;
    actgen_error error;
    FILE *object = cross_create(prefix, name);
    emit.prefix = prefix;
    if (actgen_emit_with((const actgen_kernel *const *)kernels, kernel_count, ACTGEN_EMIT_OBJECT, &emit,
                         write_some, object, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(object), 0);
}

/* Replaces the kernel's programs, which the interpreter runs, by what processors compute that flush. */
static void take_flushed(actgen_kernel *kernel)
{
    struct lane_kernel *own = &kernel->lowered->kernel;
    own->program = lane_flushed_by_neon(kernel->memory, own->program);
    for (uint32_t n = 0; n < own->pass_count; n++)
        own->passes[n].kernel->program = lane_flushed_by_neon(kernel->memory, own->passes[n].kernel->program);
}

/* Writes the kernels that were added, as a series, and drops them. C source is for any processor. */
static void write_added(const char *prefix)
{
    write_object(prefix, "kernels.o");
    for (size_t k = 0; k < kernel_count && is_flushed; k++) take_flushed(kernels[k]);
    for (size_t k = 0; k < kernel_count; k++) write_kernel(kernels[k], prefix);
    if (has_source() && !is_flushed) write_source(prefix, style_of_isa());
    /* Every machine has the style `scalar`. */
    if (has_source() && !is_flushed && takes_all() && strcmp(style_of_isa(), "scalar") != 0)
        write_source(prefix, "scalar");
    while (kernel_count) actgen_kernel_free(kernels[--kernel_count]);
}

static void write_series(const struct series *s)
{
    static const char *const ffn[] = {"bf16", "f32", NULL}, *const own[] = {"TYPE", NULL};
    is_flushed = s->accuracy && strstr(s->accuracy, "flush");
    if (is_flushed && !target_isa_flushing(target_isa_find(options.isa))) return;
    options.accuracy = s->accuracy;
    builtin_number = 0;
    actgen_builtins(add_builtin, (void *)(uintptr_t)s->type, NULL);
    if (!s->accuracy) add_file(TEST_DATA "/cross/kernels.act", own, s->type, s->file_step, s->file_first);
    if (!strchr(s->type, '1')) /* The bound of the file is one of f32. */
        add_file(TEST_DATA "/../examples/ffn.act", ffn, s->type, 1, 0);
    write_added(s->prefix);
}

/* Adds a random kernel and its gradient, if they can be planned in short time. */
static void add_random(struct random_kernel *k, unsigned number)
{
    char text[RANDOM_KERNEL_SIZE + 64], name[32];
    actgen_spec *spec;
    snprintf(name, sizeof name, "kernel k%u", number);
    snprintf(text, sizeof text, "%s%s", name, k->text + strlen("kernel k"));
    char *back = strstr(text, "kernel back = gradient k");
    if (back) sprintf(back, "kernel back%u = gradient k%u\n", number, number);
    if (actgen_spec_parse(&spec, "random.act", text, strlen(text), NULL)) return;
    for (size_t i = 0; i < actgen_spec_kernel_count(spec); i++) {
        const int status = actgen_compile(&kernels[kernel_count], engine, spec,
                                          actgen_spec_kernel_name(spec, i), &options, NULL);
        if (status) continue;
        if (is_for_gpus() && is_not_for_gpus(kernels[kernel_count]))
            actgen_kernel_free(kernels[kernel_count]);
        else
            kernel_count++;
        printf("%s%s for %s\n", text, actgen_spec_kernel_name(spec, i), options.isa);
    }
    actgen_spec_free(spec);
}

/* Writes random kernels, which each day has others of (tests/random_kernel.h). ACTGEN_SEED chooses them. */
static void write_random_series(void)
{
    static struct random_kernel k;
    const char *const given = getenv("ACTGEN_SEED");
    const unsigned long seed = given ? strtoul(given, NULL, 0) : (unsigned long)(time(NULL) / DAY);
    const double limit = options.time_limit;
    printf("ACTGEN_SEED=%lu\n", seed);
    options.accuracy = NULL;
    options.time_limit = RANDOM_SECONDS;
    for (unsigned n = 0; n < RANDOM_COUNT; n++) {
        struct randomness random = {seed * 1000003 + isa_number * RANDOM_COUNT + n};
        random_kernel(&k, &random);
        add_random(&k, n);
    }
    options.time_limit = limit;
    if (kernel_count) write_added(random_prefix);
}

/* Returns the hash of the interpreter's results, by the plan that one set has for the profile, whichever
 * set is tested. Large samples would take the interpreter minutes. So they run machine code where that
 * set runs here. */
static uint64_t hash_of(const char *name, unsigned log2_count, bool by_code)
{
    enum { CHUNK = 1024 };
    static uint32_t x[CHUNK], y[CHUNK];
    uint64_t hash = 0;
    actgen_options same = options;
    actgen_spec *spec;
    actgen_kernel *kernel;
    actgen_error error;
    same.isa = "avx512";
    assert_int_equal(actgen_spec_builtin(&spec, name, NULL), ACTGEN_OK);
    if (actgen_compile(&kernel, engine, spec, NULL, &same, &error)) fail_msg("%s", error.message);
    actgen_spec_free(spec);
    for (uint32_t first = 0; first >> log2_count == 0; first += CHUNK) {
        for (uint32_t i = 0; i < CHUNK; i++) x[i] = cross_sample(first + i, log2_count);
        const actgen_operand operands[] = {{x, 0}, {y, 0}};
        if ((by_code ? actgen_run : actgen_interpret)(kernel, 1, CHUNK, operands, 2, &error))
            fail_msg("%s", error.message);
        for (uint32_t i = 0; i < CHUNK; i++) hash = cross_fold(hash, y[i]);
    }
    actgen_kernel_free(kernel);
    return hash;
}

static void write_hash(const char *prefix, const char *name, unsigned log2_count, bool once)
{
    fprintf(hashes, "HASH(\"%s%s\", %s%s_kernel, %u, %d, 0x%016llx)\n", prefix, name, prefix, name,
            log2_count, once, (unsigned long long)hash_of(name, log2_count, log2_count > MOST_INTERPRETED));
}

/* Writes the hashes of all built-ins of one operand whose results are functions of one element, by the
 * profile's plans. Sets without fma lack some profiles. For a profile that is not its own, a set has one
 * built-in in four, in large samples. For its own profile, it has large samples of one in three and of
 * four more. The others have small samples. Those four have small samples at the other lengths of vectors
 * too. The emulator of texts leaves large samples to GPUs. */
static void write_hashes(const char *profile, const char *prefix)
{
    /* An emulator takes a microsecond for a result. Its large samples have every exponent with 128 values
     * of each sign, and its small ones every exponent with 8. */
    const bool is_emulated = !actgen_isa_runs_here(options.isa) && !takes_all();
    const unsigned large_log2 = is_emulated ? 16 : 20, small_log2 = is_emulated ? 12 : 14;
    static const char large[] = " gelu silu tanh sigmoid ";
    const struct target_isa *isa = target_isa_find(options.isa);
    options.accuracy = NULL;
    if (target_profile_find(profile)->profile.fma && !isa->profile.fma) return;
    options.profile = profile;
    const bool is_own = !strcmp(profile, isa->profile.name);
    builtin_number = 0;
    actgen_builtins(is_own ? add_every_builtin : add_builtin, (void *)(uintptr_t) "f32", NULL);
    size_t unary = 0;
    for (size_t k = 0; k < kernel_count; k++) {
        if (actgen_kernel_operand_count(kernels[k]) == 2 && !has_workspace(kernels[k]))
            kernels[unary++] = kernels[k];
        else
            actgen_kernel_free(kernels[k]);
    }
    kernel_count = unary;
    write_object(prefix, "hashed.o");
    for (size_t k = 0; k < kernel_count; k++) {
        const char *const kernel = actgen_kernel_name(kernels[k]);
        char name[64];
        snprintf(name, sizeof name, " %s ", kernel);
        const bool always = strstr(large, name);
        const bool is_large = always || !is_own || is_taken(k, LARGE_STEP);
        fprintf(hashes, "HASHED(%s%s_kernel)\n", prefix, kernel);
        if (always || !is_large || target_has_grid(isa)) write_hash(prefix, kernel, small_log2, !always);
        if (is_large) write_hash(prefix, kernel, large_log2, true);
    }
    while (kernel_count) actgen_kernel_free(kernels[--kernel_count]);
    options.profile = NULL;
}

static void write_all(void **state)
{
    (void)state;
    matrix_open(&m);
    data = cross_create("", "data.bin");
    table = cross_create("", "table.inc");
    assert_int_equal(actgen_engine_create(&engine, NULL), ACTGEN_OK);
    while (strcmp(target_isa_at(isa_number)->name, options.isa)) isa_number++;
    hashes = cross_create("", "hashes.inc");
    write_hashes("portable", "portable_");
    write_hashes("portable-nofma", "nofma_");
    assert_int_equal(fclose(hashes), 0);
    if (!only_type || strcmp(only_type, "hashes") != 0) cross_write_ops(options.isa, table, data);
    for (size_t i = 0; i < sizeof all_series / sizeof *all_series; i++)
        if (!only_type || !strcmp(only_type, all_series[i].type)) write_series(&all_series[i]);
    if (!only_type) write_random_series();
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
    if (only_type && !strcmp(only_type, "hashes") && !actgen_isa_runs_here(options.isa))
        return printf("%s is not on this processor\n", options.isa), 0;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
