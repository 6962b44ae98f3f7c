/* What an object shows: functions that choose among a kernel's instruction sets, and that take plain pointers, so that any
 * language with C's calls can call it. */
#include "architecture.h"
#include "build.h"
#include "function.h"

#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ISAS = 32 };

struct calls {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMTypeRef nothing, size, pointer, word;
    LLVMValueRef detect, detected; /* NULL until a call needs them */
};

/* The functions of a kernel, best first. */
struct choice {
    const struct backend_function *functions[MOST_ISAS];
    size_t count;
};

static void find_functions(struct choice *out, const char *kernel, const struct backend_function *functions,
                           size_t count)
{
    out->count = 0;
    for (size_t n = 0; target_isa_at(n); n++)
        for (size_t i = 0; i < count && out->count < MOST_ISAS; i++)
            if (functions[i].isa == target_isa_at(n) && !strcmp(functions[i].kernel->name, kernel))
                out->functions[out->count++] = &functions[i];
}

static LLVMBasicBlockRef add_block(const struct calls *c, LLVMValueRef function)
{
    return LLVMAppendBasicBlockInContext(c->context, function, "");
}

/* What the processor and the system have, asked once a process. */
static LLVMValueRef detected_sets(struct calls *c, LLVMValueRef caller, const struct target_isa *isa)
{
    if (!c->detect) c->detect = architecture_of(isa)->detect(c->module, &c->detected);
    LLVMValueRef kept = LLVMBuildLoad2(c->ir, c->word, c->detected, "");
    LLVMSetOrdering(kept, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(kept, sizeof(uint32_t));
    LLVMBasicBlockRef before = LLVMGetInsertBlock(c->ir), first = add_block(c, caller),
                      ready = add_block(c, caller);
    LLVMValueRef none = LLVMConstInt(c->word, 0, false);
    LLVMBuildCondBr(c->ir, LLVMBuildICmp(c->ir, LLVMIntEQ, kept, none, ""), first, ready);
    LLVMPositionBuilderAtEnd(c->ir, first);
    LLVMValueRef asked = LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(c->detect), c->detect, NULL, 0, "");
    LLVMBuildBr(c->ir, ready);
    LLVMPositionBuilderAtEnd(c->ir, ready);
    LLVMValueRef sets = LLVMBuildPhi(c->ir, c->word, "");
    LLVMAddIncoming(sets, &kept, &before, 1);
    LLVMAddIncoming(sets, &asked, &first, 1);
    return sets;
}

static LLVMValueRef has_set(const struct calls *c, LLVMValueRef sets, const struct target_isa *isa)
{
    size_t number = 0;
    while (target_isa_at(number) != isa) number++;
    LLVMValueRef bit = LLVMConstInt(c->word, UINT64_C(1) << number, false);
    return LLVMBuildICmp(c->ir, LLVMIntNE, LLVMBuildAnd(c->ir, sets, bit, ""),
                         LLVMConstInt(c->word, 0, false), "");
}

static void call_and_return(const struct calls *c, const struct backend_function *f, LLVMValueRef *arguments,
                            bool leaves_nothing)
{
    LLVMValueRef function = LLVMGetNamedFunction(c->module, f->symbol);
    LLVMValueRef call = LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(function), function, arguments, 3, "");
    LLVMSetTailCall(call, leaves_nothing);
    LLVMBuildRetVoid(c->ir);
}

static void build_choice(struct calls *c, LLVMValueRef caller, const struct choice *choice,
                         LLVMValueRef operands, bool leaves_nothing)
{
    LLVMValueRef arguments[] = {LLVMGetParam(caller, 0), LLVMGetParam(caller, 1), operands};
    LLVMValueRef sets = choice->count > 1 ? detected_sets(c, caller, choice->functions[0]->isa) : NULL;
    for (size_t i = 0; i + 1 < choice->count; i++) {
        LLVMBasicBlockRef this_one = add_block(c, caller), others = add_block(c, caller);
        LLVMBuildCondBr(c->ir, has_set(c, sets, choice->functions[i]->isa), this_one, others);
        LLVMPositionBuilderAtEnd(c->ir, this_one);
        call_and_return(c, choice->functions[i], arguments, leaves_nothing);
        LLVMPositionBuilderAtEnd(c->ir, others);
    }
    call_and_return(c, choice->functions[choice->count - 1], arguments, leaves_nothing);
}

