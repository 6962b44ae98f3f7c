/* Asks x86 processors with CPUID for their maker and their instruction sets. The object itself does so, and
 * needs no library. */
#include "architecture.h"
#include "function.h"

#include <string.h>

struct detection {
    LLVMContextRef context;
    LLVMBuilderRef ir;
    LLVMTypeRef word;
    uint32_t leaf, subleaf;
    LLVMValueRef answer, is_there; /* to the leaf, which is there if it is not beyond the last one */
    LLVMValueRef saved;            /* XCR0 */
};

/* Adds inline assembly that returns a structure with one i32 per output register. */
static LLVMValueRef add_assembly(LLVMContextRef context, LLVMBuilderRef ir, const char *text,
                                 const char *constraints, unsigned outputs, LLVMValueRef *inputs,
                                 unsigned input_count)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(context), words[] = {word, word, word, word};
    LLVMTypeRef answer = LLVMStructTypeInContext(context, words, outputs, false);
    LLVMTypeRef type = LLVMFunctionType(answer, words, input_count, false);
    LLVMValueRef code =
        LLVMGetInlineAsm(type, (char *)(uintptr_t)text, strlen(text), (char *)(uintptr_t)constraints,
                         strlen(constraints), true, false, LLVMInlineAsmDialectATT, false);
    return LLVMBuildCall2(ir, type, code, inputs, input_count, "");
}

static LLVMValueRef ask_cpuid(LLVMContextRef context, LLVMBuilderRef ir, uint32_t leaf, uint32_t subleaf)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMValueRef inputs[] = {LLVMConstInt(word, leaf, false), LLVMConstInt(word, subleaf, false)};
    return add_assembly(context, ir, "cpuid", "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}",
                        REGISTERS, inputs, 2);
}

static LLVMValueRef has_bits(const struct detection *d, LLVMValueRef value, uint32_t bits)
{
    LLVMValueRef wanted = LLVMConstInt(d->word, bits, false);
    return LLVMBuildICmp(d->ir, LLVMIntEQ, LLVMBuildAnd(d->ir, value, wanted, ""), wanted, "");
}

static LLVMValueRef part_of_register(const struct detection *d, enum target_register reg)
{
    return LLVMBuildExtractValue(d->ir, d->answer, reg, "");
}

/* Asks for a leaf. A leaf beyond the last returns the bits of another leaf. */
static void ask_leaf(struct detection *d, uint32_t leaf, uint32_t subleaf)
{
    d->answer = ask_cpuid(d->context, d->ir, leaf & 0x80000000u, 0);
    d->is_there = LLVMBuildICmp(d->ir, LLVMIntUGE, part_of_register(d, REGISTER_A),
                                LLVMConstInt(d->word, leaf, false), "");
    d->answer = ask_cpuid(d->context, d->ir, leaf, subleaf);
    d->leaf = leaf, d->subleaf = subleaf;
}

/* Asks for XCR0, which is taken for 0 if it cannot be asked. */
static void ask_saved_registers(struct detection *d)
{
    LLVMValueRef number = LLVMConstInt(d->word, 0, false);
    ask_leaf(d, CPUID_NUMBERS, 0);
    const struct detour known =
        begin_detour(d->ir, has_bits(d, part_of_register(d, REGISTER_C), CPUID_OSXSAVE));
    LLVMValueRef answer = add_assembly(d->context, d->ir, "xgetbv",
                                       "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}", 2, &number, 1);
    LLVMValueRef low = LLVMBuildExtractValue(d->ir, answer, 0, "");
    d->saved = end_detour(d->ir, &known, number, low);
}

static LLVMValueRef has_feature(struct detection *d, const struct target_feature_row *row)
{
    if (row->cpuid.leaf != d->leaf || row->cpuid.subleaf != d->subleaf)
        ask_leaf(d, row->cpuid.leaf, row->cpuid.subleaf);
    LLVMValueRef has = LLVMBuildAnd(d->ir, d->is_there,
                                    has_bits(d, part_of_register(d, row->cpuid.reg), row->cpuid.bits), "");
    return LLVMBuildAnd(d->ir, has, has_bits(d, d->saved, row->cpuid.saved), "");
}

