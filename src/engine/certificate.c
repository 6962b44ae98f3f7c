/* The certificate of a kernel: its measured and proved errors. */
#include "float_bits.h"
#include "kernel.h"

#include <math.h>

actgen_certificate kernel_certificate(const actgen_kernel *k)
{
    const uint32_t count = k->lowered->piece_count;
    const struct spec_bound bound = promised_bound(k);
    struct tally worst = {0};
    bool exhaustive = count > 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct tally *measured = &k->lowered->pieces[i].plan->measured;
        exhaustive = exhaustive && k->lowered->pieces[i].plan->swept >= UINT64_C(1) << 32;
        worst = tally_merge(worst, tally_widened(*measured, k->lowered->pieces[i].argument));
    }
    return (actgen_certificate){.max_ulp = worst.max_ulp,
                                .max_ulp_at = f64_of_bits(worst.max_ulp_at),
                                .max_abs = worst.max_abs,
                                .max_abs_at = f64_of_bits(worst.max_abs_at),
                                .inputs = worst.inputs,
                                .max_ulp_at_bits = bits_of_f32((float)f64_of_bits(worst.max_ulp_at)),
                                .max_abs_at_bits = bits_of_f32((float)f64_of_bits(worst.max_abs_at)),
                                .exhaustive = exhaustive,
                                .is_whole = k->lowered->is_whole,
                                .accuracy = k->accuracy,
                                .plan = k->plan,
                                .profile = k->profile->name,
                                .max_ulp_at_bits64 = worst.max_ulp_at,
                                .max_abs_at_bits64 = worst.max_abs_at,
                                .proved_ulp = k->proved_ulp,
                                .proved_intervals = k->proved_intervals,
                                .proved_abs = k->proved_abs,
                                .proved_seen = k->proved_seen,
                                .bound = bound.kind == BOUND_DEFAULT ? (double)SPEC_DEFAULT_ULP : bound.value,
                                .bound_low = bound.has_interval ? bound.low : -INFINITY,
                                .bound_high = bound.has_interval ? bound.high : INFINITY,
                                .bound_is_abs = bound.kind == BOUND_ABS};
}
