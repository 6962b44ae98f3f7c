/* Tests of hosts that do unusual things: a kernel runs in a signal handler, in a process that may do nothing
 * but compute, where no code may be made executable, and in children of a process that is planning. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine.h"
#include "skipping.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { COUNT = 77 };

/* A kernel, its inputs, and the results of the interpreter. */
static actgen_kernel *gelu;
static actgen_fn function;
static float inputs[COUNT], wanted[COUNT];

static bool is_right(const float *results) { return memcmp(results, wanted, sizeof wanted) == 0; }

/* Returns true if machine code gives what the interpreter gave. Calls nothing else, as a signal handler
 * must. */
static bool code_is_right(void)
{
    float results[COUNT] = {0};
    const actgen_operand operands[] = {{inputs, 0}, {results, 0}};
    function(1, COUNT, operands);
    return is_right(results);
}

static actgen_engine *engine_without_cache(void)
{
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *without = NULL;
    options.cache_directory = "";
    actgen_engine_create_with(&without, &options, &error);
    return without;
}

static int before_llvm; /* How `compile_without_code` ended where LLVM had not been loaded. */
static int end_of_child(int (*work)(void));
static int compile_without_code(void);

static int make_kernel(void **state)
{
    before_llvm = end_of_child(compile_without_code);
    if (open_engine(state) || actgen_compile_builtin(&gelu, engine, "gelu", NULL, NULL, &error)) return -1;
    for (int i = 0; i < COUNT; i++) inputs[i] = 0.25F * (float)(i - COUNT / 2);
    const actgen_operand operands[] = {{inputs, 0}, {wanted, 0}};
    function = actgen_kernel_fn(gelu);
    return actgen_interpret(gelu, 1, COUNT, operands, 2, &error);
}

static int free_kernel(void **state)
{
    actgen_kernel_free(gelu);
    return close_engine(state);
}

/* Waits for a child. Returns its exit code, or -1 after a signal. */
static int end_of(pid_t child)
{
    int status;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {}
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* -- signal handlers -- */

static volatile sig_atomic_t runs, wrong_runs;

static void run_kernel(int signal_number)
{
    (void)signal_number;
    runs++;
    if (!code_is_right()) wrong_runs++;
}

/* Runs the kernel in a handler whenever a few milliseconds of processor time are over, while this thread
 * plans, makes code and runs it. */
static void kernels_run_in_signal_handlers(void **state)
{
    enum { ENOUGH = 100, MICROSECONDS = 2000 };
    const struct itimerval often = {{0, MICROSECONDS}, {0, MICROSECONDS}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = run_kernel}, before;
    actgen_engine *without = engine_without_cache();
    bool all_right = true;
    int status = ACTGEN_OK;
    (void)state;
    if (!function) SKIP_BECAUSE("there is no machine code for this processor");
    assert_non_null(without);
    sigemptyset(&action.sa_mask);
    assert_int_equal(sigaction(SIGPROF, &action, &before), 0);
    assert_int_equal(setitimer(ITIMER_PROF, &often, NULL), 0);
    for (int n = 1; runs < ENOUGH && !status; n++) {
        actgen_kernel *kernel = NULL;
        char formula[64];
        snprintf(formula, sizeof formula, "x*tanh(%d*x/64)", n);
        status = actgen_compile_expression(&kernel, without, formula, NULL, NULL, &error);
        actgen_kernel_free(kernel);
        all_right = all_right && code_is_right();
    }
    setitimer(ITIMER_PROF, &never, NULL);
    sigaction(SIGPROF, &before, NULL);
    actgen_engine_free(without);
    if (status) fail_msg("%s", error.message);
    assert_true(all_right);
    assert_int_equal(wrong_runs, 0);
}

/* -- forks -- */

struct family {
    unsigned children, failures;
};

/* Makes a child, which runs the kernel and ends. */
static int fork_and_run(void *payload, double done, const char *what)
{
    struct family *f = payload;
    (void)done, (void)what;
    const pid_t child = fork();
    if (child == 0) _exit(code_is_right() ? 0 : 1);
    f->children++;
    f->failures += child < 0 || end_of(child) != 0;
    return 0;
}

static void planning_goes_on_after_forks(void **state)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    char hashes[2][64] = {"", ""};
    struct family family = {0, 0};
    (void)state;
    if (!function) SKIP_BECAUSE("there is no machine code for this processor");
    for (int forks = 0; forks < 2; forks++) {
        actgen_engine *without = engine_without_cache();
        actgen_kernel *kernel;
        options.progress = forks ? fork_and_run : NULL;
        options.progress_payload = &family;
        const int status =
            actgen_compile_expression(&kernel, without, "x*tanh(0.8125*x)", NULL, &options, &error);
        if (status) fail_msg("%s", error.message);
        snprintf(hashes[forks], sizeof *hashes, "%s", actgen_kernel_object_hash(kernel));
        actgen_kernel_free(kernel);
        actgen_engine_free(without);
    }
    assert_true(family.children > 0);
    assert_int_equal(family.failures, 0);
    assert_string_equal(hashes[0], hashes[1]);
}

