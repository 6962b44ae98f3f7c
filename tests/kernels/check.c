/* Calls every function of libactgen-kernels and compares its results with the interpreter's.
 *
 *     check LIBRARY LIST...     a list is written by kernels/write.c
 *
 * ACTGEN_ISA chooses the instruction set of both. Inputs are special values, random bits and numbers of usual
 * size. The first call of each function comes from several threads at once. */
#include <actgen.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 2051, ROWS = 3, COLS = 683, SHORTEST = 70, MOST_OPERANDS = 6, THREADS = 4, LINE = 512 };

typedef void any_fn(void);

/* A line of a list, and its kernel. */
struct subject {
    char symbol[128], builtin[64], direction[16], shape[16], type[8];
    char bound[32]; /* "default", or the bound of the function's code */
    any_fn *function;
    actgen_kernel *kernel;
    size_t operands;
    bool rows;
    actgen_operand_info info[MOST_OPERANDS];
};

/* The memory of a call. */
struct memory {
    void *data[MOST_OPERANDS], *workspace;
};

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) / 64 * 64 + 64);
    if (!memory) stop("check", "out of memory");
    return memory;
}

static uint64_t random_bits(void)
{
    static uint64_t state = 1;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state;
}

static uint64_t bits_of_f64(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static uint32_t bits_of_f32(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns the bits of input i: a special value, random bits, or a number between -8 and 8. */
static uint64_t input_bits(int type, size_t i)
{
    const unsigned exponent_bits = type == ACTGEN_F64 ? 11 : type == ACTGEN_F16 ? 5 : 8;
    const unsigned width = type == ACTGEN_F64 ? 64 : type == ACTGEN_F32 ? 32 : 16;
    const unsigned fraction = width - 1 - exponent_bits;
    const uint64_t one = 1, sign = one << (width - 1), infinity = ((one << exponent_bits) - 1) << fraction;
    const uint64_t special[] = {0,
                                sign,
                                infinity,
                                sign | infinity,
                                infinity + 1,
                                1,
                                sign | 1,
                                infinity - 1,
                                sign | (infinity - 1),
                                one << fraction,
                                infinity | infinity >> 1};
    if (i < sizeof special / sizeof *special) return special[i];
    if (i % 2) return random_bits() & (sign | (sign - 1));
    const double number = ((double)(random_bits() >> 11) * 0x1p-53 - 0.5) * 16;
    if (type == ACTGEN_F64) return bits_of_f64(number);
    if (type == ACTGEN_F16) return (random_bits() % (18u << 10)) | (number < 0 ? sign : 0);
    const uint32_t bits = bits_of_f32((float)number);
    return type == ACTGEN_BF16 ? bits >> 16 : bits;
}

static uint64_t single_bits(int type)
{
    switch (type) {
    case ACTGEN_U64: return 12345;
    case ACTGEN_F64: return bits_of_f64(1e-5);
    case ACTGEN_F32: return bits_of_f32(1e-5f);
    case ACTGEN_BF16: return bits_of_f32(1e-5f) >> 16;
    default: return 0xa8;
    }
}

static size_t element_count(const struct subject *s, size_t k)
{
    const int shape = s->info[k].shape;
    return shape == ACTGEN_SHAPE_ONE    ? 1
           : shape == ACTGEN_SHAPE_COLS ? COLS
           : s->rows                    ? ROWS * COLS
                                        : ELEMENTS;
}

static void fill(const struct subject *s, struct memory *m)
{
    for (size_t k = 0; k < s->operands; k++) {
        const int type = s->info[k].type;
        const size_t size = actgen_type_bytes(type), count = element_count(s, k);
        m->data[k] = allocate(count * size);
        memset(m->data[k], 0x55, count * size);
        for (size_t i = 0; i < count && !s->info[k].is_result; i++) {
            const bool is_single = s->info[k].shape == ACTGEN_SHAPE_ONE;
            /* A special value would make a whole row NaN, so rows have only numbers of usual size. */
            const uint64_t bits = is_single ? single_bits(type) : input_bits(type, s->rows ? 100 : i + k);
            memcpy((char *)m->data[k] + i * size, &bits, size);
        }
    }
    m->workspace = s->rows ? allocate(actgen_kernel_workspace(s->kernel, ROWS, COLS)) : NULL;
}

static void release(const struct subject *s, struct memory *m)
{
    for (size_t k = 0; k < s->operands; k++) free(m->data[k]);
    free(m->workspace);
}

/* Calls the function with all pointers of the operands, and the workspace. */
static void call(const struct subject *s, void *const *p, void *workspace, size_t n)
{
    if (s->rows) {
        switch (s->operands) {
        case 2:
            ((void (*)(size_t, size_t, void *, void *, void *))s->function)(ROWS, COLS, p[0], p[1],
                                                                            workspace);
            return;
        case 4:
            ((void (*)(size_t, size_t, void *, void *, void *, void *, void *))s->function)(
                ROWS, COLS, p[0], p[1], p[2], p[3], workspace);
            return;
        case 5:
            ((void (*)(size_t, size_t, void *, void *, void *, void *, void *, void *))s->function)(
                ROWS, COLS, p[0], p[1], p[2], p[3], p[4], workspace);
            return;
        default: stop(s->symbol, "no call for so many operands of rows");
        }
    }
    switch (s->operands) {
    case 2: ((void (*)(size_t, void *, void *))s->function)(n, p[0], p[1]); return;
    case 3: ((void (*)(size_t, void *, void *, void *))s->function)(n, p[0], p[1], p[2]); return;
    case 4:
        ((void (*)(size_t, void *, void *, void *, void *))s->function)(n, p[0], p[1], p[2], p[3]);
        return;
    case 5:
        ((void (*)(size_t, void *, void *, void *, void *, void *))s->function)(n, p[0], p[1], p[2], p[3],
                                                                                p[4]);
        return;
    default: stop(s->symbol, "no call for so many operands");
    }
}

static bool is_nan(int type, uint64_t bits)
{
    switch (type) {
    case ACTGEN_F64: return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
    case ACTGEN_F32: return (bits & 0x7fffffff) > 0x7f800000;
    case ACTGEN_BF16: return (bits & 0x7fff) > 0x7f80;
    default: return (bits & 0x7fff) > 0x7c00;
    }
}

/* Compares the first `count` elements of two results, except for the bits of NaN. */
static void compare(const struct subject *s, size_t k, const void *is, const void *should, size_t count)
{
    const int type = s->info[k].type;
    const size_t size = actgen_type_bytes(type);
    for (size_t i = 0; i < count; i++) {
        uint64_t a = 0, b = 0;
        memcpy(&a, (const char *)is + i * size, size);
        memcpy(&b, (const char *)should + i * size, size);
        if (a == b || (is_nan(type, a) && is_nan(type, b))) continue;
        fprintf(stderr, "%s: %s[%zu] is %llx, and the interpreter has %llx\n", s->symbol, s->info[k].name, i,
                (unsigned long long)a, (unsigned long long)b);
        exit(1);
    }
}

static void interpret(const struct subject *s, const struct memory *m)
{
    actgen_operand operands[MOST_OPERANDS];
    actgen_error error;
    for (size_t k = 0; k < s->operands; k++) operands[k] = (actgen_operand){m->data[k], 0};
    if (actgen_interpret(s->kernel, s->rows ? ROWS : 1, s->rows ? COLS : ELEMENTS, operands, s->operands,
                         &error))
        stop(s->symbol, error.message);
}

/* -- first calls from several threads -- */

struct turn {
    const struct subject *subject;
    pthread_barrier_t *barrier;
    void *pointers[MOST_OPERANDS], *workspace;
};

static void *first_call(void *context)
{
    struct turn *t = context;
    pthread_barrier_wait(t->barrier);
    call(t->subject, t->pointers, t->workspace, ELEMENTS);
    return NULL;
}

/* Lets each thread compute results of its own, and compares them with those of `should`. */
static void check_first_calls(const struct subject *s, const struct memory *should)
{
    pthread_t threads[THREADS];
    struct turn turns[THREADS];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        turns[i] = (struct turn){.subject = s, .barrier = &barrier};
        for (size_t k = 0; k < s->operands; k++)
            turns[i].pointers[k] = s->info[k].is_result
                                       ? allocate(element_count(s, k) * actgen_type_bytes(s->info[k].type))
                                       : should->data[k];
        turns[i].workspace = s->rows ? allocate(actgen_kernel_workspace(s->kernel, ROWS, COLS)) : NULL;
        if (pthread_create(&threads[i], NULL, first_call, &turns[i])) stop("check", "no thread");
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        for (size_t k = 0; k < s->operands; k++) {
            if (!s->info[k].is_result) continue;
            compare(s, k, turns[i].pointers[k], should->data[k], element_count(s, k));
            free(turns[i].pointers[k]);
        }
        free(turns[i].workspace);
    }
    pthread_barrier_destroy(&barrier);
}

/* Compares calls of each small number of elements, and calls in place. */
static void check_short_calls(const struct subject *s, const struct memory *should)
{
    for (size_t n = 0; n <= SHORTEST; n++) {
        void *pointers[MOST_OPERANDS];
        for (size_t k = 0; k < s->operands; k++) {
            pointers[k] = should->data[k];
            if (s->info[k].is_result) memset(pointers[k] = allocate(SHORTEST * 8), 0x55, SHORTEST * 8);
        }
        call(s, pointers, NULL, n);
        for (size_t k = 0; k < s->operands; k++) {
            if (!s->info[k].is_result) continue;
            compare(s, k, pointers[k], should->data[k], n);
            for (size_t i = n * actgen_type_bytes(s->info[k].type); i < SHORTEST * 8; i++)
                if (((unsigned char *)pointers[k])[i] != 0x55)
                    stop(s->symbol, "writes after its last element");
            free(pointers[k]);
        }
    }
}

/* -- lists -- */

static void open_subject(struct subject *s, actgen_engine *engine, void *library)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = NULL, *gradient = NULL;
    actgen_error error;
    const bool backward = !strcmp(s->direction, "backward");
    void *address = dlsym(library, s->symbol);
    if (!address) stop(s->symbol, "is not in the library");
    memcpy(&s->function, &address, sizeof address);
    options.tier = ACTGEN_TIER_INTERPRETER;
    options.accuracy = strcmp(s->bound, "default") ? s->bound : NULL;
    if (actgen_spec_builtin_typed(&spec, s->builtin, s->type, &error) ||
        (backward && actgen_spec_gradient(&gradient, spec, NULL, NULL, 0, &error)) ||
        actgen_compile(&s->kernel, engine, backward ? gradient : spec,
                       actgen_spec_kernel_name(backward ? gradient : spec, backward), &options, &error))
        stop(s->symbol, error.message);
    actgen_spec_free(gradient);
    actgen_spec_free(spec);
    s->rows = !strcmp(s->shape, "rows");
    s->operands = actgen_kernel_operand_count(s->kernel);
    if (s->operands > MOST_OPERANDS) stop(s->symbol, "has too many operands");
    for (size_t k = 0; k < s->operands; k++) {
        s->info[k] = (actgen_operand_info)ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(s->kernel, k, &s->info[k]);
    }
}

