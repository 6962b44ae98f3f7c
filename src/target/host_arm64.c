/* AArch64 on Linux: what the system tells a process of the processor. The system also answers for the register that numbers the
 * processor, if HWCAP says so (Linux, Documentation/arch/arm64/cpu-feature-registers.rst). */
#include "host.h"

#if defined(__aarch64__)
#include <stdio.h>
#include <sys/auxv.h>

enum { HWCAP_NUMBERS_ARE_TOLD = 1 << 11 }; /* HWCAP_CPUID */

enum target_architecture target_architecture_here(void) { return ARCHITECTURE_ARM64; }

bool host_has(const struct target_requirement *needs)
{
    for (const struct target_hwcap *row = target_hwcap_rows; row < target_hwcap_rows + needs->count; row++)
        if ((getauxval(row->kind) & row->bits) != row->bits) return false;
    return true;
}

/* The maker (0x41 is Arm), and the part that it makes. */
struct host_numbers host_numbers(void)
{
    uint64_t midr;
    if (!(getauxval(TARGET_HWCAP) & HWCAP_NUMBERS_ARE_TOLD)) return (struct host_numbers){0};
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    return (struct host_numbers){(unsigned)(midr >> 24 & 0xff), (unsigned)(midr >> 4 & 0xfff)};
}

void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    const struct host_numbers here = host_numbers();
    snprintf(out, TARGET_PROCESSOR_SIZE, "arm64 %u %u", here.family, here.model);
}
#endif
