/* WebAssembly. An object names the stack that its module will have; a module without SIMD128 does not load. */
#include "architecture.h"

static const char *const of_linker[] = {"__stack_pointer", NULL};

const struct architecture architecture_wasm = {NULL, NULL, of_linker};
