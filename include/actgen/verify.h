/* Comparing kernels with the reference and the interpreter. actgen.h includes this header. */
#ifndef ACTGEN_INCLUDE_VERIFY_H
#define ACTGEN_INCLUDE_VERIFY_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- verifying ---- */
/* Computes the true value of one element of result number `result`, rounded to the nearest double. `inputs`
 * has one double per input. The call returns ACTGEN_EINVAL for results that depend on more than one element
 * or on random numbers, and ACTGEN_EACCURACY if 8192 bits do not decide the value. */
ACTGEN_API int actgen_reference(const actgen_kernel *kernel, size_t result, const double *inputs,
                                double *value, actgen_error *error);
/* How a kernel is verified. */
typedef struct actgen_verify_options {
    size_t size; /* sizeof(actgen_verify_options). Later versions append fields. */
    /* Non-zero: all 2^32 inputs of each function of one f32. For a function of one f64 the call returns
     * ACTGEN_EINVAL, because 2^64 inputs are too many. 0: a sample of at least 2^sample_log2 inputs. */
    int32_t exhaustive;
    actgen_parallel_fn parallel; /* NULL: the caller's thread only. */
    void *parallel_payload;
    /* Called now and then, by one thread at a time. `done` is the share of the work that is done, 0 to 1. A
     * result other than 0 stops the call. May be NULL. */
    int (*progress)(void *payload, double done, double max_ulp);
    void *progress_payload;
    /* Part number `shard`, from 1, of `shards` parts of an exhaustive verification. There are at most
     * ACTGEN_MAX_SHARDS parts. The reports of all parts add up to the report of the whole. (Take the maximum
     * of fields that are maxima.) 0 and 0 are the whole. */
    uint32_t shard, shards;
    /* The size of a sample as a power of 2, from ACTGEN_MIN_SAMPLE_LOG2 to ACTGEN_MAX_SAMPLE_LOG2. 0 is the
     * largest. A small sample takes less time, and finds errors that many inputs have. */
    uint32_t sample_log2;
    /* A function to judge in place of the kernel, or NULL. The kernel says what is right: its formula, its
     * types and its bound. The function computes y[i] of x[i] for i < n, n up to 2048, in the types of the
     * kernel's input and result. With `parallel`, several threads call it at once.
     *
     * The kernel must be a function of one value with a result that is no integer, else the call returns
     * ACTGEN_EINVAL. Bits are not compared with the interpreter, because the kernel does not run. */
    void (*judged)(void *payload, size_t n, const void *x, void *y);
    void *judged_payload;
} actgen_verify_options;
#define ACTGEN_MAX_SHARDS      16384
#define ACTGEN_MIN_SAMPLE_LOG2 17
#define ACTGEN_MAX_SAMPLE_LOG2 22
#define ACTGEN_VERIFY_OPTIONS_INIT                                                                           \
    {                                                                                                        \
        sizeof(actgen_verify_options), 0, NULL, NULL, NULL, NULL, 0, 0, 0, NULL, NULL                        \
    }

/* The result of a verification. */
typedef struct actgen_report {
    size_t size;                /* sizeof(actgen_report). Later versions append fields. */
    uint64_t inputs;            /* Inputs that were compared with the reference. */
    double max_ulp, max_ulp_at; /* The largest error in ulps of a function of one value, and its input. */
    double max_abs, max_abs_at; /* The largest |error| / max(1, |y|), and its input. */
    /* The largest error of whole results, on values like those in networks. It is information and no promise.
     * It is NaN if every result is a function of one operand. Then max_ulp is that error. */
    double whole_max_ulp;
    uint64_t undecided; /* Inputs that the reference could not decide. A kernel that has any does not pass. */
    uint64_t wrong;     /* Inputs beyond the bound, or with a wrong NaN, infinity or sign of zero. */
    /* Results of machine code that were compared with the interpreter. 0 if no machine code can run here. */
    uint64_t bits_compared;
    uint64_t bits_differ; /* Results among them that differ. */
    int32_t ok;           /* Non-zero: the kernel passed. */
    double done;          /* The share of the work that was done. It is 1 if the call was not stopped. */
    /* The function of one value that max_ulp_at is an input of: "sigmoid(x / t)". NULL if every result is
     * such a function. Lives as long as the kernel. */
    const char *max_ulp_of;
    /* The inputs that were decided in blocks, because one enclosure of the function decided a whole block,
     * and the inputs that MPFR decided. Bounds in doubles decided the other inputs. */
    uint64_t settled;
    uint64_t asked;
} actgen_report;
#define ACTGEN_REPORT_INIT                                                                                   \
    {                                                                                                        \
        sizeof(actgen_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, 0, 0                                \
    }
/* Compares a kernel with the reference, and its machine code with the interpreter. Start from
 * ACTGEN_REPORT_INIT. The function fills at most report->size bytes, also if the progress function stopped
 * the call. `options` may be NULL. */
ACTGEN_API int actgen_verify(const actgen_kernel *kernel, const actgen_verify_options *options,
                             actgen_report *report, actgen_error *error);

#ifdef __cplusplus
}
#endif
#endif
