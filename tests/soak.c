/* A long run: threads compile, run, compare, verify, write and drop kernels of one engine, while files of the
 * cache are damaged, limits are too small and hosts stop calls. Memory and descriptors must stay flat, and no
 * result may differ from the interpreter's.
 *
 *     soak SECONDS [THREADS [KERNELS]]
 *
 * Before the threads start, one engine gets KERNELS kernels at the same time. scripts/soak runs the program.
 * It prints a line of counts now and then, and fails if something was wrong. */
#include "actgen.h"
#include "random_program.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 256, ROWS = 3, COLS = 70, SLICES = 20 };
enum { SLACK = 1024 }; /* Memory that may come and go, in KiB. */

enum count { COMPILED, REFUSED, RUNS, VERIFIED, WRITTEN, DAMAGED, WRONG, COUNTS };
static const char *const count_names[] = {"compiled", "refused", "runs", "verified",
                                          "written",  "damaged", "wrong"};
static atomic_ullong counts[COUNTS];
static atomic_bool is_over;
static actgen_engine *engine;
/* Each thread holds it to read during a piece of work. Whoever measures memory holds it to write. */
static pthread_rwlock_t busy = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static char folder[] = "/tmp/actgen-soak-XXXXXX";

static void note(enum count of) { atomic_fetch_add(&counts[of], 1); }

static void wrong(const char *what, const char *message)
{
    fprintf(stderr, "soak: %s: %s\n", what, message);
    note(WRONG);
}

/* Returns true if a refusal is one that the faults of this program may cause. */
static bool is_expected(int status)
{
    return status == ACTGEN_ELIMIT || status == ACTGEN_ESTOPPED || status == ACTGEN_EACCURACY ||
           status == ACTGEN_ENOTYET;
}

static int stop(void *payload, double done, const char *what)
{
    struct randomness *r = payload;
    (void)done;
    (void)what;
    return random_below(r, 4) == 0;
}

/* Writes a formula of x. Its constant is one of 1,024, so that threads meet in the engine and in the cache.
 */
static void write_formula(char *out, size_t size, struct randomness *r)
{
    static const char *const shapes[] = {
        "x*sigmoid(%g*x)",  "tanh(%g*x)/(1 + x*x)", "exp(-%g*x*x)", "max(x, %g*x) + 1",
        "x*softplus(%g*x)", "log(1 + x*x*%g)",      "gelu(%g*x)",   "if x > %g then x else erf(x)"};
    char constant[32];
    snprintf(constant, sizeof constant, "%.6g", 1 + random_below(r, 1024) / 256.0);
    const char *shape = shapes[random_below(r, sizeof shapes / sizeof *shapes)], *at = strstr(shape, "%g");
    snprintf(out, size, "%.*s%s%s", (int)(at - shape), shape, constant, at + 2);
}

static actgen_kernel *compile(struct randomness *r)
{
    static const char *const types[] = {"f32", "f32", "bf16", "f16"};
    static const char *const bounds[] = {NULL, "abs 2^-10", "3 ulp", "abs 2^-16"};
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    actgen_kernel *kernel;
    char formula[128];
    write_formula(formula, sizeof formula, r);
    options.accuracy = bounds[random_below(r, 4)];
    options.tier = (int32_t)random_below(r, 3);
    options.time_limit = random_below(r, 8) ? 0 : 0.01;
    options.memory_limit = random_below(r, 8) ? 0 : 200000;
    if (random_below(r, 8) == 0) options.progress = stop, options.progress_payload = r;
    const int status =
        actgen_compile_expression(&kernel, engine, formula, types[random_below(r, 4)], &options, &error);
    note(status ? REFUSED : COMPILED);
    if (status && !is_expected(status)) wrong(formula, error.message);
    return status ? NULL : kernel;
}

