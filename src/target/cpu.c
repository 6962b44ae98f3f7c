/* What instruction sets ask of processors, and what this one and its system have of it (host.h).
 *
 * Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID; Linux,
 * arch/arm64/include/uapi/asm/hwcap.h. */
#include "host.h"

#include <string.h>

enum { FMA = 1u << 12, MOVBE = 1u << 22, OSXSAVE = 1u << 27, AVX = 1u << 28, F16C = 1u << 29 };
enum { BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8 };
enum { LZCNT = 1u << 5, AVX512_FP16 = 1u << 23 };
#define AVX512_F_DQ_CD_BW_VL (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)

const struct target_cpuid target_cpuid_rows[] = {
    {1, 0, REGISTER_C, FMA | MOVBE | OSXSAVE | AVX | F16C},
    {7, 0, REGISTER_B, BMI1 | AVX2 | BMI2},
    {0x80000001u, 0, REGISTER_C, LZCNT},
    {7, 0, REGISTER_B, AVX512_F_DQ_CD_BW_VL},
    {7, 0, REGISTER_D, AVX512_FP16},
};

/* Those with SVE2 have SVE. */
const struct target_hwcap target_hwcap_rows[] = {
    {TARGET_HWCAP, 1u << 22 /* SVE */},
    {TARGET_HWCAP2, 1u << 1 /* SVE2 */},
};

bool target_isa_runs_here(const struct target_isa *isa)
{
    return isa->architecture == target_architecture_here() && host_has(&isa->needs);
}

bool target_core_is_here(const struct target_costs *core)
{
    const struct target_family *f = &core->family;
    if (!f->number) return true;
    const struct host_numbers here = host_numbers();
    return here.family == f->number && here.model >= f->least_model && here.model <= f->most_model;
}

const char *target_core_here(void)
{
    const struct target_isa *isa = target_isa_find("host");
    for (size_t i = 0; isa && i < CORE_COUNT; i++)
        if (!strcmp(target_cores[i].isa, isa->name) && target_core_is_here(&target_cores[i]))
            return target_cores[i].name;
    return NULL;
}
