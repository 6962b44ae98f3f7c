/* oneDNN's primitives, by the C interface of versions 2 and 3, on one thread: element-wise functions, rows,
 * and with version 3 conversions and norms. A primitive is made for a shape. This file keeps the primitives
 * in use, as a user would, and a call pays for finding its own. */
#include "bench.h"

#include <dlfcn.h>
#include <oneapi/dnnl/dnnl.h>
#include <string.h>

static dnnl_engine_t engine;
static dnnl_stream_t stream;

enum work { ELTWISE, SOFTMAX, NORM, REORDER };

struct asked {
    enum work work;
    dnnl_data_type_t type, to;
    dnnl_alg_kind_t kind; /* of ELTWISE and SOFTMAX */
    float alpha;          /* of ELTWISE */
    unsigned flags;       /* of NORM */
    size_t n;
};

struct primitive {
    struct asked asked;
    dnnl_primitive_t run;
    dnnl_memory_t in, out, scale, shift; /* the last two are NULL if not in use */
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

/* The dimensions of an array, or of rows. */
struct dimensions {
    int count;
    dnnl_dims_t of;
    dnnl_format_tag_t tag;
};

static struct dimensions dimensions_of(const struct asked *a)
{
    if (a->work != SOFTMAX && a->work != NORM) return (struct dimensions){1, {(dnnl_dim_t)a->n}, dnnl_a};
    return (struct dimensions){2, {(dnnl_dim_t)a->n / ROW_COLS, ROW_COLS}, dnnl_ab};
}

#if DNNL_VERSION_MAJOR >= 3
/* The calls differ between versions. */
static dnnl_status_t describe_work(dnnl_primitive_desc_t *out, const struct asked *a, dnnl_memory_desc_t in,
                                   dnnl_memory_desc_t to)
{
    switch (a->work) {
    case SOFTMAX:
        return dnnl_softmax_forward_primitive_desc_create(out, engine, dnnl_forward_inference, a->kind, in,
                                                          to, 1, NULL);
    case NORM:
        return dnnl_layer_normalization_forward_primitive_desc_create(out, engine, dnnl_forward_inference, in,
                                                                      to, NULL, 1e-5f, a->flags, NULL);
    case REORDER: return dnnl_reorder_primitive_desc_create(out, in, engine, to, engine, NULL);
    default:
        return dnnl_eltwise_forward_primitive_desc_create(out, engine, dnnl_forward_inference, a->kind, in,
                                                          to, a->alpha, 0, NULL);
    }
}

static bool create_memory(dnnl_memory_t *out, const struct dimensions *d, dnnl_data_type_t type)
{
    dnnl_memory_desc_t shape;
    if (dnnl_memory_desc_create_with_tag(&shape, d->count, d->of, type, d->tag) != dnnl_success) return false;
    const bool good = dnnl_memory_create(out, shape, engine, DNNL_MEMORY_NONE) == dnnl_success;
    dnnl_memory_desc_destroy(shape);
    return good;
}

static bool describe(dnnl_primitive_desc_t *out, const struct primitive *p)
{
    const_dnnl_memory_desc_t in, to;
    return dnnl_memory_get_memory_desc(p->in, &in) == dnnl_success &&
           dnnl_memory_get_memory_desc(p->out, &to) == dnnl_success &&
           describe_work(out, &p->asked, (dnnl_memory_desc_t)in, (dnnl_memory_desc_t)to) == dnnl_success;
}

static float scales[ROW_COLS], shifts[ROW_COLS];

/* Gives the primitive the scale and the shift that its flags ask for. */
static bool create_weights(struct primitive *p)
{
    const struct dimensions one_row = {1, {ROW_COLS}, dnnl_a};
    const unsigned flags = p->asked.flags;
    for (size_t i = 0; i < ROW_COLS; i++) {
        scales[i] = 1 + (float)(i % 7) / 8;
        shifts[i] = (float)(i % 5) / 8;
    }
    if (flags & dnnl_use_scale && !(create_memory(&p->scale, &one_row, dnnl_f32) &&
                                    dnnl_memory_set_data_handle(p->scale, scales) == dnnl_success))
        return false;
    return !(flags & dnnl_use_shift) || (create_memory(&p->shift, &one_row, dnnl_f32) &&
                                         dnnl_memory_set_data_handle(p->shift, shifts) == dnnl_success);
}
enum { SCALE_ARG = DNNL_ARG_SCALE, SHIFT_ARG = DNNL_ARG_SHIFT };
#else
static bool create_memory(dnnl_memory_t *out, const struct dimensions *d, dnnl_data_type_t type)
{
    dnnl_memory_desc_t shape;
    return dnnl_memory_desc_init_by_tag(&shape, d->count, d->of, type, d->tag) == dnnl_success &&
           dnnl_memory_create(out, &shape, engine, DNNL_MEMORY_NONE) == dnnl_success;
}

static bool describe(dnnl_primitive_desc_t *out, const struct primitive *p)
{
    const struct asked *a = &p->asked;
    const dnnl_memory_desc_t *shape;
    dnnl_eltwise_desc_t function;
    dnnl_softmax_v2_desc_t rows;
    if (dnnl_memory_get_memory_desc(p->in, &shape) != dnnl_success) return false;
    if (a->work == SOFTMAX)
        return dnnl_softmax_v2_forward_desc_init(&rows, dnnl_forward_inference, a->kind, shape, shape, 1) ==
                   dnnl_success &&
               dnnl_primitive_desc_create(out, &rows, NULL, engine, NULL) == dnnl_success;
    return dnnl_eltwise_forward_desc_init(&function, dnnl_forward_inference, a->kind, shape, a->alpha, 0) ==
               dnnl_success &&
           dnnl_primitive_desc_create(out, &function, NULL, engine, NULL) == dnnl_success;
}

static bool create_weights(struct primitive *p) { return p->asked.work != NORM; }
enum { SCALE_ARG, SHIFT_ARG }; /* never in use */
#endif

static bool make(struct primitive *p, const struct asked *a)
{
    const struct dimensions d = dimensions_of(a);
    dnnl_primitive_desc_t description = NULL;
    *p = (struct primitive){.asked = *a};
    const bool good = create_memory(&p->in, &d, a->type) && create_memory(&p->out, &d, a->to) &&
                      create_weights(p) && describe(&description, p) &&
                      dnnl_primitive_create(&p->run, description) == dnnl_success;
    if (description) dnnl_primitive_desc_destroy(description);
    return good;
}

static void destroy(struct primitive *p)
{
    dnnl_memory_t *const memories[] = {&p->in, &p->out, &p->scale, &p->shift};
    if (p->run) dnnl_primitive_destroy(p->run);
    for (size_t i = 0; i < sizeof memories / sizeof *memories; i++)
        if (*memories[i]) dnnl_memory_destroy(*memories[i]);
    *p = (struct primitive){0};
}

static bool same(const struct asked *a, const struct asked *b)
{
    return a->n == b->n && a->work == b->work && a->type == b->type && a->to == b->to && a->kind == b->kind &&
           a->alpha == b->alpha && a->flags == b->flags;
}

static struct primitive *find(const struct asked *a)
{
    enum { KEPT = 16 };
    static struct primitive kept[KEPT];
    static size_t next;
    for (size_t i = 0; i < KEPT; i++)
        if (kept[i].run && same(&kept[i].asked, a)) return &kept[i];
    struct primitive *p = &kept[next++ % KEPT];
    destroy(p);
    if (make(p, a)) return p;
    destroy(p);
    return NULL;
}

static void execute(const struct asked *a, const void *x, void *y)
{
    struct primitive *p = find(a);
    if (!p) return;
    void *in;
    memcpy(&in, &x, sizeof in); /* the interface has no const, but only reads it */
    dnnl_memory_set_data_handle(p->in, in);
    dnnl_memory_set_data_handle(p->out, y);
    dnnl_exec_arg_t arguments[4] = {{DNNL_ARG_SRC, p->in}, {DNNL_ARG_DST, p->out}};
    int count = 2;
    if (p->scale) arguments[count++] = (dnnl_exec_arg_t){SCALE_ARG, p->scale};
    if (p->shift) arguments[count++] = (dnnl_exec_arg_t){SHIFT_ARG, p->shift};
    dnnl_primitive_execute(p->run, stream, count, arguments);
    dnnl_stream_wait(stream); /* some builds return before the work is done */
}

static void function(dnnl_alg_kind_t kind, dnnl_data_type_t type, float alpha, size_t n, const void *x,
                     void *y)
{
    execute(&(struct asked){.type = type, .to = type, .kind = kind, .alpha = alpha, .n = n}, x, y);
}

#define LOOP(name, kind, alpha)                                                                              \
    static void name(size_t n, const float *x, float *y) { function(kind, dnnl_f32, alpha, n, x, y); }
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
LOOP(log_loop, dnnl_eltwise_log, 0)

#define BF16_LOOP(name, kind, alpha)                                                                         \
    static void name(size_t n, const void *x, void *y) { function(kind, dnnl_bf16, alpha, n, x, y); }
BF16_LOOP(gelu_bf16, dnnl_eltwise_gelu_erf, 0)
BF16_LOOP(silu_bf16, dnnl_eltwise_swish, 1)
BF16_LOOP(tanh_bf16, dnnl_eltwise_tanh, 0)
BF16_LOOP(sigmoid_bf16, dnnl_eltwise_logistic, 0)

#define ROWS(name, element, ...)                                                                             \
    static void name(size_t n, const void *x, void *y)                                                       \
    {                                                                                                        \
        execute(&(struct asked){.type = dnnl_##element, .to = dnnl_##element, .n = n, __VA_ARGS__}, x, y);   \
    }
ROWS(softmax, f32, .work = SOFTMAX, .kind = dnnl_softmax_accurate)
ROWS(softmax_bf16, bf16, .work = SOFTMAX, .kind = dnnl_softmax_accurate)
#if DNNL_VERSION_MAJOR >= 3
ROWS(layer_norm, f32, .work = NORM, .flags = dnnl_use_scale | dnnl_use_shift)
ROWS(layer_norm_bf16, bf16, .work = NORM, .flags = dnnl_use_scale | dnnl_use_shift)
#if HAS_RMS_NORM
ROWS(rmsnorm, f32, .work = NORM, .flags = dnnl_use_scale | dnnl_rms_norm)
ROWS(rmsnorm_bf16, bf16, .work = NORM, .flags = dnnl_use_scale | dnnl_rms_norm)
#endif

static void to_i8(size_t n, const void *x, void *y)
{
    execute(&(struct asked){.work = REORDER, .type = dnnl_f32, .to = dnnl_s8, .n = n}, x, y);
}
#endif

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "gelu_erf", gelu),
    PEER_LOOP("gelu_tanh", "gelu_tanh", gelu_tanh),
    PEER_LOOP("gelu_sigmoid", "swish 1.702", gelu_sigmoid),
    PEER_LOOP("silu", "swish", silu),
    PEER_LOOP("softplus", "soft_relu", softplus),
    PEER_LOOP("tanh", "", tanh_loop),
    PEER_LOOP("sigmoid", "logistic", sigmoid),
    PEER_LOOP("mish", "", mish),
    PEER_LOOP("elu", "", elu),
    PEER_LOOP("exp", "", exp_loop),
    PEER_LOOP("log", "", log_loop),
    PEER_TYPED("gelu", "bf16", gelu_bf16),
    PEER_TYPED("silu", "bf16", silu_bf16),
    PEER_TYPED("tanh", "bf16", tanh_bf16),
    PEER_TYPED("sigmoid", "bf16", sigmoid_bf16),
    PEER_TYPED("softmax", "f32", softmax),
    PEER_TYPED("softmax", "bf16", softmax_bf16),
#if DNNL_VERSION_MAJOR >= 3
    PEER_TYPED("layer_norm", "f32", layer_norm),
    PEER_TYPED("layer_norm", "bf16", layer_norm_bf16),
#if HAS_RMS_NORM
    PEER_TYPED("rmsnorm", "f32", rmsnorm),
    PEER_TYPED("rmsnorm", "bf16", rmsnorm_bf16),
#endif
    PEER_TYPED("to_i8", "f32", to_i8),
#endif
    PEER_ROWS_END,
};

const struct peer PEER = {"oneDNN " PEER_VERSION(DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR, DNNL_VERSION_PATCH),
                          NULL, start, rows};
