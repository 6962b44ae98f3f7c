/* XNNPACK's operators, by its public interface, on one thread. An operator is made once, and shaped when the
 * number of elements changes. A call pays for setting its pointers. The library chooses the code for the
 * processor. It publishes no versions, so VERSION is what the user says.
 *
 * It has no silu and no gates: these take further operators that multiply, in place. */
#include "bench.h"

#include <xnnpack.h>

struct unary {
    enum xnn_unary_operator function;
    enum xnn_datatype from, to;
    struct xnn_quantization_params scale; /* of 8-bit numbers */
    xnn_operator_t made;
    size_t n;
};

/* Returns an operator for n elements, or NULL if the library refuses. */
static xnn_operator_t shaped(struct unary *u, size_t n)
{
    static const union xnn_unary_params params = {.elu = {.alpha = 1}};
    const struct xnn_quantization_params *const from = u->from == xnn_datatype_fp32 ? NULL : &u->scale,
                                                *const to = u->to == xnn_datatype_fp32 ? NULL : &u->scale;
    if (!u->made && xnn_create_unary_elementwise_nc(u->function, u->from, u->to,
                                                    u->function == xnn_unary_elu ? &params : NULL, NULL, from,
                                                    to, 0, &u->made) != xnn_status_success)
        return NULL;
    if (u->n != n && xnn_reshape_unary_elementwise_nc(u->made, n, 1, 1, 1, NULL) != xnn_status_success)
        return NULL;
    u->n = n;
    return u->made;
}

static void run(struct unary *u, size_t n, const void *x, void *y)
{
    const xnn_operator_t made = shaped(u, n);
    if (made && xnn_setup_unary_elementwise_nc(made, x, y) == xnn_status_success)
        xnn_run_operator(made, NULL);
}

/* y = y*x */
static void multiply(size_t n, const float *x, float *y)
{
    static xnn_operator_t made;
    static size_t shaped_n;
    if (!made && xnn_create_binary_elementwise_nd(xnn_binary_multiply, xnn_datatype_fp32, NULL, NULL, NULL, 0,
                                                  &made) != xnn_status_success)
        return;
    if (shaped_n != n && xnn_reshape_binary_elementwise_nd(made, 1, &n, 1, &n, NULL) != xnn_status_success)
        return;
    shaped_n = n;
    if (xnn_setup_binary_elementwise_nd(made, y, x, y) == xnn_status_success) xnn_run_operator(made, NULL);
}

#define LOOP(name, function)                                                                                 \
    static void name(size_t n, const float *x, float *y)                                                     \
    {                                                                                                        \
        static struct unary u = {                                                                            \
            xnn_unary_##function, xnn_datatype_fp32, xnn_datatype_fp32, {0, 1}, NULL, 0};                    \
        run(&u, n, x, y);                                                                                    \
    }
LOOP(gelu, gelu)
LOOP(gelu_tanh, approxgelu)
LOOP(sigmoid, sigmoid)
LOOP(tanh_, tanh)
LOOP(elu, elu)
LOOP(exp_, exp)
LOOP(log_, log)

static void silu(size_t n, const float *x, float *y)
{
    sigmoid(n, x, y);
    multiply(n, x, y);
}

static void swiglu(size_t n, const float *x, const float *up, float *y)
{
    silu(n, x, y);
    multiply(n, up, y);
}

static void geglu(size_t n, const float *x, const float *up, float *y)
{
    gelu(n, x, y);
    multiply(n, up, y);
}

static void gelu_i8(size_t n, const void *x, void *y)
{
    static struct unary u = {xnn_unary_gelu, xnn_datatype_qint8, xnn_datatype_qint8, {0, 0x1p-4f}, NULL, 0};
    run(&u, n, x, y);
}

static void to_i8(size_t n, const void *x, void *y)
{
    static struct unary u = {xnn_unary_convert, xnn_datatype_fp32, xnn_datatype_qint8, {0, 1}, NULL, 0};
    run(&u, n, x, y);
}

static void softmax(size_t n, const void *x, void *y)
{
    static xnn_operator_t made;
    static size_t shaped_n;
    if (!made && xnn_create_softmax_nc_f32(0, &made) != xnn_status_success) return;
    if (shaped_n != n && xnn_reshape_softmax_nc_f32(made, ROW_COLS, ROW_COLS, ROW_COLS, n / ROW_COLS, NULL) !=
                             xnn_status_success)
        return;
    shaped_n = n;
    if (xnn_setup_softmax_nc_f32(made, x, y) == xnn_status_success) xnn_run_operator(made, NULL);
}

static bool start(void) { return xnn_initialize(NULL) == xnn_status_success; }

static const struct peer_row rows[] = {
    PEER_LOOP("gelu", "gelu", gelu),
    PEER_LOOP("gelu_tanh", "approxgelu", gelu_tanh),
    PEER_LOOP("silu", "sigmoid, multiply", silu),
    PEER_LOOP("tanh", "", tanh_),
    PEER_LOOP("sigmoid", "", sigmoid),
    PEER_LOOP("elu", "", elu),
    PEER_LOOP("exp", "", exp_),
    PEER_LOOP("log", "", log_),
    PEER_GATE("swiglu", "sigmoid, multiply twice", swiglu),
    PEER_GATE("geglu", "gelu, multiply", geglu),
    PEER_TYPED("softmax", "f32", softmax),
    PEER_TYPED("gelu", "i8", gelu_i8),
    PEER_TYPED("to_i8", "f32", to_i8),
    PEER_ROWS_END,
};

const struct peer PEER = {"XNNPACK" VERSION, NULL, start, rows};
