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
 * last extended leaf, because every x86-64 processor has the first one. In a virtual machine each question
 * takes microseconds. */
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

/* Returns the first row that reads the same leaf as row i. */
static size_t first_of_leaf(size_t i)
{
    const struct target_cpuid *row = &target_cpuid_rows[i];
    size_t first = 0;
    while (target_cpuid_rows[first].leaf != row->leaf || target_cpuid_rows[first].subleaf != row->subleaf)
        first++;
    return first;
}

struct host_answers host_ask(void)
{
    enum { NUMBERS = 1, OSXSAVE = 1 << 27 };
    struct host_answers a = {.saved = 0};
    unsigned answers[HOST_MOST_ROWS][REGISTERS]; /* For each row that is the first of its leaf. */
    const unsigned last = last_leaf();
    for (size_t i = 0; i < target_cpuid_row_count; i++) {
        const struct target_cpuid *row = &target_cpuid_rows[i];
        unsigned *r = answers[first_of_leaf(i)];
        if (r == answers[i]) ask_leaf(r, row->leaf, row->subleaf, last);
        a.has[i] = (r[row->reg] & row->bits) == row->bits;
        if (r != answers[i] || row->leaf != NUMBERS) continue;
        if (r[REGISTER_C] & OSXSAVE) a.saved = saved_registers();
        read_numbers(&a, r[REGISTER_A]);
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
