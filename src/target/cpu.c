/* What this processor and this system can run, asked of the processor itself.
 *
 * Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID and XGETBV. A register
 * file is usable only if the operating system saves it, which XCR0 tells. */
#include "target.h"

#if defined(__x86_64__)
#include <cpuid.h>

enum { EAX, EBX, ECX, EDX, REGISTERS };

struct cpuid_bit {
    unsigned leaf, subleaf, reg, bit;
};

static const struct cpuid_bit avx2_bits[] = {
    {1, 0, ECX, 12},          /* FMA */
    {1, 0, ECX, 22},          /* MOVBE */
    {1, 0, ECX, 27},          /* OSXSAVE */
    {1, 0, ECX, 28},          /* AVX */
    {1, 0, ECX, 29},          /* F16C */
    {7, 0, EBX, 3},           /* BMI1 */
    {7, 0, EBX, 5},           /* AVX2 */
    {7, 0, EBX, 8},           /* BMI2 */
    {0x80000001u, 0, ECX, 5}, /* LZCNT */
};

static const struct cpuid_bit avx512_bits[] = {
    {7, 0, EBX, 16}, /* AVX512F */
    {7, 0, EBX, 17}, /* AVX512DQ */
    {7, 0, EBX, 28}, /* AVX512CD */
    {7, 0, EBX, 30}, /* AVX512BW */
    {7, 0, EBX, 31}, /* AVX512VL */
};

enum {
    XCR0_YMM = 0x6 /* SSE and AVX state */,
    XCR0_ZMM = 0xe6 /* besides, opmask, upper halves, zmm16 to 31 */
};

static bool has_all(const struct cpuid_bit *bits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned r[REGISTERS] = {0};
        if (!__get_cpuid_count(bits[i].leaf, bits[i].subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]))
            return false;
        if (!(r[bits[i].reg] >> bits[i].bit & 1u)) return false;
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
    if (needs == NEEDS_X86_64) return true;
    if (!has_all(avx2_bits, sizeof avx2_bits / sizeof *avx2_bits) || !system_saves(XCR0_YMM)) return false;
    if (needs == NEEDS_AVX2) return true;
    return needs == NEEDS_AVX512 && has_all(avx512_bits, sizeof avx512_bits / sizeof *avx512_bits) &&
           system_saves(XCR0_ZMM);
}
/* Families and models: AMD64 Architecture Programmer's Manual, volume 3, appendix E, and Intel's manual, volume 4,
 * table 2-1. */
const char *target_core_here(void)
{
    unsigned r[REGISTERS] = {0};
    if (!__get_cpuid(1, &r[EAX], &r[EBX], &r[ECX], &r[EDX])) return NULL;
    const unsigned base = r[EAX] >> 8 & 15, family = base == 15 ? base + (r[EAX] >> 20 & 255) : base;
    const unsigned model = (r[EAX] >> 4 & 15) | (r[EAX] >> 12 & 0xf0);
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
