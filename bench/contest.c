/* The contestants: actgen's kernels, compiled in this process, and the loops of the other libraries. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const bench_functions[] = {"gelu",    "gelu_tanh", "gelu_sigmoid", "silu", "softplus", "tanh",
                                       "sigmoid", "mish",      "elu",          "exp",  NULL};

/* The bounds of actgen's kernels, for every function or for the function that is named. */
static const struct {
    const char *function, *accuracy;
} bounds[] = {
    {ANY_FUNCTION, "abs 2^-22"},
    {ANY_FUNCTION, "3 ulp"},
    {"gelu", "abs 2^-10"},
    {"gelu", "0.5 ulp"},
};
static const char *const kernel_isas[] = {"avx512", "avx2"};

static actgen_engine *engine;

static bool same(const char *a, const char *b) { return !a || !b ? a == b : !strcmp(a, b); }

static bool peer_starts(const struct peer *p)
{
    if (p->isa && actgen_isa_runs_here(p->isa) != 1) return false;
    return !p->start || p->start();
}

enum { MOST_PEERS = 32 };
static bool peer_runs[MOST_PEERS];

bool bench_open(void)
{
    actgen_error error;
    if (actgen_engine_create(&engine, &error)) {
        fprintf(stderr, "actgen_bench: %s\n", error.message);
        return false;
    }
    for (size_t i = 0; i < MOST_PEERS && bench_peers[i]; i++) peer_runs[i] = peer_starts(bench_peers[i]);
    return true;
}

void bench_close(void) { actgen_engine_free(engine); }

/* Returns true if a word of the list is the name, or begins the name if `beginning`. A list of NULL has every
 * name. */
static bool find_word(const char *list, const char *name, bool beginning)
{
    if (!list) return true;
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length && !strncmp(name, list, length) && (beginning || !name[length])) return true;
        list += length + (list[length] == ',');
    }
    return false;
}

bool in_list(const char *list, const char *name) { return find_word(list, name, false); }
bool library_wanted(const char *list, const char *library) { return find_word(list, library, true); }

static struct contestant *add(struct contest *c, struct contestant what)
{
    if (c->count == MOST_CONTESTANTS) return NULL;
    c->list[c->count] = what;
    return &c->list[c->count++];
}

actgen_kernel *bench_compile(const char *text, const char *name, const char *isa, int32_t streaming)
{
    actgen_error error;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.streaming = streaming;
    if (actgen_spec_parse(&spec, "bench", text, strlen(text), &error) ||
        actgen_compile(&kernel, engine, spec, name, &options, &error))
        fprintf(stderr, "actgen_bench: %s: %s\n", name, error.message);
    actgen_spec_free(spec);
    if (kernel && (actgen_kernel_fn(kernel) || actgen_kernel_workspace(kernel, 1, 1))) return kernel;
    actgen_kernel_free(kernel);
    return NULL;
}

const struct typed_row *find_typed(const char *library, const char *function, const char *type)
{
    for (size_t i = 0; i < MOST_PEERS && bench_peers[i]; i++) {
        const struct peer *p = bench_peers[i];
        if (!peer_runs[i] || strncmp(p->library, library, strlen(library))) continue;
        for (const struct typed_row *row = p->typed; row && row->function; row++)
            if (same(row->function, function) && same(row->type, type)) return row;
    }
    return NULL;
}

/* Compiles a built-in whose operands have the type, or f32 if `type` is NULL. */
static actgen_kernel *compile(const char *function, const char *type, const char *accuracy, const char *isa,
                              bool interpret)
{
    actgen_error error;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.accuracy = accuracy;
    options.interpret = interpret;
    if (actgen_spec_builtin_typed(&spec, function, type, &error) ||
        actgen_compile(&kernel, engine, spec, NULL, &options, &error))
        fprintf(stderr, "actgen_bench: %s, %s on %s: %s\n", function, accuracy ? accuracy : "default bound",
                isa ? isa : "host", error.message);
    actgen_spec_free(spec);
    return kernel;
}

actgen_kernel *bench_builtin(const char *function, const char *accuracy, const char *isa)
{
    return bench_builtin_typed(function, NULL, accuracy, isa);
}

actgen_kernel *bench_builtin_typed(const char *function, const char *type, const char *accuracy,
                                   const char *isa)
{
    actgen_kernel *kernel = compile(function, type, accuracy, isa, false);
    if (!kernel || actgen_kernel_fn(kernel) || actgen_kernel_workspace(kernel, 1, 1)) return kernel;
    fprintf(stderr, "actgen_bench: %s: no machine code: %s\n", function, actgen_kernel_backend(kernel));
    actgen_kernel_free(kernel);
    return NULL;
}

/* Reads a bound such as "abs 2^-22" or "3 ulp". The bounds here have no other form. */
static void read_bound(struct contestant *c, const char *accuracy)
{
    int exponent = 0;
    c->bound_ulp = c->bound_abs = INFINITY;
    if (sscanf(accuracy, "abs 2^%d", &exponent) == 1)
        c->bound_abs = ldexp(1, exponent);
    else
        c->bound_ulp = strtod(accuracy, NULL);
}

