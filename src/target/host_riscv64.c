/* 64-bit RISC-V on Linux: asks riscv_hwprobe, which answers pairs of a key and a value (Linux 6.4,
 * Documentation/arch/riscv/hwprobe.rst). Older systems only have HWCAP, with a bit for each letter of the
 * processor's name. */
#include "host.h"

#if defined(__riscv) && __riscv_xlen == 64
#include <stdio.h>
#include <sys/auxv.h>
#include <unistd.h>

/* The number of the system call, which the C library's headers may be too old to name, and keys that are not
 * in the table. */
enum { RISCV_HWPROBE = 258, MAKER = 0, ARCHITECTURE_ID = 1 };

struct pair {
    int64_t key;
    uint64_t value;
};

enum target_architecture target_architecture_here(void) { return ARCHITECTURE_RISCV64; }

/* Asks about all processors together. If a value differs between them, the system answers with a key of
 * -1. */
static bool probe(int64_t key, uint64_t *value)
{
    struct pair pair = {.key = key};
    if (syscall(RISCV_HWPROBE, &pair, 1L, 0L, NULL, 0L) != 0 || pair.key != key) return false;
    *value = pair.value;
    return true;
}

static unsigned number_of(int64_t key)
{
    uint64_t value;
    return probe(key, &value) ? (unsigned)value : 0;
}

struct host_answers host_ask(void)
{
    struct host_answers a = {.family = number_of(MAKER), .model = number_of(ARCHITECTURE_ID)};
    for (unsigned i = 0; i < FEATURE_COUNT; i++) {
        const struct target_feature_row *row = &target_features[i];
        uint64_t value;
        if (row->architecture != ARCHITECTURE_RISCV64) continue;
        const bool has = probe(row->hwprobe.key, &value)
                             ? (value & row->hwprobe.bits) == row->hwprobe.bits
                             : (getauxval(TARGET_HWCAP) & row->hwprobe.hwcap) == row->hwprobe.hwcap;
        if (has) a.features |= UINT64_C(1) << i;
    }
    return a;
}

void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    const struct host_answers here = host_ask();
    snprintf(out, TARGET_PROCESSOR_SIZE, "riscv64 %u %u", here.family, here.model);
}
#endif
