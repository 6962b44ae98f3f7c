/* The contestants: actgen's kernels, compiled in this process, and the loops of the other libraries. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct bench_function bench_functions[] = {
    {"gelu", .has_goals = true},
    {"gelu_tanh", .has_goals = true},
    {"gelu_sigmoid", .has_goals = true},
    {"silu", .has_goals = true},
    {"softplus", .has_goals = true},
    {"tanh", .has_goals = true},
    {"sigmoid", .has_goals = true},
    {"mish", .has_goals = true},
    {"elu", .has_goals = true},
    {"exp", .has_goals = true},
    {"log", .domain = DOMAIN_POSITIVE, .has_goals = true},
    {"log2", .domain = DOMAIN_POSITIVE},
    {"log10", .domain = DOMAIN_POSITIVE},
    {"log1p", .domain = DOMAIN_ABOVE_MINUS_1},
    {"asinh", .domain = DOMAIN_ALL},
    {"acosh", .domain = DOMAIN_ABOVE_1},
    {"atanh", .domain = DOMAIN_BELOW_1},
    {"swiglu", .is_gate = true, .has_goals = true},
    {"geglu", .is_gate = true, .has_goals = true},
    {.name = NULL},
};

static const struct bench_function *find_function(const char *name)
{
    const struct bench_function *f = bench_functions;
    while (f->name && strcmp(f->name, name) != 0) f++;
    return f;
}

bool is_gate(const char *function) { return find_function(function)->is_gate; }
enum domain domain_of(const char *function) { return find_function(function)->domain; }

/* The bounds of actgen's kernels, for every function or for the function that is named. */
static const struct {
    const char *function, *accuracy;
} bounds[] = {
    {ANY_FUNCTION, "abs 2^-22"}, {ANY_FUNCTION, "3 ulp"}, {ANY_FUNCTION, "1 ulp"},
    {"gelu", "abs 2^-10"},       {"gelu", "0.5 ulp"},
};
static const char *const kernel_isas[] = {"avx512", "avx2"};

static actgen_engine *engine;

static bool same(const char *a, const char *b) { return !a || !b ? a == b : !strcmp(a, b); }

static bool peer_starts(const struct peer *p)
{
    if (p->isa && actgen_isa_runs_here(p->isa) != 1) return false;
    const bool started = !p->start || p->start();
    if (!started)
        fprintf(stderr, "actgen_bench: %s cannot start here; the tables are without it\n", p->library);
    return started;
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

const struct peer_row *find_typed(const char *library, const char *function, const char *type)
{
    for (size_t i = 0; i < MOST_PEERS && bench_peers[i]; i++) {
        const struct peer *p = bench_peers[i];
        if (!peer_runs[i] || strncmp(p->library, library, strlen(library))) continue;
        for (const struct peer_row *row = p->rows; row->function; row++)
            if (row->typed && same(row->function, function) && same(row->type, type)) return row;
    }
    return NULL;
}

/* Compiles a built-in whose operands have the type, or f32 if `type` is NULL. */
static actgen_kernel *compile_with(const char *function, const char *type, const actgen_options *options)
{
    actgen_error error;
    actgen_spec *spec = NULL;
    actgen_kernel *kernel = NULL;
    if (actgen_spec_builtin_typed(&spec, function, type, &error) ||
        actgen_compile(&kernel, engine, spec, NULL, options, &error))
        fprintf(stderr, "actgen_bench: %s, %s on %s: %s\n", function,
                options->accuracy ? options->accuracy : "default bound", options->isa ? options->isa : "host",
                error.message);
    actgen_spec_free(spec);
    return kernel;
}

static actgen_kernel *compile(const char *function, const char *type, const char *accuracy, const char *isa,
                              bool interpret)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.accuracy = accuracy;
    options.interpret = interpret;
    return compile_with(function, type, &options);
}

