/* Checks by three comparisons that a kernel keeps its promise.
 *
 * 1. Machine code and interpreter agree bit for bit (NaNs compare as NaNs). This covers every length, several
 * alignments, rows with and without gaps, and every way to work in place. Nothing except the results may be
 * written.
 *
 * 2. Interpreter and reference: the error of each piece, a function of one value, must be within the bound,
 * input by input. All inputs of a 16-bit type are tried. f64 has a sample of the same kind as f32.
 *
 * 3. Interpreter and formulas: this applies where results are more than one piece of one input. A sample of
 * operands must give exactly the bits of the pieces' programs with the arithmetic around them as written.
 * Each operation has one rounding, and so has the conversion to the result's type. Lanes that differ are
 * wrong.
 *
 * The rules for errors follow. They are written for f32, and hold in the same way for other result types.
 * ulp(y) is the spacing of f32 in the binade of the exact y. Below the smallest normal number it is the
 * subnormal spacing 2^-149. Above the largest number it is the spacing of the top binade. Values from 2^128
 * on and infinity count as 2^128, but the limit at an infinite input must be met as an infinity.
 *
 * Results of a wrong kind have an infinite error, so that max_ulp_at tells where they are. A NaN on one side
 * only is such a result, and so is a missed infinity at an infinite input. Under an ulp bound a zero of the
 * wrong sign is one as well, unless the exact value is zero. A NaN input must give NaN. If the bound has an
 * interval, finite and infinite inputs outside it are not judged.
 *
 * An exhaustive run settles most inputs in blocks (sweep.c). The interpreter runs the program narrowed to the
 * block (interp/narrowed.h). Results that are equal or follow a line are compared with an enclosure of the
 * function over the whole block (judge/band.h). Where the function has no value, they must be NaN. Bounds in
 * doubles settle most other inputs. Next to 0, where the formula's terms cancel, they come from its series
 * (reference/beginning.h). MPFR settles the rest. The machine code runs at each input.
 *
 * The reference's value is rounded to double, so errors are known to 2^-29 ulp and 2^-53 (abs). A bound
 * counts as kept up to 2^-27 ulp or 2^-52 (abs) beyond it. The reference decides reported maxima. The quick
 * reference may show that an error is within 2^-20 of the largest one seen, or below 2^-24 ulp (2^-48 abs).
 * Such an error does not replace the largest one. */
#ifndef ACTGEN_VERIFY_H
#define ACTGEN_VERIFY_H

#include "actgen.h"
#include "diag.h"
#include "judge.h"

/* A whole result as a formula in which EXPR_INPUT i is operand i, for whole_max_ulp. */
struct verify_result {
    const expr *written, *simplified;
    uint32_t operand;
};

struct verify_subject {
    const struct lane_kernel *kernel;
    actgen_fn code;        /* NULL if no machine code runs here */
    unsigned vector_lanes; /* vector length of the code; 0 if unknown */
    const struct piece *pieces;
    uint32_t piece_count;
    const struct tally *known; /* what planning found for each piece; NULL if nothing is known */
    const struct verify_result *results;
    uint32_t result_count;
    /* program of the formulas' exp(u)*exp2(round(k)); loads u and round(k) */
    const lane_program *scaled_exponential;
    bool is_whole;           /* every result is one piece of an operand, so its error is the piece's */
    struct spec_bound asked; /* bound of the kernel; BOUND_DEFAULT if none was given */
};

/* Verifies a kernel. Fills *report whatever the status. `options` may be NULL. Allocates with malloc, and
 * only reads the expressions and programs.
 *
 * Returns DIAG_OK if the comparison was made, even if report->ok is false. Returns DIAG_STOPPED if the
 * progress function stopped it. The report then holds what was found before, and is not ok. Returns
 * DIAG_NO_MEMORY if memory runs out. Returns DIAG_INVALID for wrong options: a shard that does not exist, a
 * sample of another size, an exhaustive run over f64.
 *
 * The report does not depend on the number of threads. On equal errors max_ulp_at and max_abs_at are the
 * input of the smallest bit pattern that the reference decided. `inputs` counts the inputs of each piece.
 *
 * An exhaustive run tries all 2^32 inputs of each piece of f32, and of a kernel with one input. Kernels of
 * more inputs have their bits compared on a sample of 2^sample_log2 (exhaustive: 2^24). Shards share the
 * counted inputs. Each shard also judges the reference's own sample, from which maxima start. */
int verify_run(const struct verify_subject *subject, const actgen_verify_options *options,
               actgen_report *report, struct diag *error);

#endif
