/* Kernels compared with the reference and the interpreter. It is a part of actgen.h, which includes it. */
#ifndef ACTGEN_INCLUDE_VERIFY_H
#define ACTGEN_INCLUDE_VERIFY_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- verifying ---- */
typedef struct actgen_verify_options {
    size_t size;
    int32_t exhaustive; /* all 2^32 inputs of each function of one f32 (of one f64: ACTGEN_EINVAL, as 2^64
                           cannot be tried); else a sample of at least 2^sample_log2 */
    actgen_parallel_fn parallel; /* NULL: on the caller's thread */
    void *parallel_payload;
    /* Called now and then from one thread at a time with the share done, 0 to 1; non-zero stops. May be
     * NULL. */
    int (*progress)(void *payload, double done, double max_ulp);
    void *progress_payload;
    /* Part `shard` (from 1) of `shards` of an exhaustive verification: reports of all parts add up to the
     * report of the whole (maxima by maximum). 0 of 0: all of it. At most ACTGEN_MAX_SHARDS. */
    uint32_t shard, shards;
    /* Inputs of a sample: 2^17 to 2^22. 0: 2^22. A small one finds what is wrong for many inputs, at a share
     * of the time. */
    uint32_t sample_log2;
} actgen_verify_options;
#define ACTGEN_MAX_SHARDS      16384
#define ACTGEN_MIN_SAMPLE_LOG2 17
#define ACTGEN_MAX_SAMPLE_LOG2 22
#define ACTGEN_VERIFY_OPTIONS_INIT                                                                           \
    {                                                                                                        \
        sizeof(actgen_verify_options), 0, NULL, NULL, NULL, NULL, 0, 0, 0                                    \
    }

typedef struct actgen_report {
    size_t size;                /* sizeof(actgen_report): later versions append fields */
    uint64_t inputs;            /* compared with the reference */
    double max_ulp, max_ulp_at; /* of the pieces, decided by the reference */
    double max_abs, max_abs_at; /* |error| / max(1, |y|) */
    double whole_max_ulp; /* of whole results, on values like those of networks: information, no promise; NaN
                               where every result is a function of one operand, whose error is max_ulp */
    uint64_t undecided;   /* inputs that the reference could not decide: never passed */
    uint64_t wrong;       /* inputs beyond the bound, or with a wrong NaN, infinity or sign of zero */
    uint64_t bits_compared; /* machine code against interpreter; 0 if no machine code can run here */
    uint64_t bits_differ;
    int32_t ok;
    double done;            /* share of the work, 1 unless it was stopped */
    const char *max_ulp_of; /* the function of one value that max_ulp_at is an input of, "sigmoid(x / t)";
                               NULL where every result is one. Lives as long as the kernel */
    uint64_t settled; /* of `inputs`, those that one enclosure of the function settled for a whole block, */
    uint64_t asked;   /* and those that MPFR was asked for; bounds in doubles settled the others */
} actgen_report;
#define ACTGEN_REPORT_INIT                                                                                   \
    {                                                                                                        \
        sizeof(actgen_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0                                \
    }
/* Start from ACTGEN_REPORT_INIT; fills no more than report->size bytes, also when the progress function
 * stopped it. */
ACTGEN_API int actgen_verify(const actgen_kernel *kernel, const actgen_verify_options *options,
                             actgen_report *report, actgen_error *error);

#ifdef __cplusplus
}
#endif
#endif
