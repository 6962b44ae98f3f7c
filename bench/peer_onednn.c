/* oneDNN's element-wise primitives and its softmax (the C interface of versions 2 and 3), on one thread. A
 * primitive is made for a shape. This file keeps the primitives in use, as a user would, and a call pays for
 * finding its own. */
#include "bench.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <string.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;

struct primitive {
    dnnl_alg_kind_t kind;
    dnnl_data_type_t type;
    float alpha;
    size_t n;
    dnnl_primitive_t run;
    dnnl_memory_t in, out;
};

/* Starts the library on one thread, as all others have. It runs its loops by OpenMP. */
static bool start(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "omp_set_num_threads");
    void (*set_threads)(int) = NULL;
    if (symbol) memcpy(&set_threads, &symbol, sizeof symbol);
    if (set_threads) set_threads(1);
    return dnnl_engine_create(&engine, dnnl_cpu, 0) == dnnl_success &&
           dnnl_stream_create(&stream, engine, dnnl_stream_default_flags) == dnnl_success;
}

/* The dimensions of an array, or of rows that each have a softmax. */
struct dimensions {
    int count;
    dnnl_dims_t of;
    dnnl_format_tag_t tag;
};

static struct dimensions dimensions_of(const struct primitive *p)
{
    if (p->kind != dnnl_softmax_accurate) return (struct dimensions){1, {(dnnl_dim_t)p->n}, dnnl_a};
    return (struct dimensions){2, {(dnnl_dim_t)p->n / SOFTMAX_COLS, SOFTMAX_COLS}, dnnl_ab};
}

#if DNNL_VERSION_MAJOR >= 3
/* The calls differ between versions. */
static bool describe(dnnl_memory_desc_t *shape, dnnl_primitive_desc_t *out, const struct primitive *p)
{
    const struct dimensions d = dimensions_of(p);
    if (dnnl_memory_desc_create_with_tag(shape, d.count, d.of, p->type, d.tag) != dnnl_success) return false;
    if (p->kind == dnnl_softmax_accurate)
        return dnnl_softmax_forward_primitive_desc_create(out, engine, dnnl_forward_inference, p->kind,
                                                          *shape, *shape, 1, NULL) == dnnl_success;
    return dnnl_eltwise_forward_primitive_desc_create(out, engine, dnnl_forward_inference, p->kind, *shape,
                                                      *shape, p->alpha, 0, NULL) == dnnl_success;
}
static bool create_memory(dnnl_memory_t *out, const dnnl_memory_desc_t *shape)
{
    return dnnl_memory_create(out, *shape, engine, DNNL_MEMORY_NONE) == dnnl_success;
}
static void forget(dnnl_memory_desc_t shape) { dnnl_memory_desc_destroy(shape); }
#else
static bool describe(dnnl_memory_desc_t *shape, dnnl_primitive_desc_t *out, const struct primitive *p)
{
    const struct dimensions d = dimensions_of(p);
    dnnl_eltwise_desc_t function;
    dnnl_softmax_v2_desc_t rows;
    if (dnnl_memory_desc_init_by_tag(shape, d.count, d.of, p->type, d.tag) != dnnl_success) return false;
    if (p->kind == dnnl_softmax_accurate)
        return dnnl_softmax_v2_forward_desc_init(&rows, dnnl_forward_inference, p->kind, shape, shape, 1) ==
                   dnnl_success &&
               dnnl_primitive_desc_create(out, &rows, NULL, engine, NULL) == dnnl_success;
    return dnnl_eltwise_forward_desc_init(&function, dnnl_forward_inference, p->kind, shape, p->alpha, 0) ==
               dnnl_success &&
           dnnl_primitive_desc_create(out, &function, NULL, engine, NULL) == dnnl_success;
}
static bool create_memory(dnnl_memory_t *out, const dnnl_memory_desc_t *shape)
{
    return dnnl_memory_create(out, shape, engine, DNNL_MEMORY_NONE) == dnnl_success;
}
static void forget(dnnl_memory_desc_t shape) { (void)shape; }
#endif

static bool make(struct primitive *p, dnnl_alg_kind_t kind, dnnl_data_type_t type, float alpha, size_t n)
{
    dnnl_memory_desc_t shape = {0};
    dnnl_primitive_desc_t description = NULL;
    *p = (struct primitive){.kind = kind, .type = type, .alpha = alpha, .n = n};
    const bool good = describe(&shape, &description, p) &&
                      dnnl_primitive_create(&p->run, description) == dnnl_success &&
                      create_memory(&p->in, &shape) && create_memory(&p->out, &shape);
    if (description) dnnl_primitive_desc_destroy(description);
    forget(shape);
    return good;
}

