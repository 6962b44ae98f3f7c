/* The questions that the generated code asks the processor when it runs, by architecture (architectures.def).
 * Only for use inside llvm/ and loops/. */
#ifndef ACTGEN_ARCHITECTURE_H
#define ACTGEN_ARCHITECTURE_H

#include "target.h"

#include <llvm-c/Core.h>

struct questions {
    /* Adds a function `i32 (i64, ptr)` (add_detection). Bit i of its result says that the processor and the
     * system have target_isa_at(i). If it is resolving, its arguments are those of a resolver, and it must
     * not call the C library yet. NULL: an object of this architecture holds one instruction set only. */
    LLVMValueRef (*detect)(LLVMModuleRef module, bool is_resolving);
    bool asks_library; /* true if detection needs the C library, except when resolving */
    /* Adds a truth value: true if the processor that runs the code gains nothing by streaming stores. NULL:
     * every processor gains. */
    LLVMValueRef (*prefers_ordinary_stores)(LLVMContextRef context, LLVMBuilderRef ir);
    /* Adds an i32: target_costs.stream_ahead of the processor, or 0 if it is no core of the set. The value is
     * a constant 0 if no core of the set prefetches. It has a meaning only where prefers_ordinary_stores is
     * true. NULL if that is NULL. */
    LLVMValueRef (*stream_ahead)(LLVMContextRef context, LLVMBuilderRef ir, const struct target_isa *isa);
    /* LLVM's module flags for code that runs in programs in which the processor checks jumps and returns. A
     * linker removes these checks from a program if one object lacks the flags. NULL ends the list. */
    const char *flags[3];
};

#define ARCHITECTURE(enumerator, back_end, asks, ...) extern const struct questions questions_##asks;
#include "architectures.def"
#undef ARCHITECTURE

const struct questions *questions_for(const struct target_isa *isa);
LLVMValueRef add_detection(LLVMModuleRef module, const struct target_isa *any); /* has no code yet */
/* Returns the result of a detection, given a truth value for each feature of the architecture. */
LLVMValueRef sets_with(LLVMContextRef context, LLVMBuilderRef ir, enum target_architecture architecture,
                       LLVMValueRef const *features);
/* Returns true if a linker of some architecture defines the symbol, or an object can do without it. */
bool architectures_name(const char *symbol);
void set_module_flags(LLVMModuleRef module, const struct target_isa *isa); /* sets questions->flags */
void architectures_start(void); /* makes LLVM know them; called once in a process */

#endif