static void check_subject(struct subject *s, actgen_engine *engine, void *library)
{
    struct memory should;
    open_subject(s, engine, library);
    fill(s, &should);
    interpret(s, &should);
    check_first_calls(s, &should);
    if (!s->rows) check_short_calls(s, &should);
    release(s, &should);
    actgen_kernel_free(s->kernel);
}

static size_t check_list(const char *path, actgen_engine *engine, void *library)
{
    char line[LINE];
    size_t count = 0;
    FILE *list = fopen(path, "r");
    if (!list) stop(path, "cannot be read");
    for (; fgets(line, sizeof line, list); count++) {
        struct subject s = {0};
        if (sscanf(line, "%127s %63s %15s %15s %7s %31[^\n]", s.symbol, s.builtin, s.direction, s.shape,
                   s.type, s.bound) != 6)
            stop(path, line);
        check_subject(&s, engine, library);
    }
    fclose(list);
    return count;
}

int main(int count, char **arguments)
{
    actgen_engine *engine;
    actgen_error error;
    size_t functions = 0;
    if (count < 3) stop("usage", "check LIBRARY LIST...");
    void *library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) stop(arguments[1], dlerror());
    if (actgen_engine_create(&engine, &error)) stop("engine", error.message);
    for (int i = 2; i < count; i++) functions += check_list(arguments[i], engine, library);
    printf("%zu functions have the interpreter's bits on %s\n", functions, actgen_host_isa());
    actgen_engine_free(engine);
    return !functions;
}
