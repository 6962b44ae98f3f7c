/* What this processor and this system can run, asked of the processor itself.
 *
 * Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID and XGETBV. A register
 * file is usable only if the operating system saves it, which XCR0 tells. */
#include "target.h"

enum { FMA = 1u << 12, MOVBE = 1u << 22, OSXSAVE = 1u << 27, AVX = 1u << 28, F16C = 1u << 29 };
enum { BMI1 = 1u << 3, AVX2 = 1u << 5, BMI2 = 1u << 8 };
enum { LZCNT = 1u << 5 };
#define AVX512_F_DQ_CD_BW_VL (1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31)

const struct target_cpuid target_cpuid_rows[] = {
    {1, 0, REGISTER_C, FMA | MOVBE | OSXSAVE | AVX | F16C},
    {7, 0, REGISTER_B, BMI1 | AVX2 | BMI2},
    {0x80000001u, 0, REGISTER_C, LZCNT},
    {7, 0, REGISTER_B, AVX512_F_DQ_CD_BW_VL},
};

enum {
    XCR0_YMM = 0x6 /* SSE and AVX state */,
    XCR0_ZMM = 0xe6 /* besides, opmask, upper halves, zmm16 to 31 */
};

struct target_requirement target_requirement(enum target_needs needs)
{
    static const struct target_requirement requirements[] = {
        [NEEDS_X86_64] = {0, 0}, [NEEDS_AVX2] = {3, XCR0_YMM}, [NEEDS_AVX512] = {4, XCR0_ZMM}};
    return requirements[needs];
}

#if defined(__x86_64__)
#include <cpuid.h>

static bool has_all(size_t count)
{
    for (const struct target_cpuid *row = target_cpuid_rows; row < target_cpuid_rows + count; row++) {
        unsigned r[REGISTERS] = {0};
        if (!__get_cpuid_count(row->leaf, row->subleaf, &r[REGISTER_A], &r[REGISTER_B], &r[REGISTER_C],
                               &r[REGISTER_D]))
            return false;
        if ((r[row->reg] & row->bits) != row->bits) return false;
    }
    return true;
}

/* Only where CPUID says OSXSAVE: the instruction is undefined elsewhere. */
static bool system_saves(unsigned state)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & state) == state;
}

static bool processor_has(enum target_needs needs)
{
    const struct target_requirement r = target_requirement(needs);
    return has_all(r.count) && (!r.saved || system_saves(r.saved));
}

/* Families and models: AMD64 Architecture Programmer's Manual, volume 3, appendix E, and Intel's manual, volume 4,
 * table 2-1. */
const char *target_core_here(void)
{
    unsigned r[REGISTERS] = {0};
    if (!__get_cpuid(1, &r[REGISTER_A], &r[REGISTER_B], &r[REGISTER_C], &r[REGISTER_D])) return NULL;
    const unsigned base = r[REGISTER_A] >> 8 & 15,
                   family = base == 15 ? base + (r[REGISTER_A] >> 20 & 255) : base;
    const unsigned model = (r[REGISTER_A] >> 4 & 15) | (r[REGISTER_A] >> 12 & 0xf0);
    if (!processor_has(NEEDS_AVX512)) return processor_has(NEEDS_AVX2) ? "generic-avx2" : "generic";
    if (family == 0x1a) return "zen5";
    if (family == 0x19) return model >= 0x10 ? "zen4" : NULL;
    return family == 6 ? "skylake-x" : NULL;
}
#else
const char *target_core_here(void) { return NULL; }

static bool processor_has(enum target_needs needs)
{
    (void)needs;
    return false;
}
#endif

bool target_isa_runs_here(const struct target_isa *isa) { return processor_has(isa->needs); }
