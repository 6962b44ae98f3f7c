/* Inside llvm/: what only the processors of one architecture do, or are asked. Each has a file of its name (target.h). */
#ifndef ACTGEN_ARCHITECTURE_H
#define ACTGEN_ARCHITECTURE_H

#include "target.h"

#include <llvm-c/Core.h>

/* In what detect() finds, bit i says that the processor and the system have target_isa_at(i), and this one that they were
 * asked. */
enum { DETECTED = 31 };

struct architecture {
    /* Adds a function `i32 ()` that returns what is found. It keeps the answer in `*kept`, a variable of the object that is 0
     * before. NULL: an object has one instruction set. */
    LLVMValueRef (*detect)(LLVMModuleRef module, LLVMValueRef *kept);
    /* Adds a truth value: whether the processor that runs the code gains nothing by streaming stores. NULL: it always gains. */
    LLVMValueRef (*prefers_ordinary_stores)(LLVMContextRef context, LLVMBuilderRef ir);
    /* Symbols that linkers define, which objects may need; NULL at the end. NULL: none. */
    const char *const *of_linker;
};

#define ARCHITECTURE(enumerator, name, ...) extern const struct architecture architecture_##name;
TARGET_ARCHITECTURES(ARCHITECTURE)
#undef ARCHITECTURE

/* architecture.c */
const struct architecture *architecture_of(const struct target_isa *isa);
bool architectures_name(const char *symbol); /* one that the linkers of some architecture define */
void architectures_start(void);              /* makes LLVM know them; called once in a process */

#endif
