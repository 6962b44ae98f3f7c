/* Detects the instruction sets of AArch64. Two words of the process's auxiliary vector, HWCAP and HWCAP2,
 * tell which sets the processor and the system have. The C library's getauxval() returns them, if the program
 * has a C library. The loader passes them to resolvers of indirect functions. */
#include "architecture.h"
#include "function.h"

struct detection {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMTypeRef long_word, pointer;
    LLVMValueRef function;
};

/* Asks getauxval() for the word. The word is 0 if there is no getauxval(). */
static LLVMValueRef ask_library(const struct detection *d, unsigned long kind)
{
    LLVMTypeRef type = LLVMFunctionType(d->long_word, (LLVMTypeRef[]){d->long_word}, 1, false);
    LLVMValueRef get = add_weak_function(d->module, "getauxval", type),
                 number = LLVMConstInt(d->long_word, kind, false);
    const struct detour linked = begin_detour(d->ir, LLVMBuildIsNotNull(d->ir, get, ""));
    LLVMValueRef told = LLVMBuildCall2(d->ir, type, get, &number, 1, "");
    return end_detour(d->ir, &linked, LLVMConstNull(d->long_word), told);
}

/* Reads the word from a resolver's arguments, which are those of glibc (sysdeps/aarch64/sys/ifunc.h). The
 * first argument is HWCAP. If its bit 62 is set, the second one points to an array: its size, HWCAP and
 * HWCAP2. */
static LLVMValueRef take_argument(const struct detection *d, unsigned long kind)
{
    enum { HAS_MORE = 62 };
    LLVMValueRef first = LLVMGetParam(d->function, 0), two = LLVMConstInt(d->long_word, 2, false);
    if (kind == TARGET_HWCAP) return first;
    LLVMValueRef bit = LLVMConstInt(d->long_word, UINT64_C(1) << HAS_MORE, false);
    LLVMValueRef has_more = LLVMBuildIsNotNull(d->ir, LLVMBuildAnd(d->ir, first, bit, ""), "");
    const struct detour more = begin_detour(d->ir, has_more);
    LLVMValueRef at = LLVMBuildGEP2(d->ir, d->long_word, LLVMGetParam(d->function, 1), &two, 1, "");
    LLVMValueRef told = LLVMBuildLoad2(d->ir, d->long_word, at, "");
    return end_detour(d->ir, &more, LLVMConstNull(d->long_word), told);
}

static LLVMValueRef detect(LLVMModuleRef module, bool is_resolving)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct detection d = {.context = context,
                          .module = module,
                          .ir = LLVMCreateBuilderInContext(context),
                          .long_word = LLVMInt64TypeInContext(context),
                          .pointer = LLVMPointerTypeInContext(context, 0)};
    d.function = add_detection(module, target_isa_find("neon"));
    LLVMPositionBuilderAtEnd(d.ir, LLVMAppendBasicBlockInContext(context, d.function, "entry"));
    LLVMValueRef has[FEATURE_COUNT];
    for (unsigned i = 0; i < FEATURE_COUNT; i++) {
        const struct target_feature_row *row = &target_features[i];
        if (row->architecture != ARCHITECTURE_ARM64) continue;
        LLVMValueRef told =
                         is_resolving ? take_argument(&d, row->hwcap.word) : ask_library(&d, row->hwcap.word),
                     wanted = LLVMConstInt(d.long_word, row->hwcap.bits, false);
        has[i] = LLVMBuildICmp(d.ir, LLVMIntEQ, LLVMBuildAnd(d.ir, told, wanted, ""), wanted, "");
    }
    LLVMBuildRet(d.ir, sets_with(context, d.ir, ARCHITECTURE_ARM64, has));
    LLVMDisposeBuilder(d.ir);
    return d.function;
}

const struct questions questions_arm64 = {.detect = detect, .asks_library = true};
