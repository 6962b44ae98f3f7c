/* Checks that an object needs nothing from outside. */
#include "object.h"

#include "architecture.h"

#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <string.h>

static bool is_relocatable(LLVMBinaryType type)
{
    static const LLVMBinaryType formats[] = {LLVMBinaryTypeELF64L, LLVMBinaryTypeELF64B,
                                             LLVMBinaryTypeELF32L, LLVMBinaryTypeMachO64L,
                                             LLVMBinaryTypeCOFF,   LLVMBinaryTypeWasm};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (type == formats[i]) return true;
    return false;
}

static int check_symbols(LLVMBinaryRef binary, struct diag *error)
{
    int status = 0;
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
    LLVMSymbolIteratorRef symbol = LLVMObjectFileCopySymbolIterator(binary);
    for (; !status && !LLVMObjectFileIsSymbolIteratorAtEnd(binary, symbol); LLVMMoveToNextSymbol(symbol)) {
        const char *name = LLVMGetSymbolName(symbol);
        if (!name || !*name) continue;
        LLVMMoveToContainingSection(section, symbol);
        if (LLVMObjectFileIsSectionIteratorAtEnd(binary, section) && !architectures_name(name))
            status = diag_set(error, DIAG_BACKEND, "the object needs '%.64s' from outside, which must not be",
                              name);
    }
    LLVMDisposeSymbolIterator(symbol);
    LLVMDisposeSectionIterator(section);
    return status;
}

int object_check(const struct backend_buffer *object, struct diag *error)
{
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRange(object->data, object->size, "object", false);
    char *message = NULL;
    LLVMBinaryRef binary = LLVMCreateBinary(memory, NULL, &message);
    int status;
    if (!binary)
        status = diag_set(error, DIAG_BACKEND, "not an object file: %s", message ? message : "");
    else if (!is_relocatable(LLVMBinaryGetType(binary)))
        status = diag_set(error, DIAG_BACKEND, "a file for linkers, but not an object");
    else
        status = check_symbols(binary, error);
    LLVMDisposeMessage(message);
    if (binary) LLVMDisposeBinary(binary);
    LLVMDisposeMemoryBuffer(memory);
    return status;
}

/* Finds .extern, with which a text declares the symbols that it needs from outside. */
int object_check_text(const struct backend_buffer *text, struct diag *error)
{
    const char *outside = strstr(text->data, ".extern");
    if (!outside) return 0;
    return diag_set(error, DIAG_BACKEND, "the text needs '%.64s' from outside, which must not be", outside);
}
