/* x86-64: asks the processor what it and the system can run.
 *
 * The source of the bits is Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID
 * and XGETBV. A register file is usable only if the operating system saves it, as XCR0 says. */
#include "host.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <stdio.h>
#include <string.h>

enum target_architecture target_architecture_here(void) { return ARCHITECTURE_X86; }

/* Returns the last basic leaf. */
static unsigned last_leaf(void)
{
    unsigned last, b, c, d;
    __cpuid(0, last, b, c, d);
    return last;
}

/* Reads a leaf. The registers are zeros if the processor has no such leaf. The function does not ask for the
 * last extended leaf, because every x86-64 processor has the first one. */
static void ask_leaf(unsigned r[REGISTERS], unsigned leaf, unsigned subleaf, unsigned last)
{
    const unsigned extended = 0x80000001u;
    for (int i = 0; i < REGISTERS; i++) r[i] = 0;
    if (leaf <= last || leaf == extended)
        __cpuid_count(leaf, subleaf, r[REGISTER_A], r[REGISTER_B], r[REGISTER_C], r[REGISTER_D]);
}

/* Returns XCR0. The instruction is undefined unless CPUID has OSXSAVE. */
static unsigned saved_registers(void)
{
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Reads family and model. A base family of 15 means that the extended family is added. Models always have
 * their extended part. */
static void read_numbers(struct host_answers *a, unsigned eax)
{
    const unsigned base = eax >> 8 & 15;
    a->family = base == 15 ? base + (eax >> 20 & 255) : base;
    a->model = (eax >> 4 & 15) | (eax >> 12 & 0xf0);
}

struct host_answers host_ask(void)
{
    struct host_answers a = {.features = 0};
    unsigned r[REGISTERS], leaf = CPUID_NUMBERS, subleaf = 0;
    const unsigned last = last_leaf();
    ask_leaf(r, leaf, subleaf, last);
    const unsigned saved = r[REGISTER_C] & CPUID_OSXSAVE ? saved_registers() : 0;
    read_numbers(&a, r[REGISTER_A]);
    for (unsigned i = 0; i < FEATURE_COUNT; i++) {
        const struct target_feature_row *row = &target_features[i];
        if (row->architecture != ARCHITECTURE_X86) continue;
        if (row->cpuid.leaf != leaf || row->cpuid.subleaf != subleaf)
            ask_leaf(r, leaf = row->cpuid.leaf, subleaf = row->cpuid.subleaf, last);
        const bool has_bits = (r[row->cpuid.reg] & row->cpuid.bits) == row->cpuid.bits;
        if (has_bits && (saved & row->cpuid.saved) == row->cpuid.saved) a.features |= UINT64_C(1) << i;
    }
    return a;
}

/* Writes maker, family and model. The maker's name is in three registers, in the order B, D, C. */
void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    unsigned maker[4] = {0}, leaves;
    char name[sizeof maker];
    const struct host_answers here = host_ask();
    if (!__get_cpuid(0, &leaves, &maker[0], &maker[2], &maker[1])) maker[0] = 0;
    memcpy(name, maker, sizeof name);
    snprintf(out, TARGET_PROCESSOR_SIZE, "%s %u %u", name, here.family, here.model);
}
#endif
