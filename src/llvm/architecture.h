/* Inside llvm/: what only the processors of one architecture do, or are asked. Each has a file of its name (target.h). */
#ifndef ACTGEN_ARCHITECTURE_H
#define ACTGEN_ARCHITECTURE_H

#include "target.h"

#include <llvm-c/Core.h>

struct architecture {
    /* Adds a function `i32 (i64, ptr)` (add_detection), bit i of whose result says that the processor and the system have
     * target_isa_at(i). Its arguments are those of a resolver, if it is resolving: then no function of the C library may be called
     * yet. NULL: an object has one instruction set. */
    LLVMValueRef (*detect)(LLVMModuleRef module, bool is_resolving);
    bool asks_library; /* detection needs the C library, unless it is resolving */
    /* Adds a truth value: whether the processor that runs the code gains nothing by streaming stores. NULL: it always gains. */
    LLVMValueRef (*prefers_ordinary_stores)(LLVMContextRef context, LLVMBuilderRef ir);
    bool no_unwinding; /* code has no tables for unwinding; debuggers walk by its frame pointers */
    /* Symbols that linkers define, which objects may need; NULL at the end. NULL: none. */
    const char *const *of_linker;
};

#define ARCHITECTURE(enumerator, name, ...) extern const struct architecture architecture_##name;
TARGET_ARCHITECTURES(ARCHITECTURE)
#undef ARCHITECTURE

/* environment.c. Adds a function `i32 ()` that returns bits as detection does: what the user allows. */
LLVMValueRef add_allowed(LLVMModuleRef module, const struct target_isa *any);
/* A function of the C library, whose address is NULL where there is none. */
LLVMValueRef add_weak_function(LLVMModuleRef module, const char *name, LLVMTypeRef type);

/* architecture.c */
LLVMValueRef add_detection(LLVMModuleRef module, const struct target_isa *any); /* without code yet */
const struct architecture *architecture_of(const struct target_isa *isa);
/* One that the linkers of some architecture define, or that an object does without. */
bool architectures_name(const char *symbol);
void architectures_start(void); /* makes LLVM know them; called once in a process */

#endif