/* Parameters of a call with `kernel`'s operands; returns how many. `types` has room for all. */
static unsigned parameter_types(const struct calls *c, const struct lane_kernel *kernel,
                                enum backend_call_form form, LLVMTypeRef *types)
{
    unsigned count = 0;
    types[count++] = c->size;
    types[count++] = c->size;
    if (form == CALL_OPERANDS) types[count++] = c->pointer;
    for (uint32_t k = 0; k < kernel->operand_count && form != CALL_OPERANDS; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->part) continue;
        types[count++] = c->pointer;
        if (form == CALL_STRIDES && kernel_has_stride(o)) types[count++] = c->size;
    }
    return count;
}

/* The array of operands that the parameters of `caller` are. */
static LLVMValueRef gather_operands(const struct calls *c, LLVMValueRef caller,
                                    const struct lane_kernel *kernel, enum backend_call_form form)
{
    LLVMTypeRef fields[] = {c->pointer, c->size};
    LLVMTypeRef operand = LLVMStructTypeInContext(c->context, fields, 2, false);
    LLVMValueRef array = LLVMBuildAlloca(c->ir, LLVMArrayType2(operand, kernel->group_count), "");
    unsigned parameter = 2;
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->part) continue;
        LLVMValueRef group = LLVMConstInt(c->size, o->group, false);
        LLVMValueRef at = LLVMBuildGEP2(c->ir, operand, array, &group, 1, "");
        LLVMBuildStore(c->ir, LLVMGetParam(caller, parameter++), at);
        const bool is_given = form == CALL_STRIDES && kernel_has_stride(o);
        LLVMValueRef stride = is_given ? LLVMGetParam(caller, parameter++) : LLVMConstInt(c->size, 0, false);
        LLVMBuildStore(c->ir, stride, LLVMBuildStructGEP2(c->ir, operand, at, 1, ""));
    }
    return array;
}

static int build_call(struct calls *c, const struct backend_call *call, const struct choice *choice,
                      bool exported, struct diag *error)
{
    if (!choice->count)
        return diag_set(error, DIAG_INVALID, "'%s' calls the kernel '%s', which the object has not",
                        call->symbol, call->kernel);
    const struct target_isa *best = choice->functions[0]->isa;
    if (choice->count > 1 && !architecture_of(best)->detect)
        return diag_set(
            error, DIAG_TARGET,
            "'%s': code for %s cannot ask its processor which of several instruction sets it has; "
            "compile an object for each",
            call->symbol, target_architecture_name(best->architecture));
    const struct lane_kernel *kernel = choice->functions[0]->kernel;
    LLVMTypeRef *types = calloc(3 + 2 * (size_t)kernel->group_count, sizeof *types);
    if (!types) return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", call->symbol);
    const unsigned count = parameter_types(c, kernel, call->form, types);
    const struct target_isa *any = target_isa_baseline(best);
    LLVMValueRef caller = add_function(c->module, call->symbol, c->nothing, types, count, any);
    free(types);
    if (exported) LLVMSetVisibility(caller, LLVMDefaultVisibility);
    LLVMPositionBuilderAtEnd(c->ir, LLVMAppendBasicBlockInContext(c->context, caller, "entry"));
    const bool has_operands = call->form == CALL_OPERANDS;
    LLVMValueRef operands =
        has_operands ? LLVMGetParam(caller, 2) : gather_operands(c, caller, kernel, call->form);
    build_choice(c, caller, choice, operands, has_operands);
    return 0;
}

int build_calls(LLVMModuleRef module, const struct backend_function *functions, size_t count,
                const struct backend_options *options, struct diag *error)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    struct calls c = {.context = context,
                      .module = module,
                      .ir = LLVMCreateBuilderInContext(context),
                      .nothing = LLVMVoidTypeInContext(context),
                      .size = LLVMIntPtrTypeInContext(context, LLVMGetModuleDataLayout(module)),
                      .pointer = LLVMPointerTypeInContext(context, 0),
                      .word = LLVMInt32TypeInContext(context)};
    int status = 0;
    for (size_t i = 0; i < options->call_count && !status; i++) {
        struct choice choice;
        find_functions(&choice, options->calls[i].kernel, functions, count);
        status = build_call(&c, &options->calls[i], &choice, options->exported, error);
    }
    LLVMDisposeBuilder(c.ir);
    return status;
}
