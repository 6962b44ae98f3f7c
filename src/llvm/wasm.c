/* WebAssembly. An object names the stack that its module will have, and where the module's constants will be; a module with
 * SIMD128 does not load where there is none. */
#include "architecture.h"

static const char *const of_linker[] = {"__stack_pointer", "__memory_base", NULL};

const struct architecture architecture_wasm = {.of_linker = of_linker};
