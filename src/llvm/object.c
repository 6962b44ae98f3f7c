/* Reading objects: their symbols, and that none is undefined. */
#include "object.h"

#include "architecture.h"

#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <string.h>

static int visit_symbols(LLVMBinaryRef binary, object_visit visit, void *context)
{
    int status = 0;
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
    LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
    for (; !status && !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol)) {
        const char *name = LLVMGetSymbolName(symbol);
        if (!name || !*name) continue;
        LLVMMoveToContainingSection(section, symbol);
        status = visit(context, name, !LLVMObjectFileIsSectionIteratorAtEnd(binary, section),
                       LLVMGetSymbolSize(symbol));
    }
    LLVMDisposeSymbolIterator(symbol);
    LLVMDisposeSectionIterator(section);
    return status;
}

static bool is_relocatable(LLVMBinaryType type)
{
    static const LLVMBinaryType formats[] = {LLVMBinaryTypeELF64L, LLVMBinaryTypeELF64B,
                                             LLVMBinaryTypeELF32L, LLVMBinaryTypeMachO64L,
                                             LLVMBinaryTypeCOFF,   LLVMBinaryTypeWasm};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (type == formats[i]) return true;
    return false;
}

int object_symbols(const struct backend_buffer *object, object_visit visit, void *context, struct diag *error)
{
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRange(object->data, object->size, "object", false);
    char *message = NULL;
    LLVMBinaryRef binary = LLVMCreateBinary(memory, NULL, &message);
    int status;
    if (!binary) {
        status = diag_set(error, DIAG_BACKEND, "not an object file: %s", message ? message : "");
    } else if (!is_relocatable(LLVMBinaryGetType(binary))) {
        status = diag_set(error, DIAG_BACKEND, "a file for linkers, but not an object");
    } else {
        status = visit_symbols(binary, visit, context);
    }
    LLVMDisposeMessage(message);
    if (binary) LLVMDisposeBinary(binary);
    LLVMDisposeMemoryBuffer(memory);
    return status;
}

static int check_symbol(void *context, const char *name, bool defined, size_t bytes)
{
    (void)bytes;
    if (defined || architectures_name(name)) return 0;
    return diag_set(context, DIAG_BACKEND, "the object needs '%s' from outside, which must not be", name);
}

int object_check(const struct backend_buffer *object, struct diag *error)
{
    struct diag own = {0};
    return object_symbols(object, check_symbol, error ? error : &own, error);
}
