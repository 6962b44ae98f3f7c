/* Tests of what machine code does to the stack, and that a debugger can walk through the stack.
 *
 * Spilled vectors lie at multiples of their size, because a store or load across a page takes a hundred times
 * as long. The test looks at all built-ins, at two bounds, on all instruction sets. It also looks at a sample
 * of them with operands of other types, at other bounds, and of their gradients. ACTGEN_TEST_ALL in the
 * environment adds all of these. For other machines whose vectors have one length, it looks at a sample at
 * two bounds. Vectors of the processor's own length lie a whole number of vectors from the end of their
 * frame. No stack aligns that frame to more than 16 bytes. A kernel that ends in a fault has its callers in
 * the backtrace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtins.h"
#include "engine.h"
#include "isas.h"

#include <execinfo.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LONGEST_ASSEMBLY = 1 << 20 };

struct text {
    char data[LONGEST_ASSEMBLY];
    size_t size;
};
static struct text assembly;
static unsigned spills, looked_at;
/* The test looks at each step-th built-in, at others each day. */
static unsigned seen, step = 1;
/* The test looks at each others_step-th kernel of the others. */
static unsigned others, others_step = 251;
enum { OTHER_MACHINES_STEP = 5 };

static int take(void *payload, const void *data, size_t size)
{
    struct text *t = payload;
    if (size >= sizeof t->data - t->size) return 1;
    memcpy(t->data + t->size, data, size);
    t->size += size;
    t->data[t->size] = 0;
    return 0;
}

/* Returns true if the line moves a vector between a register and the frame, as a spill does. */
static bool moves_spill(const char *line, const char *const moves[3])
{
    if (!strstr(line, "(%rsp") && !strstr(line, "(%rbp")) return false;
    return strstr(line, moves[0]) || strstr(line, moves[1]) || strstr(line, moves[2]);
}

/* The kinds of access of an instruction to the frame. */
enum frame_access { NO_SPILL, ALIGNED_SPILL, UNALIGNED_SPILL };

static enum frame_access access_of_x86(const char *line)
{
    static const char *const of_whole_vectors[] = {"movaps", "movapd", "movdqa"};
    static const char *const of_any_address[] = {"movups", "movupd", "movdqu"};
    return moves_spill(line, of_any_address)     ? UNALIGNED_SPILL
           : moves_spill(line, of_whole_vectors) ? ALIGNED_SPILL
                                                 : NO_SPILL;
}

/* Sets whose stacks are aligned to their vectors, or to 8 bytes on z, where vectors are too. A row holds
 * the beginnings of instructions that move a vector, the text before and after its offset in the frame,
 * and the alignment of that offset. */
static const struct other_frame {
    const char *isa, *moves[4], *before[2], *behind;
    long alignment;
} other_frames[] = {
    {"neon", {"str\tq", "stur\tq", "stp\tq"}, {"[sp, #", "[x29, #"}, "]", 16},
    {"armv7", {"vstr\td"}, {"[sp, #", "[r11, #"}, "]", 8},
    {"s390x", {"vst\t", "vstm\t"}, {", ", ", "}, "(%r1", 8},
};

static enum frame_access access_of(const struct other_frame *f, const char *line)
{
    bool moves = false;
    for (size_t i = 0; i < 4 && f->moves[i]; i++) moves = moves || strstr(line, f->moves[i]);
    for (size_t i = 0; moves && i < 2; i++) {
        const char *at = strstr(line, f->before[i]);
        char *end;
        const long offset = at ? strtol(at + strlen(f->before[i]), &end, 10) : 0;
        if (at && !strncmp(end, f->behind, strlen(f->behind)))
            return offset % f->alignment ? UNALIGNED_SPILL : ALIGNED_SPILL;
    }
    return NO_SPILL;
}

