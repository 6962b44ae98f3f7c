/* Tests of emitting and loading: several instruction sets in one object, equal symbols, threads, constant
 * memory use and errors. A test also checks that a wrong op is noticed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "llvm_subject.h"
#include "object.h"
#include "skipping.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool runs_right(const struct subject *s, kernel_fn *run, uint64_t seed)
{
    struct expectation *e = malloc(sizeof *e), *got = malloc(sizeof *got);
    struct operand operands[MOST_OPERANDS] = {{0}};
    bool right = e && got;
    if (right) {
        expect(e, s, seed);
        *got = *e;
        for (uint32_t k = 0; k < s->inputs + s->results; k++) operands[k].data = got->values[k];
        for (uint32_t k = s->inputs; k < s->inputs + s->results; k++)
            memset(got->values[k], 0, sizeof *got->values);
        run(1, MOST_ELEMENTS, operands);
        for (uint32_t k = 0; k < s->inputs + s->results; k++)
            right &= same_floats(got->values[k], e->values[k], MOST_ELEMENTS);
    }
    free(e);
    free(got);
    return right;
}

/* Emits each op wrongly in turn. The comparison on which all other tests rely must then fail. */
static void test_broken_ops(void **state)
{
    (void)state;
    for (enum lane_op op = 0; op < LANE_OP_COUNT; op++) {
        if (op == LANE_LOAD || op == LANE_STORE) continue;
        struct subject s;
        /* The program begins with this op. */
        prepare(&s, target_isa_find("host"), op + 1u, op + LANE_OP_COUNT - 1, 1);
        bool has = false;
        for (uint32_t n = 0; n < s.program->count; n++) has |= s.program->code[n].op == op;
        if (has || op != LANE_FMA) { /* Baseline x86-64 has no fma. */
            assert_true(has);
            compile(&s, &(struct backend_options){.broken_op = lane_ops[op].name});
            if (runs_right(&s, s.run, op)) fail_msg("a wrong %s is not noticed", lane_ops[op].name);
        }
        dispose(&s);
    }
}

static void test_several_isas_in_one_object(void **state)
{
    (void)state;
    enum { MOST = 8 };
    struct subject s[MOST];
    struct backend_function functions[MOST];
    struct backend_buffer object;
    loader_code *code = NULL;
    struct diag error = {0};
    size_t count = 0; /* The first sets of the table are of one architecture. */
    while (count < target_isa_count() && target_isa_at(count)->architecture == target_isa_at(0)->architecture)
        count++;
    assert_true(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        prepare(&s[i], target_isa_at(i), 7 + i, 20, 5);
        functions[i] = s[i].function;
        functions[i].symbol = target_isa_at(i)->name;
    }
    assert_int_equal(backend_emit(functions, count, NULL, BACKEND_OBJECT, &object, &error), 0);
    assert_int_equal(loader_load(&code, object.data, object.size, &error), 0);
    for (size_t i = 0; i < count; i++) {
        kernel_fn *run;
        void *address = loader_symbol(code, functions[i].symbol, &error);
        assert_non_null(address);
        memcpy(&run, &address, sizeof run);
        if (target_isa_runs_here(target_isa_at(i))) assert_true(runs_right(&s[i], run, i));
        dispose(&s[i]);
    }
    assert_null(loader_symbol(code, "nothing", &error));
    assert_int_equal(error.status, DIAG_BACKEND);
    loader_free(code);
    backend_buffer_free(&object);
}

static void test_equal_symbols_do_not_meet(void **state)
{
    (void)state;
    struct subject a, b;
    prepare(&a, target_isa_find("host"), 4, 0, 3);
    prepare(&b, target_isa_find("host"), 5, 30, 3);
    compile(&a, NULL);
    compile(&b, NULL);
    assert_ptr_not_equal(a.run, b.run);
    assert_true(runs_right(&a, a.run, 1) && runs_right(&b, b.run, 2));
    dispose(&a);
    assert_true(runs_right(&b, b.run, 3)); /* This function outlives the other one. */
    dispose(&b);
}

static void test_same_bytes_twice(void **state)
{
    (void)state;
    struct subject s;
    struct backend_buffer again;
    prepare(&s, target_isa_find("host"), 9, 10, 8);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &s.object, NULL), 0);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &again, NULL), 0);
    assert_int_equal(s.object.size, again.size);
    assert_memory_equal(s.object.data, again.data, again.size);
    backend_buffer_free(&again);
    dispose(&s);
}

