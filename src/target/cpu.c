/* What this processor and this system can run, asked of the processor itself.
 *
 * Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID and XGETBV. A register
 * file is usable only if the operating system saves it, which XCR0 tells. */
#include "target.h"

#include <stdio.h>
#include <string.h>

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

#if defined(__x86_64__)
#include <cpuid.h>

enum target_architecture target_architecture_here(void) { return ARCHITECTURE_X86; }

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

bool target_isa_runs_here(const struct target_isa *isa)
{
    return isa->architecture == ARCHITECTURE_X86 && has_all(isa->needs.count) &&
           (!isa->needs.saved || system_saves(isa->needs.saved));
}

struct numbers {
    unsigned family, model; /* 0 where the processor does not say */
};

/* Where the base family is 15, the extended one is added to it. Models have their extended part. */
static struct numbers numbers_here(void)
{
    unsigned r[REGISTERS] = {0};
    if (!__get_cpuid(1, &r[REGISTER_A], &r[REGISTER_B], &r[REGISTER_C], &r[REGISTER_D]))
        return (struct numbers){0};
    const unsigned base = r[REGISTER_A] >> 8 & 15;
    return (struct numbers){base == 15 ? base + (r[REGISTER_A] >> 20 & 255) : base,
                            (r[REGISTER_A] >> 4 & 15) | (r[REGISTER_A] >> 12 & 0xf0)};
}

static bool is_of_family(const struct target_family *f)
{
    const struct numbers here = numbers_here();
    return !f->number ||
           (here.family == f->number && here.model >= f->least_model && here.model <= f->most_model);
}

/* The maker's name is in three registers, which are not in the order of their letters. */
void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    unsigned maker[4] = {0}, leaves;
    char name[sizeof maker];
    const struct numbers here = numbers_here();
    if (!__get_cpuid(0, &leaves, &maker[0], &maker[2], &maker[1])) maker[0] = 0;
    memcpy(name, maker, sizeof name);
    snprintf(out, TARGET_PROCESSOR_SIZE, "%s %u %u", name, here.family, here.model);
}
#else
#if defined(__aarch64__)
enum target_architecture target_architecture_here(void) { return ARCHITECTURE_ARM64; }
#else
enum target_architecture target_architecture_here(void) { return ARCHITECTURE_COUNT; }
#endif

void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    snprintf(out, TARGET_PROCESSOR_SIZE, "unknown");
}

bool target_isa_runs_here(const struct target_isa *isa)
{
    (void)isa;
    return false;
}

static bool is_of_family(const struct target_family *f) { return !f->number; }
#endif

bool target_core_is_here(const struct target_costs *core) { return is_of_family(&core->family); }

const char *target_core_here(void)
{
    const struct target_isa *isa = target_isa_find("host");
    for (size_t i = 0; isa && i < CORE_COUNT; i++)
        if (!strcmp(target_cores[i].isa, isa->name) && is_of_family(&target_cores[i].family))
            return target_cores[i].name;
    return NULL;
}