struct contestant *contest_add_kernel(struct contest *c, const char *function, const char *accuracy,
                                      const char *isa)
{
    if (actgen_isa_runs_here(isa) != 1) return NULL;
    struct contestant what = {.library = "actgen", .function = function, .form = accuracy, .isa = isa};
    read_bound(&what, accuracy);
    what.kernel = bench_builtin(function, accuracy, isa);
    struct contestant *added = what.kernel ? add(c, what) : NULL;
    if (!added) actgen_kernel_free(what.kernel);
    return added;
}

void contest_add_peers(struct contest *c, const char *function, const char *peers, const char *isas)
{
    for (size_t i = 0; i < MOST_PEERS && bench_peers[i]; i++) {
        const struct peer *p = bench_peers[i];
        if (!peer_runs[i] || (p->isa && !in_list(isas, p->isa))) continue;
        for (const struct peer_row *row = p->rows; row->function; row++) {
            bool limit = same(row->function, ANY_FUNCTION);
            if (!limit && !(same(row->function, function) && library_wanted(peers, p->library))) continue;
            add(c, (struct contestant){.library = p->library,
                                       .function = function,
                                       .form = row->form,
                                       .isa = p->isa ? p->isa : "",
                                       .loop = row->loop,
                                       .is_limit = limit,
                                       .bound_ulp = INFINITY,
                                       .bound_abs = INFINITY});
        }
    }
}

void contest_add_all(struct contest *c, const char *function, const char *peers, const char *isas, bool exact)
{
    for (size_t i = 0; i < sizeof kernel_isas / sizeof kernel_isas[0] && library_wanted(peers, "actgen"); i++)
        for (size_t k = 0; k < sizeof bounds / sizeof bounds[0] && in_list(isas, kernel_isas[i]); k++)
            if ((same(bounds[k].function, ANY_FUNCTION) || same(bounds[k].function, function)) &&
                (exact || !same(bounds[k].accuracy, "0.5 ulp")))
                contest_add_kernel(c, function, bounds[k].accuracy, kernel_isas[i]);
    contest_add_peers(c, function, peers, isas);
}

struct contestant *contest_find(struct contest *c, const char *library, const char *function,
                                const char *form, const char *isa)
{
    for (size_t i = 0; i < c->count; i++) {
        struct contestant *t = &c->list[i];
        if (!strncmp(t->library, library, strlen(library)) && (!function || same(t->function, function)) &&
            (!form || same(t->form, form)) && (!isa || same(t->isa, isa)))
            return t;
    }
    return NULL;
}

void contest_free(struct contest *c)
{
    for (size_t i = 0; i < c->count; i++) actgen_kernel_free(c->list[i].kernel);
    c->count = 0;
}

void contestant_run(const struct contestant *c, size_t n, const float *x, float *y)
{
    if (c->loop) {
        c->loop(n, x, y);
        return;
    }
    void *in;
    memcpy(&in, &x, sizeof in); /* inputs and results share a type of operand, and inputs are only read */
    actgen_operand operands[] = {{in, 0}, {y, 0}};
    actgen_kernel_fn(c->kernel)(1, n, operands);
}

bool truth_of(const char *function, const float *x, double *truth, size_t count)
{
    actgen_error error;
    actgen_kernel *kernel = compile(function, NULL, NULL, NULL, true);
    bool good = kernel;
    for (size_t i = 0; i < count && good; i++) {
        double input = x[i];
        if (isnan(input))
            truth[i] = NAN;
        else if (actgen_reference(kernel, 0, &input, &truth[i], &error)) {
            fprintf(stderr, "actgen_bench: the true value of %s(%a): %s\n", function, input, error.message);
            good = false;
        }
    }
    actgen_kernel_free(kernel);
    return good;
}

/* ---- time ---- */

void measure_calls(const struct timed_call *calls, size_t count, double seconds, struct timing *times)
{
    const struct timing_limits limits = {
        .slice_ns = 20e3, .rounds = SIZE_MAX, .least_rounds = 3, .most_ns = 1e9 * seconds};
    processes_time(calls, count, &limits, times);
}

double spread_of(const struct timing *t) { return t->min > 0 ? 100 * (t->worst / t->min - 1) : 0; }

/* A call as in a user's loop, which finds the function and its operands once. */
struct loop_call {
    bench_loop loop; /* NULL for a kernel */
    actgen_fn kernel;
    size_t n;
    const float *x;
    float *y;
    actgen_operand operands[2];
};

static void run_loop(const void *context)
{
    const struct loop_call *c = context;
    c->loop(c->n, c->x, c->y);
}

static void run_kernel(const void *context)
{
    const struct loop_call *c = context;
    c->kernel(1, c->n, c->operands);
}

void measure(struct contestant *const *list, size_t count, const float *x, float *y, size_t n, double seconds,
             struct timing *times)
{
    struct loop_call loops[MOST_CONTESTANTS];
    struct timed_call calls[MOST_CONTESTANTS];
    for (size_t i = 0; i < count; i++) {
        const struct contestant *c = list[i];
        loops[i] = (struct loop_call){c->loop, c->kernel ? actgen_kernel_fn(c->kernel) : NULL,
                                      n,       x,
                                      y,       {{(void *)(uintptr_t)x, 0}, {y, 0}}};
        calls[i] = (struct timed_call){c->loop ? run_loop : run_kernel, &loops[i]};
    }
    measure_calls(calls, count, seconds, times);
}
