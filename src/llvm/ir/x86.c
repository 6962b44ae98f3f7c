/* Asks x86 processors with CPUID for their maker and their instruction sets. The object itself does so, and
 * needs no library.
 *
 *     for each row of target_cpuid_rows: does the processor have the leaf and the bits? If not: finished
 *     after the last row that a set needs: does the system save its registers? If so: the set is there */
#include "architecture.h"
#include "function.h"

#include <string.h>

struct detection {
    LLVMContextRef context;
    LLVMBuilderRef ir;
    LLVMValueRef function;
    LLVMTypeRef word;
    LLVMValueRef found; /* i32 in memory: the sets found so far */
    LLVMBasicBlockRef finished;
};

/* Adds inline assembly that returns a structure with one i32 per output register. */
static LLVMValueRef ask(LLVMContextRef context, LLVMBuilderRef ir, const char *text, const char *constraints,
                        unsigned outputs, LLVMValueRef *inputs, unsigned input_count)
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
    return ask(context, ir, "cpuid", "={ax},={bx},={cx},={dx},0,2,~{dirflag},~{fpsr},~{flags}", REGISTERS,
               inputs, 2);
}

static LLVMValueRef ask_saved_registers(const struct detection *d)
{
    LLVMValueRef xcr0 = LLVMConstInt(d->word, 0, false);
    LLVMValueRef answer =
        ask(d->context, d->ir, "xgetbv", "={ax},={dx},{cx},~{dirflag},~{fpsr},~{flags}", 2, &xcr0, 1);
    return LLVMBuildExtractValue(d->ir, answer, 0, "");
}

static LLVMValueRef has_bits(const struct detection *d, LLVMValueRef value, uint32_t bits)
{
    LLVMValueRef wanted = LLVMConstInt(d->word, bits, false);
    return LLVMBuildICmp(d->ir, LLVMIntEQ, LLVMBuildAnd(d->ir, value, wanted, ""), wanted, "");
}

/* Checks the bits of a row. First checks that the leaf exists, because a leaf beyond the last returns the
 * bits of another leaf. */
static void require_row(const struct detection *d, const struct target_cpuid *row)
{
    LLVMValueRef last = LLVMBuildExtractValue(d->ir, ask_cpuid(d->context, d->ir, row->leaf & 0x80000000u, 0),
                                              REGISTER_A, "");
    LLVMValueRef leaf = LLVMConstInt(d->word, row->leaf, false);
    require(d->ir, LLVMBuildICmp(d->ir, LLVMIntUGE, last, leaf, ""), d->finished);
    LLVMValueRef answer = ask_cpuid(d->context, d->ir, row->leaf, row->subleaf);
    require(d->ir, has_bits(d, LLVMBuildExtractValue(d->ir, answer, row->reg, ""), row->bits), d->finished);
}

/* Adds the sets that need exactly the first `rows` rows. Returns true if other sets need more rows. */
static bool add_found(const struct detection *d, size_t rows)
{
    bool more = false;
    for (size_t i = 0; target_isa_at(i); i++) {
        const struct target_requirement r = target_isa_at(i)->needs;
        if (target_isa_at(i)->architecture != ARCHITECTURE_X86) continue;
        more |= r.count > rows;
        if (r.count != rows) continue;
        LLVMBasicBlockRef next = add_block(d->ir);
        if (r.saved) require(d->ir, has_bits(d, ask_saved_registers(d), r.saved), next);
        LLVMValueRef found = LLVMBuildLoad2(d->ir, d->word, d->found, "");
        LLVMValueRef bit = LLVMConstInt(d->word, UINT64_C(1) << i, false);
        LLVMBuildStore(d->ir, LLVMBuildOr(d->ir, found, bit, ""), d->found);
        LLVMBuildBr(d->ir, next);
        LLVMPositionBuilderAtEnd(d->ir, next);
    }
    return more;
}

static LLVMValueRef detect(LLVMModuleRef module, bool is_resolving)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef word = LLVMInt32TypeInContext(context);
    (void)is_resolving;
    struct detection d = {.context = context,
                          .ir = LLVMCreateBuilderInContext(context),
                          .function = add_detection(module, target_isa_find("x86-64")),
                          .word = word};
    LLVMPositionBuilderAtEnd(d.ir, LLVMAppendBasicBlockInContext(context, d.function, "entry"));
    d.finished = LLVMAppendBasicBlockInContext(context, d.function, "finished");
    d.found = LLVMBuildAlloca(d.ir, word, "");
    LLVMBuildStore(d.ir, LLVMConstInt(word, 0, false), d.found);
    for (size_t rows = 0; add_found(&d, rows); rows++) require_row(&d, &target_cpuid_rows[rows]);
    LLVMBuildBr(d.ir, d.finished);
    LLVMPositionBuilderAtEnd(d.ir, d.finished);
    LLVMBuildRet(d.ir, LLVMBuildLoad2(d.ir, word, d.found, ""));
    LLVMDisposeBuilder(d.ir);
    return d.function;
}

/* Finds processors on which streaming stores save nothing: those made by Intel. Streaming stores save a
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

const struct questions questions_x86 = {.detect = detect,
                                        .prefers_ordinary_stores = made_by_intel,
                                        .flags = {"cf-protection-branch", "cf-protection-return"}};
