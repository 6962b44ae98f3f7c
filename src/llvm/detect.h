/* Inside llvm/: code that asks the processor what it has. */
#ifndef ACTGEN_DETECT_H
#define ACTGEN_DETECT_H

#include "backend.h"

#include <llvm-c/Core.h>

/* What CPUID answers: a structure of four i32, by enum target_register. */
LLVMValueRef ask_cpuid(LLVMContextRef context, LLVMBuilderRef ir, uint32_t leaf, uint32_t subleaf);

/* Adds a function `i32 ()` that returns a set: bit i if the processor and the system have target_isa_at(i), and bit DETECTED.
 * It keeps the answer in `*kept`, a variable of the object that is 0 before. For x86. */
enum { DETECTED = 31 };
LLVMValueRef build_detection(LLVMModuleRef module, LLVMValueRef *kept);

#endif
