/* The requirements of instruction sets, and the question which of them this processor and system meet
 * (host.h).
 *
 * The sources of the bits are:
 *
 * - Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID.
 * - Linux, arch/arm64/include/uapi/asm/hwcap.h.
 * - Linux, Documentation/arch/riscv/hwprobe.rst and arch/riscv/include/uapi/asm/hwcap.h. */
#include "host.h"

#include <string.h>

enum { FMA = 1u << 12, MOVBE = 1u << 22, OSXSAVE = 1u << 27, AVX = 1u << 28, F16C = 1u << 29 };
enum { BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8 };
enum { LZCNT = 1u << 5, AVX512_FP16 = 1u << 23, AVX512_VBMI = 1u << 1 };
#define AVX512_F_DQ_CD_BW_VL (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)

const struct target_cpuid target_cpuid_rows[] = {
    {1, 0, REGISTER_C, FMA | MOVBE | OSXSAVE | AVX | F16C},
    {7, 0, REGISTER_B, BMI1 | AVX2 | BMI2},
    {0x80000001u, 0, REGISTER_C, LZCNT},
    {7, 0, REGISTER_B, AVX512_F_DQ_CD_BW_VL},
    {7, 0, REGISTER_C, AVX512_VBMI},
    {7, 0, REGISTER_D, AVX512_FP16},
};
const size_t target_cpuid_row_count = sizeof target_cpuid_rows / sizeof *target_cpuid_rows;

/* Processors with SVE2 have SVE. */
const struct target_hwcap target_hwcap_rows[] = {
    {TARGET_HWCAP, 1u << 22 /* SVE */},
    {TARGET_HWCAP2, 1u << 1 /* SVE2 */},
};
const size_t target_hwcap_row_count = sizeof target_hwcap_rows / sizeof *target_hwcap_rows;

/* The key of the extensions in addition to the base, IMA_EXT_0. HWCAP has a bit for each letter. */
enum { EXTENSIONS = 4, FD = 1 << 0, C = 1 << 1, V = 1 << 2 };
#define HWCAP_LETTER(letter) (UINT64_C(1) << ((letter) - 'A'))
const struct target_hwprobe target_hwprobe_rows[] = {
    {EXTENSIONS, FD | C | V, HWCAP_LETTER('F') | HWCAP_LETTER('D') | HWCAP_LETTER('C') | HWCAP_LETTER('V')},
};
const size_t target_hwprobe_row_count = sizeof target_hwprobe_rows / sizeof *target_hwprobe_rows;

static bool has(const struct host_answers *a, const struct target_requirement *needs)
{
    for (size_t i = 0; i < needs->count; i++)
        if (!a->has[i]) return false;
    return (a->saved & needs->saved) == needs->saved;
}

struct target_here target_here(void)
{
    const struct host_answers a = host_ask();
    struct target_here here = {.family = a.family, .model = a.model};
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = target_isa_at(i);
        if (isa->architecture == target_architecture_here() && has(&a, &isa->needs))
            here.isas |= UINT64_C(1) << i;
    }
    return here;
}

bool target_here_runs(const struct target_here *here, const struct target_isa *isa)
{
    for (size_t i = 0; i < target_isa_count(); i++)
        if (isa == target_isa_at(i)) return here->isas >> i & 1;
    return false;
}

const struct target_isa *target_here_isa(const struct target_here *here)
{
    for (size_t i = 0; i < target_isa_count(); i++)
        if (here->isas >> i & 1 && !target_isa_at(i)->extends) return target_isa_at(i);
    return NULL;
}

bool target_isa_runs_here(const struct target_isa *isa)
{
    const struct host_answers a = host_ask();
    return isa->architecture == target_architecture_here() && has(&a, &isa->needs);
}

static bool is_core(const struct target_here *here, const struct target_costs *core)
{
    const struct target_family *f = &core->family;
    const bool is_first = here->model >= f->least_model && here->model <= f->most_model,
               is_other = f->most_other && here->model >= f->least_other && here->model <= f->most_other;
    return !f->number || (here->family == f->number && (is_first || is_other));
}

bool target_core_is_here(const struct target_costs *core)
{
    const struct target_here here = target_here();
    const bool is_default = target_isa_find(core->isa)->costs == core;
    return is_core(&here, core) || (is_default && !target_here_core(&here));
}

const char *target_here_core(const struct target_here *here)
{
    const struct target_isa *isa = target_here_isa(here);
    for (size_t i = 0; isa && i < CORE_COUNT; i++)
        if (!strcmp(target_cores[i].isa, isa->name) && is_core(here, &target_cores[i]))
            return target_cores[i].name;
    return NULL;
}

const char *target_core_here(void)
{
    const struct target_here here = target_here();
    return target_here_core(&here);
}