/* -- filters of system calls -- */

#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define RETURN(what) BPF_STMT(BPF_RET | BPF_K, what)
/* Skips `count` statements unless the number that was loaded is `value`. */
#define UNLESS(value, count)    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
#define UNLESS_HAS(bits, count) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, 0, count)

static bool filter_calls(struct sock_filter *filter, size_t count)
{
    const struct sock_fprog program = {(unsigned short)count, filter};
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* From here on, this process may read, write and end. Any other call kills it. */
static bool forbid_all(void)
{
    struct sock_filter filter[] = {
        LOAD(nr),
        UNLESS(__NR_read, 1),
        RETURN(SECCOMP_RET_ALLOW),
        UNLESS(__NR_write, 1),
        RETURN(SECCOMP_RET_ALLOW),
        UNLESS(__NR_exit_group, 1),
        RETURN(SECCOMP_RET_ALLOW),
        RETURN(SECCOMP_RET_KILL_PROCESS),
    };
    return filter_calls(filter, sizeof filter / sizeof *filter);
}

/* From here on, no memory of this process becomes executable. Loading a library fails as well. */
static bool forbid_code(void)
{
    enum { PROTECTION = 2 /* the third argument of both calls */ };
    struct sock_filter filter[] = {
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_mmap, 1, 0),
        UNLESS(__NR_mprotect, 3),
        LOAD(args[PROTECTION]), /* the low word of a little-endian processor */
        UNLESS_HAS(PROT_EXEC, 1),
        RETURN(SECCOMP_RET_ERRNO | EPERM),
        RETURN(SECCOMP_RET_ALLOW),
    };
    return filter_calls(filter, sizeof filter / sizeof *filter);
}

enum { GOOD, BAD, NO_FILTER, REFUSED };

static int end_of_child(int (*work)(void))
{
    const pid_t child = fork();
    if (child == 0) _exit(work());
    return end_of(child);
}

static void check_end(int code)
{
    if (code == NO_FILTER) SKIP_BECAUSE("this system has no filters of system calls");
    assert_int_equal(code, GOOD);
}

static int run_alone(void)
{
    float results[COUNT] = {0};
    const actgen_operand operands[] = {{inputs, 0}, {results, 0}};
    if (!forbid_all()) return NO_FILTER;
    const bool good = code_is_right() && !actgen_run(gelu, 1, COUNT, operands, 2, NULL) && is_right(results);
    return good ? GOOD : BAD;
}

static void kernels_run_without_system_calls(void **state)
{
    (void)state;
    if (!function) SKIP_BECAUSE("there is no machine code for this processor");
#ifdef ACTGEN_TEST_SANITIZED
    SKIP_BECAUSE("a sanitizer makes system calls of its own");
#endif
    check_end(end_of_child(run_alone));
}

/* Compiles a formula that is not built in. Without LLVM the library runs it by the interpreter, or refuses it
 * and says why. */
static int compile_without_code(void)
{
    float results[2][COUNT] = {{0}};
    actgen_engine *without = engine_without_cache();
    actgen_kernel *kernel;
    if (!without || !forbid_code()) return without ? NO_FILTER : BAD;
    if (actgen_compile_expression(&kernel, without, "max(x, 0)*3 + x", NULL, NULL, &error))
        return error.status == ACTGEN_EBACKEND && *error.message ? REFUSED : BAD;
    for (int i = 0; i < 2; i++) {
        const actgen_operand operands[] = {{inputs, 0}, {results[i], 0}};
        if ((i ? actgen_interpret : actgen_run)(kernel, 1, COUNT, operands, 2, &error)) return BAD;
    }
    const bool is_interpreted =
        !actgen_kernel_fn(kernel) && strstr(actgen_kernel_backend(kernel), "interpreter") != NULL;
    const bool good = is_interpreted && !memcmp(results[0], results[1], sizeof *results);
    actgen_kernel_free(kernel);
    actgen_engine_free(without);
    return good ? GOOD : BAD;
}

static void where_no_code_may_be_made(void **state)
{
    (void)state;
    check_end(end_of_child(compile_without_code));
    check_end(before_llvm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_run_in_signal_handlers),
        cmocka_unit_test(planning_goes_on_after_forks),
        cmocka_unit_test(kernels_run_without_system_calls),
        cmocka_unit_test(where_no_code_may_be_made),
    };
    return cmocka_run_group_tests_name("hosts", tests, make_kernel, free_kernel);
}
