/* Functions with equal code become one, in objects whose code is to be short. Kernels that differ only in
 * their names are common among many: SiLU and Swish at its default, ELU and CELU, passes over rows.
 *
 * The code of a function is its text, as LLVM prints it. Metadata has numbers in this text, but all functions
 * have the same content for each kind of metadata. */
#include "calls.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

struct known {
    uint64_t hash;
    LLVMValueRef function; /* NULL: a free place */
};

/* Returns the function's text, for LLVMDisposeMessage(). *code is what follows the name. */
static char *printed_code(LLVMValueRef function, const char **code)
{
    char *text = LLVMPrintValueToString(function);
    size_t length;
    const char *name = LLVMGetValueName2(function, &length), *at = strstr(text, "define ");
    if (at) at = strchr(at, '@');
    if (at) at = strstr(at, name);
    *code = at ? at + length : text;
    return text;
}

static uint64_t hash_of(LLVMValueRef function)
{
    const char *code;
    char *text = printed_code(function, &code);
    const uint64_t hash = hash_bytes(code, strlen(code), 0);
    LLVMDisposeMessage(text);
    return hash;
}

static bool have_equal_code(LLVMValueRef a, LLVMValueRef b)
{
    const char *code_a, *code_b;
    if (LLVMGlobalGetValueType(a) != LLVMGlobalGetValueType(b)) return false;
    if (LLVMGetFunctionCallConv(a) != LLVMGetFunctionCallConv(b)) return false;
    char *text_a = printed_code(a, &code_a), *text_b = printed_code(b, &code_b);
    const bool equal = !strcmp(code_a, code_b);
    LLVMDisposeMessage(text_a);
    LLVMDisposeMessage(text_b);
    return equal;
}

/* Replaces the function by the other one. A name that other objects may use becomes a second name of it. */
static int replace_function(LLVMModuleRef module, LLVMValueRef function, LLVMValueRef other,
                            struct diag *error)
{
    size_t length;
    char *name = strdup(LLVMGetValueName2(function, &length));
    if (!name) return diag_out_of_memory(error);
    LLVMReplaceAllUsesWith(function, other);
    LLVMSetValueName2(function, "", 0);
    if (LLVMGetLinkage(function) == LLVMExternalLinkage) {
        LLVMValueRef alias = LLVMAddAlias2(module, LLVMGlobalGetValueType(other), 0, other, name);
        LLVMSetVisibility(alias, LLVMGetVisibility(function));
        LLVMSetDLLStorageClass(alias, LLVMGetDLLStorageClass(function));
    }
    free(name);
    LLVMDeleteFunction(function);
    return DIAG_OK;
}

int share_functions(LLVMModuleRef module, struct diag *error)
{
    size_t count = 0, size = 1;
    int status = DIAG_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) count++;
    while (size < 2 * count) size *= 2;
    struct known *table = calloc(size, sizeof *table);
    if (!table) return diag_out_of_memory(error);
    for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f && !status; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMIsDeclaration(f)) continue;
        const uint64_t hash = hash_of(f);
        size_t at = hash & (size - 1);
        while (table[at].function && (table[at].hash != hash || !have_equal_code(table[at].function, f)))
            at = (at + 1) & (size - 1);
        if (table[at].function)
            status = replace_function(module, f, table[at].function, error);
        else
            table[at] = (struct known){hash, f};
    }
    free(table);
    return status;
}
