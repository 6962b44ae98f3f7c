/* AArch64 on Linux: asks the system about the processor. If HWCAP says so, the system also emulates reading
 * the register with the processor's numbers (Linux, Documentation/arch/arm64/cpu-feature-registers.rst). */
#include "host.h"

#if defined(__aarch64__)
#include <stdio.h>
#include <sys/auxv.h>

enum { HWCAP_NUMBERS_ARE_TOLD = 1 << 11 }; /* HWCAP_CPUID */

enum target_architecture target_architecture_here(void) { return ARCHITECTURE_ARM64; }

/* Asks the system. The family is the number of the maker, 0x41 for Arm. The model is the number of the
 * part. */
struct host_answers host_ask(void)
{
    struct host_answers a = {.features = 0};
    uint64_t midr;
    for (unsigned i = 0; i < FEATURE_COUNT; i++) {
        const struct target_feature_row *row = &target_features[i];
        if (row->architecture == ARCHITECTURE_ARM64 &&
            (getauxval(row->hwcap.word) & row->hwcap.bits) == row->hwcap.bits)
            a.features |= UINT64_C(1) << i;
    }
    if (!(getauxval(TARGET_HWCAP) & HWCAP_NUMBERS_ARE_TOLD)) return a;
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    a.family = (unsigned)(midr >> 24 & 0xff);
    a.model = (unsigned)(midr >> 4 & 0xfff);
    return a;
}

void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    const struct host_answers here = host_ask();
    snprintf(out, TARGET_PROCESSOR_SIZE, "arm64 %u %u", here.family, here.model);
}
#endif
