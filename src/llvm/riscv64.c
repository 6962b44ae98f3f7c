/* RISC-V of 64 bits. Nothing is asked of its processors yet. */
#include "architecture.h"

const struct architecture architecture_riscv64 = {.detect = NULL};