/* Compares the kernel with the interpreter, on any bits. A NaN may have another sign and payload. */
static void run(const actgen_kernel *kernel, struct randomness *r)
{
    uint64_t x[ROWS * COLS], y[2][ROWS * COLS];
    actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
    actgen_error error;
    for (size_t i = 0; i < ROWS * COLS; i++) x[i] = random_bits(r);
    memset(y, 0, sizeof y);
    const size_t rows = 1 + random_below(r, ROWS), cols = 1 + random_below(r, COLS);
    actgen_kernel_operand_info(kernel, 0, &info);
    const size_t size = actgen_type_bytes(info.type);
    for (int i = 0; i < 2; i++) {
        const actgen_operand operands[] = {{x, cols}, {y[i], cols}};
        const int status = (i ? actgen_interpret : actgen_run)(kernel, rows, cols, operands, 2, &error);
        if (status) wrong(actgen_kernel_name(kernel), error.message);
    }
    note(RUNS);
    for (size_t i = 0; i < rows * cols; i++) {
        uint32_t a = 0, b = 0;
        memcpy(&a, (char *)y[0] + i * size, size);
        memcpy(&b, (char *)y[1] + i * size, size);
        const bool both_nan = size == 4 && (a & 0x7fffffff) > 0x7f800000 && (b & 0x7fffffff) > 0x7f800000;
        const uint32_t infinity = info.type == ACTGEN_F16 ? 0x7c00 : 0x7f80;
        const bool both_short_nan = size == 2 && (a & 0x7fff) > infinity && (b & 0x7fff) > infinity;
        if (a != b && !both_nan && !both_short_nan) {
            wrong(actgen_kernel_name(kernel), "machine code and the interpreter differ");
            return;
        }
    }
}

static void verify(const actgen_kernel *kernel)
{
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    actgen_report report = ACTGEN_REPORT_INIT;
    actgen_error error;
    options.sample_log2 = ACTGEN_MIN_SAMPLE_LOG2;
    if (actgen_verify(kernel, &options, &report, &error))
        wrong("verify", error.message);
    else if (!report.ok)
        wrong(actgen_kernel_name(kernel), "does not keep its bound");
    note(VERIFIED);
}

static int swallow(void *payload, const void *data, size_t size)
{
    (void)data;
    *(size_t *)payload += size;
    return 0;
}

static void write_object(const actgen_kernel *kernel)
{
    size_t size = 0;
    actgen_error error;
    if (actgen_emit(&kernel, 1, ACTGEN_EMIT_OBJECT, NULL, swallow, &size, &error))
        wrong("emit", error.message);
    else if (!size)
        wrong("emit", "an empty object");
    note(WRITTEN);
}

