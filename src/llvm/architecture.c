/* The architectures that instruction sets are of. */
#include "architecture.h"
#include "function.h"

#include <llvm-c/Target.h>
#include <string.h>

static const struct architecture *const architectures[ARCHITECTURE_COUNT] = {
#define ARCHITECTURE(enumerator, name, ...) [enumerator] = &architecture_##name,
    TARGET_ARCHITECTURES(ARCHITECTURE)
#undef ARCHITECTURE
};

const struct architecture *architecture_of(const struct target_isa *isa)
{
    return architectures[isa->architecture];
}

LLVMValueRef add_detection(LLVMModuleRef module, const struct target_isa *any)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef types[] = {LLVMInt64TypeInContext(context), LLVMPointerTypeInContext(context, 0)};
    LLVMValueRef function =
        add_function(module, "actgen_detect", LLVMInt32TypeInContext(context), types, 2, any);
    LLVMSetLinkage(function, LLVMPrivateLinkage);
    return function;
}

/* LLVM does not end the names of WebAssembly's symbols. What begins with `@` or a point are marks in objects for Windows:
 * values, and the name of a source file. The C library's functions are weak: their addresses are looked at before they are
 * called. */
bool architectures_name(const char *symbol)
{
    if (*symbol == '@' || *symbol == '.' || !strcmp(symbol, "getenv") || !strcmp(symbol, "getauxval"))
        return true;
    for (unsigned a = 0; a < ARCHITECTURE_COUNT; a++)
        for (const char *const *name = architectures[a]->of_linker; name && *name; name++)
            if (!strncmp(*name, symbol, strlen(*name))) return true;
    return false;
}

/* The parsers are for inline assembly, of which this back end of LLVM has none. */
static void LLVMInitializeNVPTXAsmParser(void) {}

void architectures_start(void)
{
#define ARCHITECTURE(enumerator, name, back_end, text)                                                       \
    LLVMInitialize##back_end##TargetInfo();                                                                  \
    LLVMInitialize##back_end##Target();                                                                      \
    LLVMInitialize##back_end##TargetMC();                                                                    \
    LLVMInitialize##back_end##AsmPrinter();                                                                  \
    LLVMInitialize##back_end##AsmParser();
    TARGET_ARCHITECTURES(ARCHITECTURE)
#undef ARCHITECTURE
}