static void destroy(struct primitive *p)
{
    if (p->run) dnnl_primitive_destroy(p->run);
    if (p->in) dnnl_memory_destroy(p->in);
    if (p->out) dnnl_memory_destroy(p->out);
    *p = (struct primitive){0};
}

static struct primitive *find(dnnl_alg_kind_t kind, dnnl_data_type_t type, float alpha, size_t n)
{
    enum { KEPT = 16 };
    static struct primitive kept[KEPT];
    static size_t next;
    for (size_t i = 0; i < KEPT; i++)
        if (kept[i].run && kept[i].n == n && kept[i].kind == kind && kept[i].type == type &&
            kept[i].alpha == alpha)
            return &kept[i];
    struct primitive *p = &kept[next++ % KEPT];
    destroy(p);
    if (make(p, kind, type, alpha, n)) return p;
    destroy(p);
    return NULL;
}

static void execute(dnnl_alg_kind_t kind, dnnl_data_type_t type, float alpha, size_t n, const void *x,
                    void *y)
{
    struct primitive *p = find(kind, type, alpha, n);
    if (!p) return;
    void *in;
    memcpy(&in, &x, sizeof in); /* the interface has no const, but only reads it */
    dnnl_memory_set_data_handle(p->in, in);
    dnnl_memory_set_data_handle(p->out, y);
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, p->in}, {DNNL_ARG_DST, p->out}};
    dnnl_primitive_execute(p->run, stream, 2, arguments);
}

#define LOOP(name, kind, alpha)                                                                              \
    static void name(size_t n, const float *x, float *y) { execute(kind, dnnl_f32, alpha, n, x, y); }
LOOP(gelu, dnnl_eltwise_gelu_erf, 0)
LOOP(gelu_tanh, dnnl_eltwise_gelu_tanh, 0)
LOOP(gelu_sigmoid, dnnl_eltwise_swish, 1.702f)
LOOP(silu, dnnl_eltwise_swish, 1)
LOOP(softplus, dnnl_eltwise_soft_relu, 1)
LOOP(tanh_loop, dnnl_eltwise_tanh, 0)
LOOP(sigmoid, dnnl_eltwise_logistic, 0)
LOOP(mish, dnnl_eltwise_mish, 0)
LOOP(elu, dnnl_eltwise_elu, 1)
LOOP(exp_loop, dnnl_eltwise_exp, 0)

static const struct peer_row rows[] = {
    {"gelu", "gelu_erf", gelu},
    {"gelu_tanh", "gelu_tanh", gelu_tanh},
    {"gelu_sigmoid", "swish 1.702", gelu_sigmoid},
    {"silu", "swish", silu},
    {"softplus", "soft_relu", softplus},
    {"tanh", "", tanh_loop},
    {"sigmoid", "logistic", sigmoid},
    {"mish", "", mish},
    {"elu", "", elu},
    {"exp", "", exp_loop},
    {NULL, NULL, NULL},
};

#define BF16_LOOP(name, kind, alpha)                                                                         \
    static void name(size_t n, const void *x, void *y) { execute(kind, dnnl_bf16, alpha, n, x, y); }
BF16_LOOP(gelu_bf16, dnnl_eltwise_gelu_erf, 0)
BF16_LOOP(silu_bf16, dnnl_eltwise_swish, 1)
BF16_LOOP(tanh_bf16, dnnl_eltwise_tanh, 0)
BF16_LOOP(sigmoid_bf16, dnnl_eltwise_logistic, 0)

static void softmax(size_t n, const void *x, void *y)
{
    execute(dnnl_softmax_accurate, dnnl_f32, 0, n, x, y);
}

static const struct typed_row typed[] = {
    {"softmax", "f32", softmax}, {"gelu", "bf16", gelu_bf16},       {"silu", "bf16", silu_bf16},
    {"tanh", "bf16", tanh_bf16}, {"sigmoid", "bf16", sigmoid_bf16}, {NULL, NULL, NULL},
};

#define TEXT_OF(number) #number
#define TEXT(number)    TEXT_OF(number)
const struct peer PEER = {
    "oneDNN " TEXT(DNNL_VERSION_MAJOR) "." TEXT(DNNL_VERSION_MINOR) "." TEXT(DNNL_VERSION_PATCH), NULL, start,
    rows, typed};
