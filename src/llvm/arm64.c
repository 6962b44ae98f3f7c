/* AArch64. Nothing is asked of its processors yet: all of them have Advanced SIMD. */
#include "architecture.h"

const struct architecture architecture_arm64 = {NULL, NULL, NULL};
