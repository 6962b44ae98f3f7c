/* Describes a kernel: its names, plan, bound, operands, times and errors. actgen.h includes this header.
 *
 * Texts live as long as the kernel. */
#ifndef ACTGEN_INCLUDE_KERNEL_H
#define ACTGEN_INCLUDE_KERNEL_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- describing a kernel ---- */
/* Returns the name of the kernel in its spec. */
ACTGEN_API const char *actgen_kernel_name(const actgen_kernel *kernel);
/* Returns "machine code", or "interpreter: " and the reason. */
ACTGEN_API const char *actgen_kernel_backend(const actgen_kernel *kernel);
/* Returns the instruction set of the kernel's code. It may be the set that the requested set extends. */
ACTGEN_API const char *actgen_kernel_isa(const actgen_kernel *kernel);
/* Returns the core that the kernel was planned for. */
ACTGEN_API const char *actgen_kernel_core(const actgen_kernel *kernel);
/* Returns the plans of the kernel in one line. */
ACTGEN_API const char *actgen_kernel_plan(const actgen_kernel *kernel);
/* Returns what chose the plans and the loop. It is a processor if times chose, "GenuineIntel 6 207" for
 * example, else the core whose costs chose. */
ACTGEN_API const char *actgen_kernel_chosen_by(const actgen_kernel *kernel);
/* Returns the bound that the kernel promises: "3 ulp". */
ACTGEN_API const char *actgen_kernel_accuracy(const actgen_kernel *kernel);
/* Returns the hash of the kernel's object as 32 hex digits, or "" if the interpreter was asked for. */
ACTGEN_API const char *actgen_kernel_object_hash(const actgen_kernel *kernel);
/* Returns the milliseconds that compiling took: planning and making code. */
ACTGEN_API double actgen_kernel_compile_ms(const actgen_kernel *kernel);
/* Returns the part of that time that the search for plans took. It is 0 if the plans were ready. */
ACTGEN_API double actgen_kernel_plan_ms(const actgen_kernel *kernel);

/* A name of a kernel. The names of `[a | b]` and `[a, b]` are one operand of a call, and so are the values of
 * a list. Any other name is an operand of its own. */
typedef struct actgen_operand_info {
    size_t size;          /* sizeof(actgen_operand_info). Later versions append fields. */
    const char *name;     /* Lives as long as the kernel. */
    int32_t type;         /* ACTGEN_F32, ... */
    int32_t shape;        /* ACTGEN_SHAPE_* */
    int32_t layout;       /* ACTGEN_LAYOUT_* */
    int32_t is_result;    /* 1 for a result, 0 for an input. */
    uint32_t group;       /* The operand of a call that has this name, from 0. */
    uint32_t part, parts; /* The place of this name in that operand, from 0, and how many names there are. */
    /* Columns that share an element: 32 for the shape [rows, cols/32], whose rows have cols/32 elements,
     * rounded up. 0: each column has its own. */
    uint32_t block;
    /* Rows that share an element: 128 for the shape [rows/128, cols/32], which has rows/128 rows, rounded up.
     * 0: each row has its own. */
    uint32_t block_rows;
} actgen_operand_info;
#define ACTGEN_OPERAND_INFO_INIT                                                                             \
    {                                                                                                        \
        sizeof(actgen_operand_info), NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0                                         \
    }
/* Returns the number of names: the inputs in declared order, then the results. */
ACTGEN_API size_t actgen_kernel_operand_count(const actgen_kernel *kernel);
/* Describes name i. Start from ACTGEN_OPERAND_INFO_INIT. The function fills at most info->size bytes, and
 * returns ACTGEN_EINVAL past the end. */
ACTGEN_API int actgen_kernel_operand_info(const actgen_kernel *kernel, size_t i, actgen_operand_info *info);
/* The function of one value of each input. Cast it to its type: the arguments are the inputs in declared
 * order, and the value is the result, all float or all double. For `gelu` it is float (*)(float). */
typedef void (*actgen_scalar_fn)(void);
/* Finds the function of one value. It has the bits of the kernel, keeps no state, and lives as long as the
 * kernel. Any threads may call it. The first call for a kernel makes the code, in milliseconds. The cache
 * keeps it.
 *
 * Returns ACTGEN_EINVAL for a kernel that is no such function: an input has shape [cols] or [rows], a type is
 * neither f32 nor f64, the types differ, or there are several results, sums or random numbers. Returns
 * ACTGEN_ETARGET if only the interpreter can run the kernel. *out is NULL then. */