/* Checks that the target machine that a call leaves serves the next call of its kind, and changes no byte. */
static void test_spare_machine(void **state)
{
    static const struct {
        const char *isa;
        /* True if the machine stays from the row before. */
        bool quick, is_kept;
    } rows[] = {{"host", false, false}, {"host", false, true},  {"host", true, false}, {"host", true, true},
                {"neon", true, false},  {"host", false, false}, {"neon", false, false}};
    (void)state;
    struct backend_spare spare = {0};
    const void *before = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct subject s;
        struct backend_buffer with_spare;
        const struct backend_options alone = {.quick = rows[i].quick},
                                     sharing = {.quick = rows[i].quick, .spare = &spare};
        prepare(&s, target_isa_find(rows[i].isa), 9, 10, 8);
        assert_int_equal(backend_emit(&s.function, 1, &alone, BACKEND_OBJECT, &s.object, NULL), 0);
        assert_int_equal(backend_emit(&s.function, 1, &sharing, BACKEND_OBJECT, &with_spare, NULL), 0);
        assert_int_equal(s.object.size, with_spare.size);
        assert_memory_equal(s.object.data, with_spare.data, with_spare.size);
        if (rows[i].is_kept) assert_ptr_equal(spare.machine, before);
        before = spare.machine;
        assert_non_null(before);
        backend_buffer_free(&with_spare);
        dispose(&s);
    }
    backend_spare_clear(&spare);
    assert_null(spare.machine);
}

static void *compile_and_run(void *argument)
{
    bool *right = argument;
    *right = true;
    for (unsigned n = 0; n < 6; n++) {
        struct subject s;
        struct diag error = {0};
        void *address = NULL;
        if (!prepare_quietly(&s, target_isa_find("host"), n, 12 * n, 4)) return *right = false, NULL;
        *right &= !backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &s.object, &error) &&
                  !loader_load(&s.code, s.object.data, s.object.size, &error) &&
                  (address = loader_symbol(s.code, "kernel", &error)) != NULL;
        memcpy(&s.run, &address, sizeof address);
        if (*right) *right = runs_right(&s, s.run, n);
        dispose(&s);
    }
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    bool right[THREADS];
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, compile_and_run, &right[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        pthread_join(threads[t], NULL);
        assert_true(right[t]);
    }
}

static size_t resident_bytes(void)
{
    unsigned long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f) return 0;
    if (fscanf(f, "%*u %lu", &pages) != 1) pages = 0;
    fclose(f);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void test_no_growth(void **state)
{
    (void)state;
    struct subject s;
    size_t before = 0;
    enum { EMITTED = 60, LINKED = 400 };
    prepare(&s, target_isa_find("host"), 3, 0, 0);
    for (int i = 0; i < LINKED; i++) {
        if (i == LINKED / 4) before = resident_bytes();
        if (i < EMITTED) {
            backend_buffer_free(&s.object);
            assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &s.object, NULL), 0);
        }
        assert_int_equal(loader_load(&s.code, s.object.data, s.object.size, NULL), 0);
        loader_free(s.code);
    }
    s.code = NULL;
    size_t after = resident_bytes();
#if !defined(__SANITIZE_ADDRESS__) /* A sanitizer keeps freed memory. */
    assert_true(before && after < before + 512 * 1024);
#else
    (void)before, (void)after;
#endif
    dispose(&s);
}

static void test_texts(void **state)
{
    (void)state;
    struct subject s;
    struct backend_buffer text;
    prepare(&s, target_isa_find("host"), 3, 0, 0);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_ASSEMBLY, &text, NULL), 0);
    assert_non_null(strstr(text.data, "kernel:"));
    backend_buffer_free(&text);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_IR, &text, NULL), 0);
    assert_non_null(strstr(text.data, "define hidden void @kernel("));
    backend_buffer_free(&text);
    assert_int_equal(strncmp(backend_version(), "LLVM ", 5), 0);
    dispose(&s);
}

/* Stores a to y, then b to z, where b is loaded last and y lies on b. Then z must hold the old b. */
static void test_loads_come_before_stores(void **state)
{
    (void)state;
    struct subject s = {.memory = arena_create(0)};
    struct target_profile profile = target_isa_find("host")->profile;
    if (!s.memory || setjmp(*arena_escape(s.memory))) fail();
    s.program = lane_create(s.memory, &profile);
    lane_store(s.program, lane_load(s.program, LANE_F32, 0), 2);
    lane_store(s.program, lane_load(s.program, LANE_F32, 1), 3);
    describe(&s, target_isa_find("host"), 2, 2);
    compile(&s, NULL);
    float a[100], b[100], z[100];
    for (int i = 0; i < 100; i++) a[i] = (float)i, b[i] = (float)-i, z[i] = 0;
    s.run(1, 100, (struct operand[]){{a, 0}, {b, 0}, {b, 0}, {z, 0}});
    for (int i = 0; i < 100; i++) assert_true(b[i] == (float)i && z[i] == (float)-i);
    dispose(&s);
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    struct subject s;
    prepare(&s, target_isa_find("host"), 3, 0, 0);
    compile(&s, &(struct backend_options){.streaming_bytes = 1});
    s.run(0, 5, NULL);
    s.run(5, 0, NULL);
    s.run(0, 0, NULL);
    dispose(&s);
}

/* A wrong call made from a right one, with the status that it must give. */
enum wrong {
    FMA_ON_BASELINE,
    OPERAND_TYPE,
    RESULT_SHAPE,
    PART_OF_NOTHING,
    NO_SUCH_OPERAND,
    LOADS_A_RESULT,
    NEVER_STORED,
    BROKEN_NAME,
    WRONGS
};