/* Checks the frame of a kernel. `other` is NULL on this machine's architecture. */
static void check_frame(const actgen_kernel *kernel, const struct other_frame *other, const char *type,
                        const char *bound)
{
    assembly.size = 0;
    assert_int_equal(actgen_show(kernel, ACTGEN_STAGE_ASM, take, &assembly, NULL), 0);
    for (char *line = assembly.data, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = 0;
        const enum frame_access access = other ? access_of(other, line) : access_of_x86(line);
        spills += access == ALIGNED_SPILL;
        if (access == UNALIGNED_SPILL)
            fail_msg("%s of %s (%s, %s):%s", actgen_kernel_name(kernel), type, actgen_kernel_isa(kernel),
                     bound, line);
    }
    looked_at++;
}

/* Compiles a kernel. Returns NULL where no plan keeps the bound. */
static actgen_kernel *compile(const actgen_spec *spec, const char *name, const char *isa, const char *bound)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_kernel *kernel;
    options.isa = isa;
    options.accuracy = bound;
    options.interpret = 1;
    const int status = actgen_compile(&kernel, engine, spec, name, &options, &error);
    if (status && status != ACTGEN_EACCURACY) fail_msg("%s", error.message);
    return status ? NULL : kernel;
}

static actgen_spec *of_type(const char *name, const char *type)
{
    actgen_spec *spec;
    if (actgen_spec_builtin_typed(&spec, name, type, &error)) fail_msg("%s: %s", name, error.message);
    return spec;
}

/* Returns a spec in which the gradient is the kernel "backward". The built-in's own name may be one that
 * no kernel can have. */
static actgen_spec *gradient_of(const char *name, const char *type)
{
    static char text[2048];
    actgen_spec *spec = of_type(name, type);
    actgen_kernel *kernel = compile(spec, NULL, NULL, "abs 2^-8");
    assembly.size = 0;
    assert_int_equal(actgen_show(kernel, ACTGEN_STAGE_SPEC, take, &assembly, NULL), 0);
    const char *operands = strchr(assembly.data, '(');
    assert_non_null(operands);
    const int size =
        snprintf(text, sizeof text, "kernel forward%s\nkernel backward = gradient forward\n", operands);
    assert_true(size > 0 && (size_t)size < sizeof text);
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
    return parse(text);
}

static void check_kernel(const char *name, const char *type, bool backward, const char *isa,
                         const char *bound)
{
    actgen_spec *spec = backward ? gradient_of(name, type) : of_type(name, type);
    actgen_kernel *kernel = compile(spec, backward ? "backward" : NULL, isa, bound);
    if (kernel) check_frame(kernel, NULL, type, bound ? bound : "default");
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
}

static void check_builtin(const char *name, const char *type)
{
    static const char *const bounds[] = {NULL, "abs 2^-22", "1 ulp", "abs 2^-10"};
    enum { BOUNDS = 4, USUAL_BOUNDS = 2 };
    for (size_t isa = 0; own_isa(isa); isa++)
        for (size_t k = 0; k < 2 * BOUNDS; k++) {
            const bool is_usual = !strcmp(type, "f32") && k < USUAL_BOUNDS;
            if (is_usual || others++ % others_step == 0 || takes_all())
                check_kernel(name, type, k >= BOUNDS, own_isa(isa), bounds[k % BOUNDS]);
        }
}

static int visit_builtin(void *payload, const actgen_builtin *builtin)
{
    static const char *const types[] = {"f32", "f64", "f16", "bf16"};
    (void)payload;
    if (builtin->alias_of || !is_row_of_today(seen++, step)) return 0;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (is_made_of(builtin, types[t])) check_builtin(builtin->name, types[t]);
    return 0;
}

static void spilled_vectors_are_aligned(void **state)
{
    (void)state;
    assert_int_equal(actgen_builtins(visit_builtin, NULL, NULL), 0);
    print_message("  %u kernels, %u spilled vectors\n", looked_at, spills);
    assert_true(spills > 100 / step); /* Otherwise the assembly has another form than this test expects. */
}

