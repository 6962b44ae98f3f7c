/* The only place for differences between LLVM versions. */
#ifndef ACTGEN_COMPAT_H
#define ACTGEN_COMPAT_H

#include <llvm/Config/llvm-config.h>

#if LLVM_VERSION_MAJOR < 19
#error "actgen needs LLVM 19 or later"
#endif

#if LLVM_VERSION_MAJOR < 20
#define STEP_VECTOR "llvm.experimental.stepvector"
#else
#define STEP_VECTOR "llvm.stepvector"
#endif

/* llvm.masked.load and .store take their alignment as an operand up to LLVM 21, and as an attribute of the
 * pointer from 22. The builder asks the intrinsic's own type (LLVMCountParamTypes), so nothing stands here
 * for it. */

#endif
