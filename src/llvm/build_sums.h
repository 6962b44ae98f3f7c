/* Inside llvm/: kernels with sums. */
#ifndef ACTGEN_BUILD_SUMS_H
#define ACTGEN_BUILD_SUMS_H

#include "build.h"

/* b->function, of a kernel with sums, whose own function of summands is `tile_function`: all blocks of a call into the workspace behind
 * its operands. */
void build_sums(struct build *b, LLVMValueRef tile_function);

#endif