static int visit_for_others(void *payload, const actgen_builtin *builtin)
{
    static const char *const bounds[] = {NULL, "1 ulp"};
    const struct other_frame *f = payload;
    if (builtin->alias_of || others++ % (step > 1 ? 2 * OTHER_MACHINES_STEP : OTHER_MACHINES_STEP)) return 0;
    actgen_spec *spec = of_type(builtin->name, "f32");
    for (size_t b = 0; b < 2; b++) {
        actgen_kernel *kernel = compile(spec, NULL, f->isa, bounds[b]);
        if (kernel) check_frame(kernel, f, "f32", bounds[b] ? bounds[b] : "default");
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
    return 0;
}

static void spilled_vectors_of_other_machines_are_aligned(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof other_frames / sizeof *other_frames; i++) {
        struct other_frame f = other_frames[i];
        spills = looked_at = 0;
        assert_int_equal(actgen_builtins(visit_for_others, &f, NULL), 0);
        print_message("  %s: %u kernels, %u spilled vectors\n", f.isa, looked_at, spills);
        assert_true(spills > 10 / step);
    }
}

/* ---- loops ---- */

/* Loops whose vectors fit the registers if a turn has one of them, or if the constants are in memory. */
static const struct {
    const char *name, *type, *bound;
} fitting[] = {{"log2", "f32", "abs 2^-20"}, {"log", "f32", "abs 2^-10"}, {"atan", "f32", "2 ulp"},
               {"erf", "f32", "2 ulp"},      {"mish", "f16", "1 ulp"},    {"laplace", "f16", "3 ulp"}};

static void loops_that_fit_the_registers_spill_nothing(void **state)
{
    (void)state;
    unsigned wrong = 0;
    if (strcmp(actgen_isa_architecture("host"), "x86-64") != 0) skip();
    for (size_t i = 0; i < sizeof fitting / sizeof *fitting; i++) {
        const unsigned before = spills;
        check_kernel(fitting[i].name, fitting[i].type, false, "avx2", fitting[i].bound);
        if (spills == before) continue;
        print_error("%s of %s within %s: %u spilled vectors\n", fitting[i].name, fitting[i].type,
                    fitting[i].bound, spills - before);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- walking ---- */

enum { MOST_FRAMES = 64 };

static sigjmp_buf back;
/* The address to which the kernel's caller returns. */
static void *volatile caller;
static volatile sig_atomic_t caller_found;

static void walk(int signal_number)
{
    void *frames[MOST_FRAMES];
    const int count = backtrace(frames, MOST_FRAMES);
    for (int i = 0; i < count; i++) caller_found |= frames[i] == caller;
    siglongjmp(back, signal_number);
}

__attribute__((noinline)) static void call(actgen_fn run, const actgen_operand *operands)
{
    caller = __builtin_return_address(0);
    run(1, 1000, operands);
    caller = NULL; /* This statement keeps the call from being the function's last. */
}

static void kernels_are_walked_through(void **state)
{
    (void)state;
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    void *forbidden = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    float y[1000];
    const actgen_operand operands[] = {{forbidden, 0}, {y, 0}};
    struct sigaction action = {.sa_handler = walk}, before;
    actgen_spec *spec;
    actgen_kernel *kernel;
    assert_true(forbidden != MAP_FAILED);
    assert_int_equal(actgen_spec_builtin(&spec, "gelu", NULL), 0);
    assert_int_equal(actgen_compile(&kernel, engine, spec, NULL, NULL, NULL), 0);
    assert_non_null(actgen_kernel_fn(kernel));
    void *first[1];
    /* The first call of backtrace loads a library, which must happen before the fault. */
    backtrace(first, 1);
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
    if (!sigsetjmp(back, 1)) call(actgen_kernel_fn(kernel), operands);
    assert_int_equal(sigaction(SIGSEGV, &before, NULL), 0);
    assert_non_null(caller); /* The fault came. */
    assert_true(caller_found);
    munmap(forbidden, size);
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(spilled_vectors_are_aligned),
                                       cmocka_unit_test(spilled_vectors_of_other_machines_are_aligned),
                                       cmocka_unit_test(loops_that_fit_the_registers_spill_nothing),
                                       cmocka_unit_test(kernels_are_walked_through)};
    step = argument_count > 1 || takes_all() ? step_argument(argument_count, arguments, 1) : 2;
    others_step *= step;
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
