/* NVIDIA's GPUs. What they differ in stands in their row (target_grid). */
#include "architecture.h"

const struct architecture architecture_nvptx = {.of_linker = NULL};