static int emit_wrongly(enum wrong what, struct diag *error)
{
    static const int unknown = 1000;
    struct subject s;
    struct backend_options options = {0};
    struct backend_buffer out;
    prepare(&s, target_isa_find("avx2"), 9, 0, 0); /* The program has one input and one result. */
    switch (what) {
    case FMA_ON_BASELINE: s.function.isa = target_isa_find("x86-64"); break;
    case OPERAND_TYPE: s.operands[0].type = ELEMENT_U64; break;
    case RESULT_SHAPE: s.operands[1].shape = SHAPE_COLS; break;
    case PART_OF_NOTHING: s.operands[0].parts = 2; break;
    case NO_SUCH_OPERAND: s.kernel.operand_count = 1; break;
    case LOADS_A_RESULT: s.operands[0].is_result = true; break;
    case NEVER_STORED:
        s.operands[2] = s.operands[1];
        s.kernel.operand_count = 3;
        break;
    case BROKEN_NAME: options.broken_op = "nothing"; break;
    default: return unknown;
    }
    int status = backend_emit(&s.function, 1, &options, BACKEND_OBJECT, &out, error);
    assert_null(out.data);
    dispose(&s);
    return status;
}

static void test_wrong_calls(void **state)
{
    (void)state;
    static const int wanted[WRONGS] = {DIAG_TARGET,  DIAG_NOT_YET, DIAG_NOT_YET, DIAG_INVALID,
                                       DIAG_INVALID, DIAG_INVALID, DIAG_INVALID, DIAG_INVALID};
    for (int what = 0; what < WRONGS; what++) {
        struct diag error = {0};
        assert_int_equal(emit_wrongly((enum wrong)what, &error), wanted[what]);
        assert_int_equal(error.status, wanted[what]);
        assert_true(error.message[0] != 0);
    }
}

static void test_two_kernels_of_one_symbol(void **state)
{
    (void)state;
    struct subject s;
    struct backend_buffer out;
    prepare(&s, target_isa_find("host"), 1, 0, 0);
    struct backend_function twice[] = {s.function, s.function};
    assert_int_equal(backend_emit(twice, 2, NULL, BACKEND_OBJECT, &out, NULL), DIAG_INVALID);
    assert_int_equal(backend_emit(twice, 0, NULL, BACKEND_OBJECT, &out, NULL), DIAG_INVALID);
    dispose(&s);
}

static void test_damaged_objects(void **state)
{
    (void)state;
    struct subject s;
    loader_code *code;
    prepare(&s, target_isa_find("host"), 1, 0, 3);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &s.object, NULL), 0);
    struct backend_buffer object = s.object;
    for (size_t size = 0; size < s.object.size; size += 1 + size / 3) { /* The object is cut short. */
        struct diag error = {0};
        object.size = size;
        assert_int_equal(loader_load(&code, object.data, object.size, &error), DIAG_BACKEND);
        assert_null(code);
        assert_true(error.message[0] != 0);
    }
    memset(s.object.data, 0, s.object.size);
    assert_int_equal(loader_load(&code, s.object.data, s.object.size, NULL), DIAG_BACKEND);
    dispose(&s);
}

/* Loads this program itself, which needs the C library. An object must never need it. */
static void test_undefined_symbols_are_refused(void **state)
{
    (void)state;
    FILE *f = fopen("/proc/self/exe", "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    struct backend_buffer self = {malloc(size), size};
    struct diag error = {0};
    rewind(f);
    assert_non_null(self.data);
    assert_int_equal(fread(self.data, 1, size, f), size);
    fclose(f);
    assert_int_equal(object_check(&self, &error), DIAG_BACKEND);
    assert_non_null(strstr(error.message, "from outside"));
    backend_buffer_free(&self);
}

/* Runs in a child that has given up the right to make memory executable, as SELinux or a sandbox
 * may take it away. */
static void test_forbidden_code_is_an_error(void **state)
{
    (void)state;
    enum { DENY_WRITE_EXECUTE = 65 /* PR_SET_MDWE */, REFUSE_GAIN = 1, UNKNOWN_HERE = 77 };
    struct subject s;
    prepare(&s, target_isa_find("host"), 3, 0, 0);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &s.object, NULL), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        struct diag error = {0};
        if (prctl(DENY_WRITE_EXECUTE, REFUSE_GAIN, 0, 0, 0)) _exit(UNKNOWN_HERE);
        int status = loader_load(&s.code, s.object.data, s.object.size, &error);
        _exit(status == DIAG_BACKEND && strstr(error.message, "executable") ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    dispose(&s);
    if (WEXITSTATUS(status) == UNKNOWN_HERE) SKIP_BECAUSE("the kernel cannot deny writable code");
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_ops),
        cmocka_unit_test(test_several_isas_in_one_object),
        cmocka_unit_test(test_equal_symbols_do_not_meet),
        cmocka_unit_test(test_same_bytes_twice),
        cmocka_unit_test(test_spare_machine),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_no_growth),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_loads_come_before_stores),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_two_kernels_of_one_symbol),
        cmocka_unit_test(test_damaged_objects),
        cmocka_unit_test(test_undefined_symbols_are_refused),
        cmocka_unit_test(test_forbidden_code_is_an_error),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