/* Cuts a file of the cache, changes a byte of it, or deletes it. */
static void damage(struct randomness *r)
{
    DIR *files = opendir(folder);
    if (!files) return;
    const struct dirent *entry, *chosen = NULL;
    char name[256] = "";
    for (uint32_t n = 0; (entry = readdir(files));)
        if (entry->d_name[0] != '.' && random_below(r, ++n) == 0) chosen = entry;
    if (chosen) snprintf(name, sizeof name, "%s", chosen->d_name);
    const uint32_t how = random_below(r, 3);
    if (*name && how == 0) unlinkat(dirfd(files), name, 0);
    const int file = *name && how ? openat(dirfd(files), name, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1;
    struct stat status;
    if (file >= 0 && !fstat(file, &status) && status.st_size > 0) {
        const off_t at = (off_t)random_below(r, (uint32_t)status.st_size);
        const unsigned char byte = (unsigned char)random_bits(r);
        if (how == 1 ? ftruncate(file, at) != 0 : pwrite(file, &byte, 1, at) != 1) wrong("damage", name);
    }
    if (file >= 0) close(file);
    closedir(files);
    note(DAMAGED);
}

static void work_once(struct randomness *r)
{
    actgen_kernel *kernel = compile(r);
    if (random_below(r, 50) == 0) damage(r);
    if (!kernel) return;
    for (uint32_t n = 1 + random_below(r, 4); n; n--) run(kernel, r);
    if (random_below(r, 100) == 0) verify(kernel);
    if (random_below(r, 40) == 0) write_object(kernel);
    actgen_kernel_free(kernel);
}

static void *work(void *seed)
{
    struct randomness r = {(uint64_t)(uintptr_t)seed};
    while (!atomic_load(&is_over)) {
        pthread_rwlock_rdlock(&busy);
        work_once(&r);
        pthread_rwlock_unlock(&busy);
    }
    return NULL;
}

/* Returns the memory that is allocated while no thread works, in KiB. */
static size_t allocated(void)
{
    pthread_rwlock_wrlock(&busy);
    const struct mallinfo2 all = mallinfo2();
    pthread_rwlock_unlock(&busy);
    return (all.uordblks + all.hblkhd) / 1024;
}

/* Keeps many kernels in an engine without a cache, and checks some of them. Their plan is built in, so that
 * each takes little time. They give their memory back. */
static void keep_many(size_t count)
{
    const size_t before = allocated();
    actgen_engine_options without = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_engine *own = NULL;
    actgen_kernel **kernels = calloc(count, sizeof *kernels);
    struct randomness r = {1};
    actgen_error error;
    without.cache_directory = "";
    if (actgen_engine_create_with(&own, &without, &error)) wrong("keep", error.message);
    for (size_t i = 0; own && kernels && i < count; i++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        char text[64];
        options.tier = ACTGEN_TIER_INTERPRETER;
        const int length = snprintf(text, sizeof text, "kernel k%zu(x: f32) -> (y: f32) { y = gelu(x) }", i);
        if (actgen_compile_text(&kernels[i], own, NULL, text, (size_t)length, NULL, &options, &error))
            wrong(text, error.message);
    }
    for (size_t i = 0; kernels && i < count; i += 1 + count / 100)
        if (kernels[i]) run(kernels[i], &r);
    const size_t full = allocated();
    for (size_t i = 0; kernels && i < count; i++) actgen_kernel_free(kernels[i]);
    if (!kernels) wrong("keep", "no memory");
    free(kernels);
    actgen_engine_free(own);
    const size_t after = allocated();
    printf(
        "%zu kernels were in one engine, each with %.1f KiB. %zu KiB were allocated before, %zu KiB after\n",
        count, (double)(full - before) / (double)count, before, after);
    if (after > before + SLACK) wrong("keep", "the kernels left memory");
}

static size_t descriptors(void)
{
    size_t count = 0;
    DIR *open_files = opendir("/proc/self/fd");
    while (open_files && readdir(open_files)) count++;
    if (open_files) closedir(open_files);
    return count;
}

/* Waits for the threads in slices. Returns true if at most a little more is allocated at the end than it was
 * after a quarter of the time. */
static bool watch(unsigned seconds)
{
    size_t early = 0, now = 0;
    for (unsigned slice = 1; slice <= SLICES; slice++) {
        const double wait = (double)seconds / (double)SLICES;
        nanosleep(&(struct timespec){(time_t)wait, (long)((wait - (double)(time_t)wait) * 1e9)}, NULL);
        now = allocated();
        if (slice == SLICES / 4) early = now;
        printf("%5.0f s %7zu KiB %3zu descriptors", wait * slice, now, descriptors());
        for (int i = 0; i < COUNTS; i++) printf(", %llu %s", atomic_load(&counts[i]), count_names[i]);
        printf("\n");
        fflush(stdout);
    }
    if (now <= early + early / 10 + SLACK) return true;
    fprintf(stderr, "soak: memory grows: from %zu KiB after a quarter of the time to %zu KiB\n", early, now);
    return false;
}

static void remove_cache(void)
{
    DIR *files = opendir(folder);
    for (const struct dirent *e; files && (e = readdir(files));) unlinkat(dirfd(files), e->d_name, 0);
    if (files) closedir(files);
    rmdir(folder);
}

int main(int count, char **arguments)
{
    const unsigned seconds = count > 1 ? (unsigned)strtoul(arguments[1], NULL, 10) : 0;
    const size_t threads = count > 2 ? strtoul(arguments[2], NULL, 10) : 64;
    pthread_t running[MOST_THREADS];
    actgen_engine_options options = ACTGEN_ENGINE_OPTIONS_INIT;
    actgen_error error;
    if (!seconds || !threads || threads > MOST_THREADS || !mkdtemp(folder)) {
        fprintf(stderr, "usage: soak SECONDS [THREADS [KERNELS]], with 1 to %d threads\n", MOST_THREADS);
        return 2;
    }
    options.cache_directory = folder;
    options.cache_limit = 8 << 20; /* so small that files are deleted while others look for them */
    if (actgen_engine_create_with(&engine, &options, &error)) {
        fprintf(stderr, "soak: %s\n", error.message);
        return 1;
    }
    if (count > 3) keep_many(strtoul(arguments[3], NULL, 10));
    const size_t before = descriptors();
    for (size_t i = 0; i < threads; i++)
        if (pthread_create(&running[i], NULL, work, (void *)(uintptr_t)(i + 1))) abort();
    bool is_flat = watch(seconds);
    atomic_store(&is_over, true);
    for (size_t i = 0; i < threads; i++) pthread_join(running[i], NULL);
    if (descriptors() != before) {
        fprintf(stderr, "soak: %zu descriptors were open before, and %zu are now\n", before, descriptors());
        is_flat = false;
    }
    actgen_engine_free(engine);
    remove_cache();
    return atomic_load(&counts[WRONG]) || !is_flat;
}
