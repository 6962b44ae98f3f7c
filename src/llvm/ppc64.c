/* POWER, little-endian. Addresses are found from the table of contents, whose place the linker knows. */
#include "architecture.h"

static const char *const of_linker[] = {".TOC.", NULL};

const struct architecture architecture_ppc64 = {.of_linker = of_linker};
