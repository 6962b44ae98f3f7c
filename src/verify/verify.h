/* Does a kernel keep its promise? Three comparisons.
 *
 * Machine code and interpreter: bit for bit (NaNs compare as NaNs), every length, several alignments, rows
 * with and without gaps, in place in each way that there is; nothing but the results may be written.
 *
 * Interpreter and reference: for each piece, a function of one value, the error must be within the bound,
 * input by input. All inputs of a 16-bit type are tried; of f64 a sample of the same kind as of f32.
 *
 * Interpreter and formulas: where results are more than one piece of one input, a sample of operands must
 * give the very bits of the pieces' programs with the arithmetic around them as it is written, one rounding
 * an operation and one to the result's type; lanes that do not are wrong.
 *
 * The numbers of f32 stand here for those of the piece's result type. ulp(y) is the spacing of f32 in the
 * binade of the exact y, the subnormal spacing 2^-149 below the smallest normal, the top binade's above the
 * largest number; values from 2^128 on and infinity count as 2^128, but the limit at an infinite input must
 * be met as an infinity. Wrong kinds of results have an infinite error, so that max_ulp_at tells where: a NaN
 * on one side only, a missed infinity at an infinite input and, under an ulp bound, a zero of the wrong sign
 * (free if the exact value is zero). A NaN input must give NaN. With an interval, finite and infinite inputs
 * outside it are not judged.
 *
 * An exhaustive run settles most inputs in blocks (sweep.c): there the interpreter runs the program narrowed
 * to the block (interp/narrowed.h), and results that are equal or follow a line are compared with an
 * enclosure of the function over the whole block (judge/band.h), or are NaN where it has no value; bounds in
 * doubles settle most of the others, next to 0 by the formula's series where its terms cancel
 * (reference/beginning.h), and MPFR what is left. The machine code is run at each input.
 *
 * The reference's value is rounded to double, so errors are known to 2^-29 ulp and 2^-53 (abs); a bound
 * counts as kept up to 2^-27 ulp or 2^-52 (abs) beyond it. Reported maxima are decided by the reference; an
 * error that the quick reference shows to be within 2^-20 of the largest one seen, or below 2^-24 ulp (2^-48
 * abs), does not replace it. */
#ifndef ACTGEN_VERIFY_H
#define ACTGEN_VERIFY_H

#include "actgen.h"
#include "diag.h"
#include "judge.h"

/* A whole result, over EXPR_INPUT i = operand i, for whole_max_ulp. */
struct verify_result {
    const expr *written, *simplified;
    uint32_t operand;
};

struct verify_subject {
    const struct lane_kernel *kernel;
    actgen_fn code;        /* NULL: no machine code that runs here */
    unsigned vector_lanes; /* of the code; 0 if unknown */
    const struct piece *pieces;
    uint32_t piece_count;
    const struct verify_result *results;
    uint32_t result_count;
    const lane_program *scaled_exponential; /* of the formulas' exp(u)*exp2(round(k)): loads u and round(k) */
    bool is_whole;           /* every result is one piece of an operand: its error is the piece's */
    struct spec_bound asked; /* of the kernel; BOUND_DEFAULT where nobody said one */
};

/* Fills *report whatever the status. `options` may be NULL. DIAG_OK if the comparison was made, whether or
 * not report->ok; DIAG_STOPPED if the progress function stopped it (the report holds what was found till
 * then, not ok); DIAG_NO_MEMORY. The report does not
 * depend on the number of threads. On equal errors max_ulp_at and max_abs_at are the input of the smallest
 * bit pattern among those that the reference decided. `inputs` counts those of each piece. Allocates with
 * malloc; the expressions and programs are only read. Exhaustive: all 2^32 inputs of each piece of f32, and
 * of a kernel with one input; kernels of more inputs have their bits compared on a sample of 2^sample_log2
 * (exhaustive: 2^24). In shards, what is counted is shared out; the reference's own sample, from which maxima
 * start, is every shard's. DIAG_INVALID for a shard that is none. */
int verify_run(const struct verify_subject *subject, const actgen_verify_options *options,
               actgen_report *report, struct diag *error);

#endif
