/* Times oneDNN's first element-wise primitives, by the C interface of versions 2 and 3. */
#include "first.h"

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stdlib.h>

#if DNNL_VERSION_MAJOR >= 3
static bool describe(dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind, float alpha)
{
    const dnnl_dims_t dims = {4096};
    dnnl_memory_desc_t shape;
    return dnnl_memory_desc_create_with_tag(&shape, 1, dims, dnnl_f32, dnnl_a) == dnnl_success &&
           dnnl_eltwise_forward_primitive_desc_create(out, engine, dnnl_forward_inference, kind, shape, shape,
                                                      alpha, 0, NULL) == dnnl_success;
}
#else
static bool describe(dnnl_primitive_desc_t *out, dnnl_engine_t engine, dnnl_alg_kind_t kind, float alpha)
{
    dnnl_dims_t dims = {4096};
    dnnl_memory_desc_t shape;
    dnnl_eltwise_desc_t what;
    return dnnl_memory_desc_init_by_tag(&shape, 1, dims, dnnl_f32, dnnl_a) == dnnl_success &&
           dnnl_eltwise_forward_desc_init(&what, dnnl_forward_inference, kind, &shape, alpha, 0) ==
               dnnl_success &&
           dnnl_primitive_desc_create(out, &what, NULL, engine, NULL) == dnnl_success;
}
#endif

int main(void)
{
    static const struct {
        dnnl_alg_kind_t kind;
        float alpha;
    } asked[ASKED] = {{dnnl_eltwise_gelu_erf, 0},
                      {dnnl_eltwise_swish, 1},
                      {dnnl_eltwise_tanh, 0},
                      {dnnl_eltwise_gelu_erf, 0}};
    double times[ASKED + 1] = {now_us()};
    dnnl_engine_t engine;
    if (dnnl_engine_create(&engine, dnnl_cpu, 0) != dnnl_success) return EXIT_FAILURE;
    for (int i = 0; i < ASKED; i++) {
        dnnl_primitive_desc_t description;
        dnnl_primitive_t primitive;
        if (!describe(&description, engine, asked[i].kind, asked[i].alpha) ||
            dnnl_primitive_create(&primitive, description) != dnnl_success)
            return EXIT_FAILURE;
        times[i + 1] = now_us();
    }
    print_times(times);
    return EXIT_SUCCESS;
}
