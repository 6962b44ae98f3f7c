/* The style `cuda`: device functions of one number, and kernels over rows whose threads take single elements.
 * Products and sums are the intrinsics that round each, because the compiler joins those of operators. */
#include "checks.h"
#include "style.h"

#include "scalar.inc"
#define ROUNDED(name, f32, f64)                                                                              \
    BY_ANY_FLOAT("__f" name "_rn" f32, "__d" name "_rn" f64,                                                 \
                 "@f16_of_f32(__f" name "_rn(@f32_of_f16($1), @f32_of_f16($2)))")
#define TWO(name) ROUNDED(name, "($1, $2)", "($1, $2)")

static const struct source_op ops[LANE_OP_COUNT] = {
#include "scalar_rows.inc"
    [LANE_ADD] = TWO("add"),
    [LANE_SUB] = TWO("sub"),
    [LANE_MUL] = TWO("mul"),
    [LANE_DIV] = TWO("div"),
    [LANE_FMA] = BY_ANY_FLOAT("__fmaf_rn($1, $2, $3)", "__fma_rn($1, $2, $3)",
                              "@f16_of_f64(__fma_rn(@f32_of_f16($1), @f32_of_f16($2), @f32_of_f16($3)))"),
    [LANE_SQRT] =
        BY_ANY_FLOAT("__fsqrt_rn($1)", "__dsqrt_rn($1)", "@f16_of_f32(__fsqrt_rn(@f32_of_f16($1)))"),
    [LANE_BITCAST] = EACH_AND_BITS("__float_as_uint($1)", "(uint64_t)__double_as_longlong($1)",
                                   "__uint_as_float($1)", "__longlong_as_double((long long)$1)", "$1"),
};

static const struct source_helper helpers[] = {
    {"f2i_f32", "/* Rounds a number below 2^31 to an integer, ties to even. */\n"
                "static __device__ inline uint32_t $0(float x)\n{\n"
                "    return x >= -2147483648.0f && x < 2147483648.0f ? (uint32_t)__float2int_rn(x) : "
                "0x80000000u;\n}\n"},
};

const struct source_style source_cuda = {
    .name = "cuda",
    .nan_of_ones = true,
    .summary = "One element",
    .suffix = "_cuda",
    .reads_tables = true,
    .function = "static __device__ inline",
    .kernel = "[[maybe_unused]] static __global__",
    .row_steps = "size_t i = (size_t)blockIdx.y * blockDim.y + threadIdx.y; i < rows;\n"
                 "         i += (size_t)gridDim.y * blockDim.y",
    .column_steps = "size_t j = (size_t)blockIdx.x * blockDim.x + threadIdx.x; j < cols;\n"
                    "             j += (size_t)gridDim.x * blockDim.x",
    .table = "static __device__ const",
    .opening = "#if !defined(__CUDACC__) && !defined(ACTGEN_CUDA)\n"
               "#error \"these are device functions: compile them as CUDA\"\n#endif\n\n"
               "/* -use_fast_math and -ftz=true take subnormal numbers for 0. No text can see that. */\n"
               "#include <math.h>\n#include <stddef.h>\n#include <stdint.h>\n",
    .closing = "",
    .any_truth = "$1",
    .ops = ops,
#include "scalar_elements.inc"
    .helpers = helpers,
    .helper_count = sizeof helpers / sizeof *helpers,
};
