/* The architectures that instruction sets are of. */
#include "architecture.h"

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

/* LLVM does not end the names of WebAssembly's symbols. */
bool architectures_name(const char *symbol)
{
    for (unsigned a = 0; a < ARCHITECTURE_COUNT; a++)
        for (const char *const *name = architectures[a]->of_linker; name && *name; name++)
            if (!strncmp(*name, symbol, strlen(*name))) return true;
    return false;
}

/* The parsers are for inline assembly. */
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
