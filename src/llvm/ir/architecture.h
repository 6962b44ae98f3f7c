/* Inside llvm/ and loops/: what the processors of an architecture are asked by the code itself, when it runs
 * (architectures.def). */
#ifndef ACTGEN_ARCHITECTURE_H
#define ACTGEN_ARCHITECTURE_H

#include "target.h"

#include <llvm-c/Core.h>

struct questions {
    /* Adds a function `i32 (i64, ptr)` (add_detection), bit i of whose result says that the processor and the
     * system have target_isa_at(i). Its arguments are those of a resolver, if it is resolving: then no
     * function of the C library may be called yet. NULL: an object has one instruction set. */
    LLVMValueRef (*detect)(LLVMModuleRef module, bool is_resolving);
    bool asks_library; /* detection needs the C library, unless it is resolving */
    /* Adds a truth value: whether the processor that runs the code gains nothing by streaming stores. NULL:
     * it always gains. */
    LLVMValueRef (*prefers_ordinary_stores)(LLVMContextRef context, LLVMBuilderRef ir);
    /* LLVM's flags of modules by which code suits programs whose jumps and returns the processor checks. A
     * linker takes the checks from a program with one object that does not say so. NULL: none. */
    const char *flags[3];
};

#define ARCHITECTURE(enumerator, back_end, asks, ...) extern const struct questions questions_##asks;
#include "architectures.def"
#undef ARCHITECTURE

const struct questions *questions_for(const struct target_isa *isa);
LLVMValueRef add_detection(LLVMModuleRef module, const struct target_isa *any); /* without code yet */
/* Whether linkers of some architecture define the symbol, or an object does without it. */
bool architectures_name(const char *symbol);
void set_module_flags(LLVMModuleRef module, const struct target_isa *isa); /* questions->flags */
void architectures_start(void); /* makes LLVM know them; called once in a process */

#endif
