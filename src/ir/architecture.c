/* The architectures of instruction sets, as LLVM and linkers know them. */
#include "architecture.h"
#include "function.h"

#include <llvm-c/Target.h>
#include <string.h>

const struct questions questions_none = {.detect = NULL};

const struct questions *questions_for(const struct target_isa *isa)
{
    static const struct questions *const all[ARCHITECTURE_COUNT] = {
#define ARCHITECTURE(enumerator, back_end, asks, ...) [enumerator] = &questions_##asks,
#include "architectures.def"
#undef ARCHITECTURE
    };
    return all[isa->architecture];
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

LLVMValueRef sets_with(LLVMContextRef context, LLVMBuilderRef ir, enum target_architecture architecture,
                       LLVMValueRef const *features)
{
    LLVMValueRef none = LLVMConstNull(LLVMInt32TypeInContext(context)), found = none;
    for (size_t i = 0; target_isa_at(i); i++) {
        const struct target_isa *isa = target_isa_at(i);
        if (isa->architecture != architecture) continue;
        LLVMValueRef own = LLVMConstInt(LLVMTypeOf(none), UINT64_C(1) << i, false);
        for (unsigned f = 0; f < FEATURE_COUNT; f++)
            if (isa->needs >> f & 1) own = LLVMBuildSelect(ir, features[f], own, none, "");
        found = LLVMBuildOr(ir, found, own, "");
    }
    return found;
}

/* Compares the beginning of a symbol only, because LLVM does not end the names of WebAssembly's symbols.
 * Symbols that begin with `@` or a full stop are marks in objects for Windows: values, and the name of a
 * source file. The C library's functions are weak symbols, whose addresses the code checks before it calls
 * them. */
bool architectures_name(const char *symbol)
{
    if (*symbol == '@' || *symbol == '.' || !strcmp(symbol, "getenv") || !strcmp(symbol, "secure_getenv") ||
        !strcmp(symbol, "getauxval"))
        return true;
    for (unsigned a = 0; a < ARCHITECTURE_COUNT; a++)
        for (unsigned i = 0; i < TARGET_MOST_LINKER_SYMBOLS; i++) {
            const char *name = target_architectures[a].of_linker[i];
            if (name && !strncmp(name, symbol, strlen(name))) return true;
        }
    return false;
}

void set_module_flags(LLVMModuleRef module, const struct target_isa *isa)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef one = LLVMConstInt(LLVMInt32TypeInContext(context), 1, false);
    const char *const *flag = questions_for(isa)->flags;
    for (; *flag; flag++)
        LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorOverride, *flag, strlen(*flag),
                          LLVMValueAsMetadata(one));
}

/* Does nothing: LLVM's back end NVPTX has no parser of inline assembly, but the list below calls one for each
 * architecture. */
static void LLVMInitializeNVPTXAsmParser(void) {}

void architectures_start(void)
{
#define ARCHITECTURE(enumerator, back_end, ...)                                                              \
    LLVMInitialize##back_end##TargetInfo();                                                                  \
    LLVMInitialize##back_end##Target();                                                                      \
    LLVMInitialize##back_end##TargetMC();                                                                    \
    LLVMInitialize##back_end##AsmPrinter();                                                                  \
    LLVMInitialize##back_end##AsmParser();
#include "architectures.def"
#undef ARCHITECTURE
}