actgen_kernel *bench_builtin_planned(const char *function, const char *accuracy, const char *isa,
                                     int32_t plan)
{
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = isa;
    options.accuracy = accuracy;
    options.tune = "host";
    options.plan = plan;
    return compile_with(function, NULL, &options);
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
    const bool gate = is_gate(c->function); /* the bound is that of the function before the product */
    if (sscanf(accuracy, "abs 2^%d", &exponent) == 1)
        c->bound_abs = ldexp(1, exponent) + (gate ? 0x1p-24 : 0); /* the product is rounded */
    else /* an ulp of the product may be half as large in relation to it */
        c->bound_ulp = strtod(accuracy, NULL) * (gate ? 2 : 1) + (gate ? 0.5 : 0);
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

/* Adds the loops of a library: the limits, and those of the function if the library is wanted. */
static void add_peer(struct contest *c, const char *function, const struct peer *p, bool wanted)
{
    struct contestant what = {.library = p->library,
                              .function = function,
                              .isa = p->isa ? p->isa : "",
                              .is_plan = in_list("plain loop,linked object", p->library),
                              .bound_ulp = INFINITY,
                              .bound_abs = INFINITY};
    for (const struct peer_row *row = p->rows; row->function; row++) {
        what.form = row->form;
        what.loop = row->loop;
        what.gate = row->gate;
        what.is_limit = same(row->function, ANY_FUNCTION);
        if (what.is_limit || (wanted && !row->typed && same(row->function, function))) add(c, what);
    }
}

void contest_add_peers(struct contest *c, const char *function, const char *peers, const char *isas)
{
    for (size_t i = 0; i < MOST_PEERS && bench_peers[i]; i++) {
        const struct peer *p = bench_peers[i];
        if (peer_runs[i] && (!p->isa || in_list(isas, p->isa)))
            add_peer(c, function, p, library_wanted(peers, p->library));
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

/* A call as in a user's loop, which finds the function and its operands once. */
struct loop_call {
    bench_loop loop;
    bench_gate gate;
    actgen_fn kernel;
    size_t n;
    struct arrays a;
    actgen_operand operands[3];
};

static struct loop_call call_of(const struct contestant *c, size_t n, struct arrays a)
{
    struct loop_call call = {c->loop, c->gate, c->kernel ? actgen_kernel_fn(c->kernel) : NULL, n, a, {{0}}};
    /* Inputs and results share a type of operand, and inputs are only read. */
    void *const x = (void *)(uintptr_t)a.x, *const up = (void *)(uintptr_t)a.up;
    size_t k = 0;
    call.operands[k++].data = x;
    if (is_gate(c->function)) call.operands[k++].data = up;
    call.operands[k].data = a.y;
    return call;
}

static void run_loop(const void *context)
{
    const struct loop_call *c = context;
    c->loop(c->n, c->a.x, c->a.y);
}

static void run_gate(const void *context)
{
    const struct loop_call *c = context;
    c->gate(c->n, c->a.x, c->a.up, c->a.y);
}

static void run_kernel(const void *context)
{
    const struct loop_call *c = context;
    c->kernel(1, c->n, c->operands);
}

static struct timed_call timed(const struct loop_call *call)
{
    return (struct timed_call){call->loop ? run_loop : call->gate ? run_gate : run_kernel, call};
}

void contestant_run(const struct contestant *c, size_t n, struct arrays a)
{
    const struct loop_call call = call_of(c, n, a);
    timed(&call).run(&call);
}

bool truth_of(const char *function, const float *x, const float *up, double *truth, size_t count)
{
    actgen_error error;
    actgen_kernel *kernel = compile(function, NULL, NULL, NULL, true);
    bool good = kernel;
    for (size_t i = 0; i < count && good; i++) {
        const double inputs[] = {x[i], up[i]};
        if (isnan(inputs[0]) || (is_gate(function) && isnan(inputs[1])))
            truth[i] = NAN;
        else if (actgen_reference(kernel, 0, inputs, &truth[i], &error)) {
            fprintf(stderr, "actgen_bench: the true value of %s(%a): %s\n", function, inputs[0],
                    error.message);
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

void measure(struct contestant *const *list, size_t count, struct arrays a, size_t n, double seconds,
             struct timing *times)
{
    struct loop_call loops[MOST_CONTESTANTS];
    struct timed_call calls[MOST_CONTESTANTS];
    for (size_t i = 0; i < count; i++) {
        loops[i] = call_of(list[i], n, a);
        calls[i] = timed(&loops[i]);
    }
    measure_calls(calls, count, seconds, times);
}
