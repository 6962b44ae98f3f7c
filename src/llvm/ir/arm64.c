/* Detects the instruction sets of AArch64. Two words of the process's auxiliary vector, HWCAP and HWCAP2,
 * tell which sets the processor and the system have. The C library's getauxval() returns them, if the program
 * has a C library. The loader passes them to resolvers of indirect functions. */
#include "architecture.h"
#include "function.h"

struct detection {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMTypeRef word, long_word, pointer;
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
                          .word = LLVMInt32TypeInContext(context),
                          .long_word = LLVMInt64TypeInContext(context),
                          .pointer = LLVMPointerTypeInContext(context, 0)};
    d.function = add_detection(module, target_isa_find("neon"));
    LLVMPositionBuilderAtEnd(d.ir, LLVMAppendBasicBlockInContext(context, d.function, "entry"));
    LLVMValueRef found = LLVMConstNull(d.word), has = LLVMConstInt(LLVMInt1TypeInContext(context), 1, false);
    for (size_t rows = 0;; rows++) { /* `has`: the processor has all rows before */
        bool more = false;
        for (size_t i = 0; target_isa_at(i); i++) {
            const struct target_isa *isa = target_isa_at(i);
            if (isa->architecture != ARCHITECTURE_ARM64) continue;
            more |= isa->needs.count > rows;
            if (isa->needs.count != rows) continue;
            LLVMValueRef bit = LLVMConstInt(d.word, UINT64_C(1) << i, false);
            LLVMValueRef own = LLVMBuildSelect(d.ir, has, bit, LLVMConstNull(d.word), "");
            found = LLVMBuildOr(d.ir, found, own, "");
        }
        if (!more) break;
        const struct target_hwcap *row = &target_hwcap_rows[rows];
        LLVMValueRef told = is_resolving ? take_argument(&d, row->kind) : ask_library(&d, row->kind),
                     wanted = LLVMConstInt(d.long_word, row->bits, false);
        LLVMValueRef is = LLVMBuildICmp(d.ir, LLVMIntEQ, LLVMBuildAnd(d.ir, told, wanted, ""), wanted, "");
        has = LLVMBuildAnd(d.ir, has, is, "");
    }
    LLVMBuildRet(d.ir, found);
    LLVMDisposeBuilder(d.ir);
    return d.function;
}

const struct questions questions_arm64 = {.detect = detect, .asks_library = true};
