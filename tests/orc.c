/* Links an object with LLJIT and looks up its functions there. */
#include "orc.h"

#include <llvm-c/Core.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

struct orc {
    LLVMOrcLLJITRef lljit;
};

static int fails(LLVMErrorRef failure)
{
    if (!failure) return 0;
    char *message = LLVMGetErrorMessage(failure); /* This call consumes the failure. */
    fprintf(stderr, "orc: %s\n", message);
    LLVMDisposeErrorMessage(message);
    return 1;
}

struct orc *orc_load(const void *object, size_t size)
{
    struct orc *o = calloc(1, sizeof *o);
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    if (!o || fails(LLVMOrcCreateLLJIT(&o->lljit, NULL))) {
        free(o);
        return NULL;
    }
    LLVMMemoryBufferRef memory = LLVMCreateMemoryBufferWithMemoryRangeCopy(object, size, "object");
    if (!fails(LLVMOrcLLJITAddObjectFile(o->lljit, LLVMOrcLLJITGetMainJITDylib(o->lljit), memory))) return o;
    orc_free(o);
    return NULL;
}

void *orc_symbol(struct orc *o, const char *name)
{
    LLVMOrcExecutorAddress address = 0;
    return fails(LLVMOrcLLJITLookup(o->lljit, &address, name)) ? NULL : (void *)(uintptr_t)address;
}

void orc_free(struct orc *o)
{
    fails(LLVMOrcDisposeLLJIT(o->lljit));
    free(o);
}
