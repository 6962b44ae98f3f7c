/* A processor that no instruction set is for. Only the interpreter runs there. */
#include "host.h"

#if !defined(__x86_64__) && !defined(__aarch64__) && !(defined(__riscv) && __riscv_xlen == 64)
#include <stdio.h>

enum target_architecture target_architecture_here(void) { return ARCHITECTURE_COUNT; }

struct host_answers host_ask(void) { return (struct host_answers){.saved = 0}; }

void target_processor_here(char out[TARGET_PROCESSOR_SIZE])
{
    snprintf(out, TARGET_PROCESSOR_SIZE, "unknown");
}
#endif
