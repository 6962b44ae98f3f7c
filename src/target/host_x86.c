/* x86-64: what this processor and this system can run, asked of the processor itself.
 *
 * Bits: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID and XGETBV. A register
 * file is usable only if the operating system saves it, which XCR0 tells. */
#include "host.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

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

bool host_has(const struct target_requirement *needs)
{
    return has_all(needs->count) && (!needs->saved || system_saves(needs->saved));
}

/* Where the base family is 15, the extended one is added to it. Models have their extended part. */
struct host_numbers host_numbers(void)
{
    unsigned r[REGISTERS] = {0};
    if (!__get_cpuid(1, &r[REGISTER_A], &r[REGISTER_B], &r[REGISTER_C], &r[REGISTER_D]))
        return (struct host_numbers){0};
    const unsigned base = r[REGISTER_A] >> 8 & 15;
    return (struct host_numbers){base == 15 ? base + (r[REGISTER_A] >> 20 & 255) : base,
                                 (r[REGISTER_A] >> 4 & 15) | (r[REGISTER_A] >> 12 & 0xf0)};
}

/* The maker's name is in three registers, which are not in the order of their letters. */
void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    unsigned maker[4] = {0}, leaves;
    char name[sizeof maker];
    const struct host_numbers here = host_numbers();
    if (!__get_cpuid(0, &leaves, &maker[0], &maker[2], &maker[1])) maker[0] = 0;
    memcpy(name, maker, sizeof name);
    snprintf(out, TARGET_PROCESSOR_SIZE, "%s %u %u", name, here.family, here.model);
}
#endif
