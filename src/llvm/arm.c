/* 32-bit Arm. Its vector unit takes subnormals for 0, so that floats are computed by the scalar one, which does not. */
#include "architecture.h"

const struct architecture architecture_arm = {NULL, NULL, NULL};