static LLVMValueRef detect(LLVMModuleRef module, bool is_resolving)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMValueRef function = add_detection(module, target_isa_find("x86-64")), has[FEATURE_COUNT];
    (void)is_resolving;
    struct detection d = {.context = context,
                          .ir = LLVMCreateBuilderInContext(context),
                          .word = LLVMInt32TypeInContext(context)};
    LLVMPositionBuilderAtEnd(d.ir, LLVMAppendBasicBlockInContext(context, function, "entry"));
    ask_saved_registers(&d);
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (target_features[i].architecture == ARCHITECTURE_X86)
            has[i] = has_feature(&d, &target_features[i]);
    LLVMBuildRet(d.ir, sets_with(context, d.ir, ARCHITECTURE_X86, has));
    LLVMDisposeBuilder(d.ir);
    return function;
}

/* Finds processors on which streaming stores alone save nothing: those made by Intel. Streaming stores save a
 * quarter of the time of ordinary stores on Zen 5. They save nothing on a Skylake server, where one core has
 * too few buffers to keep memory busy with them. CPUID, leaf 0, names the maker in ebx, edx and ecx:
 * "GenuineIntel". */
static LLVMValueRef made_by_intel(LLVMContextRef context, LLVMBuilderRef ir)
{
    enum { GENU = 0x756e6547 };
    LLVMValueRef answer = ask_cpuid(context, ir, 0, 0),
                 genu = LLVMConstInt(LLVMInt32TypeInContext(context), GENU, false);
    return LLVMBuildICmp(ir, LLVMIntEQ, LLVMBuildExtractValue(ir, answer, REGISTER_B, ""), genu, "");
}

/* Returns bits `first` and above of the value, as many as `mask` has. */
static LLVMValueRef bits_from(LLVMBuilderRef ir, LLVMValueRef value, unsigned first, unsigned mask)
{
    LLVMTypeRef word = LLVMTypeOf(value);
    LLVMValueRef shifted = LLVMBuildLShr(ir, value, LLVMConstInt(word, first, false), "");
    return LLVMBuildAnd(ir, shifted, LLVMConstInt(word, mask, false), "");
}

static LLVMValueRef is_between(LLVMBuilderRef ir, LLVMValueRef value, unsigned least, unsigned most)
{
    LLVMTypeRef word = LLVMTypeOf(value);
    LLVMValueRef above = LLVMBuildSub(ir, value, LLVMConstInt(word, least, false), "");
    return LLVMBuildICmp(ir, LLVMIntULE, above, LLVMConstInt(word, most - least, false), "");
}

/* Returns a truth value: true if `numbers`, eax of leaf 1, belong to the family. They are read as in
 * host_x86.c. The extended family is 0 for a base family below 15, so it is always added. */
static LLVMValueRef is_of_family(LLVMBuilderRef ir, LLVMValueRef numbers, const struct target_family *f)
{
    LLVMValueRef low = bits_from(ir, numbers, 4, 15), high = bits_from(ir, numbers, 12, 0xf0);
    LLVMValueRef model = LLVMBuildOr(ir, low, high, "");
    LLVMValueRef fits = is_between(ir, model, f->least_model, f->most_model);
    if (f->most_other) fits = LLVMBuildOr(ir, fits, is_between(ir, model, f->least_other, f->most_other), "");
    LLVMValueRef family =
        LLVMBuildAdd(ir, bits_from(ir, numbers, 8, 15), bits_from(ir, numbers, 20, 255), "");
    return LLVMBuildAnd(ir, is_between(ir, family, f->number, f->number), fits, "");
}

/* Asks for leaf 1 once, because CPUID takes 1.4 microseconds in a virtual machine (an Emerald Rapids). */
static LLVMValueRef stream_ahead_here(LLVMContextRef context, LLVMBuilderRef ir, const struct target_isa *isa)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    LLVMValueRef ahead = LLVMConstInt(word, 0, false), numbers = NULL;
    const struct target_costs *core;
    for (size_t i = 0; (core = target_core_at(i)); i++) {
        if (!core->stream_ahead || strcmp(core->isa, target_isa_extended(isa)->name) != 0) continue;
        if (!numbers)
            numbers = LLVMBuildExtractValue(ir, ask_cpuid(context, ir, CPUID_NUMBERS, 0), REGISTER_A, "");
        ahead = LLVMBuildSelect(ir, is_of_family(ir, numbers, &core->family),
                                LLVMConstInt(word, core->stream_ahead, false), ahead, "");
    }
    return ahead;
}

const struct questions questions_x86 = {.detect = detect,
                                        .prefers_ordinary_stores = made_by_intel,
                                        .stream_ahead = stream_ahead_here,
                                        .flags = {"cf-protection-branch", "cf-protection-return"}};