ACTGEN_API int actgen_kernel_scalar(actgen_scalar_fn *out, const actgen_kernel *kernel, actgen_error *error);

/* A plan and loop that was timed for a kernel. Its texts live as long as the kernel. */
typedef struct actgen_timing {
    size_t size;             /* sizeof(actgen_timing). Later versions append fields. */
    const char *plan;        /* The shape of the plan: "factored". */
    const char *description; /* The parameters of the plan, in one line. */
    uint32_t piece;          /* The function of one value that it is for, from 0. They are timed in turn. */
    uint32_t stages;         /* Stages of the loop over whole vectors. 1 means that it is not pipelined. */
    uint32_t unroll;         /* Vectors per turn and stage. */
    int32_t constants_in_memory; /* Non-zero: constants are in memory, else in registers. */
    int32_t is_estimate;         /* Non-zero: ACTGEN_PLAN_ESTIMATE would have taken it. */
    int32_t is_chosen;           /* Non-zero: the kernel uses it. */
    double ns_per_element;       /* The least of many times, with operands in the nearest cache. */
    const char *object_hash;     /* The hash of its object, 32 hex digits. */
} actgen_timing;
#define ACTGEN_TIMING_INIT                                                                                   \
    {                                                                                                        \
        sizeof(actgen_timing), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL                                         \
    }
/* Describes timing i. Start from ACTGEN_TIMING_INIT. The function fills at most timing->size bytes, and
 * returns ACTGEN_EINVAL past the end. There are no timings if compiling timed nothing because the winner was
 * ready. */
ACTGEN_API int actgen_kernel_timing(const actgen_kernel *kernel, size_t i, actgen_timing *timing);

/* The promise of a kernel, its plan, and what planning measured. The errors are the largest of all functions
 * of one value in the kernel. Texts live as long as the kernel. */
typedef struct actgen_certificate {
    size_t size;                /* sizeof(actgen_certificate). Later versions append fields. */
    double max_ulp, max_ulp_at; /* The largest error in ulps of the exact value's binade, and its input. */
    double max_abs, max_abs_at; /* The largest |error| / max(1, |y|), and its input. */
    uint64_t inputs;            /* The number of inputs that were compared with the reference. */
    uint32_t max_ulp_at_bits, max_abs_at_bits; /* The two inputs as f32 bits, rounded if they are f64. */
    int32_t exhaustive; /* Non-zero: all 2^32 inputs of each function were tried, else a sample. */
    int32_t is_whole; /* Non-zero: the bound holds for whole results, else for each function of one value. */
    const char *accuracy; /* The bound that was asked for: "3 ulp". */
    const char *plan;     /* The shape and parameters, in one line. */
    const char *profile;  /* The profile of the lane program. Kernels of one profile give equal bits. */
    uint64_t max_ulp_at_bits64, max_abs_at_bits64; /* The two inputs as f64 bits, exact for every type. */
    /* A proof for functions of one f64, if options.prove was set. An analysis of so many intervals, which
     * cover all inputs, has shown that no error is larger than proved_ulp. For an absolute bound it is
     * proved_abs, in the units of max_abs. 0 means that there is no proof, only measurements. */
    double proved_ulp;
    uint64_t proved_intervals;
    double proved_abs;
    double proved_seen; /* The largest error that a search found where those bounds are largest. */
    /* The bound as numbers, for inputs from bound_low to bound_high. `bound` limits max_abs if bound_is_abs
     * is non-zero, else max_ulp. */
    double bound, bound_low, bound_high;
    int32_t bound_is_abs;
} actgen_certificate;
#define ACTGEN_CERTIFICATE_INIT                                                                              \
    {                                                                                                        \
        sizeof(actgen_certificate), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
            0                                                                                                \
    }
/* Fills in the certificate. Start from ACTGEN_CERTIFICATE_INIT. The function fills at most certificate->size
 * bytes. It returns ACTGEN_EINVAL and writes nothing if an argument is NULL or the size was not set. */
ACTGEN_API int actgen_kernel_certificate(const actgen_kernel *kernel, actgen_certificate *certificate);

#ifdef __cplusplus
}
#endif

#endif
