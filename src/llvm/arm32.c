/* Arm of 32 bits. Nothing is asked of its processors yet. Its tables for unwinding are not DWARF's: they name functions of a library,
 * which its objects shall not need. */
#include "architecture.h"

const struct architecture architecture_arm32 = {.no_unwinding = true};
