/* The differences between LLVM versions. They stand only here. */
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

/* Up to LLVM 21, llvm.masked.load and .store take their alignment as an operand. From LLVM 22 on it is an
 * attribute of the pointer. The builder asks the type of the intrinsic (LLVMCountParamTypes), so it needs
 * nothing here. */

#endif
