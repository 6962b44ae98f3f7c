/* Builds the functions that an object exports. They choose among a kernel's instruction sets, and they take
 * plain pointers, so that any language with C's calls can call them. */
#include "calls.h"
#include "architecture.h"
#include "build_loops.h"
#include "function.h"
#include "spec.h"

#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ISAS = 32 };

struct calls {
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef ir;
    LLVMTypeRef nothing, size, pointer, word;
    LLVMTypeRef data; /* pointer to an operand, possibly in another address space */
    const struct target_format *format;
    bool resolving;               /* the loader chooses, before any code runs */
    LLVMValueRef detect, allowed; /* NULL until a call needs them */
    const char *kernel;           /* the kernel that `chosen` belongs to */
    /* `chosen` is an indirect function, or a variable that holds the function's address. `chooser` is the
     * function that sets this variable. */
    LLVMValueRef chosen, chooser;
};

/* The functions of a kernel, best first. `addresses` has what a call calls: these functions, their direct
 * functions, or functions of values. */
struct choice {
    const struct backend_function *functions[MOST_ISAS];
    LLVMValueRef addresses[MOST_ISAS];
    size_t count;
    bool is_own; /* the addresses belong to one call only */
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

/* Returns the kernel whose operands a caller passes. */
static const struct lane_kernel *called_kernel(const struct backend_function *f)
{
    return f->called ? f->called : f->kernel;
}

static LLVMValueRef find_direct(const struct calls *c, const struct backend_function *f)
{
    return LLVMGetNamedFunction(c->module, direct_symbol(f->symbol).text);
}

/* Takes the direct functions, which have the parameters of a call with pointers. Returns false if a function
 * has none. */
static bool take_direct(const struct calls *c, struct choice *choice)
{
    LLVMValueRef addresses[MOST_ISAS];
    for (size_t i = 0; i < choice->count; i++)
        if (!(addresses[i] = find_direct(c, choice->functions[i]))) return false;
    memcpy(choice->addresses, addresses, sizeof addresses);
    choice->is_own = true;
    return true;
}

static LLVMValueRef has_set(const struct calls *c, LLVMValueRef sets, const struct target_isa *isa)
{
    size_t number = 0;
    while (target_isa_at(number) != isa) number++;
    LLVMValueRef bit = LLVMConstInt(c->word, UINT64_C(1) << number, false);
    return LLVMBuildIsNotNull(c->ir, LLVMBuildAnd(c->ir, sets, bit, ""), "");
}

/* Builds the bits of the instruction sets that the processor and the system have and the user allows. */
static LLVMValueRef usable_sets(struct calls *c, const struct target_isa *isa, LLVMValueRef chooser)
{
    LLVMValueRef arguments[] = {LLVMGetParam(chooser, 0), LLVMGetParam(chooser, 1)};
    if (!c->detect) c->detect = questions_for(isa)->detect(c->module, c->resolving);
    LLVMValueRef sets = LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(c->detect), c->detect, arguments, 2, "");
    if (c->resolving || !c->format->weak_symbols) return sets;
    if (!c->allowed) c->allowed = add_allowed(c->module, target_isa_baseline(isa));
    LLVMValueRef allowed = LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(c->allowed), c->allowed, NULL, 0, "");
    return LLVMBuildAnd(c->ir, sets, allowed, "");
}

/* Adds a function `ptr (i64, ptr)` that returns the best of the functions. The function also stores its
 * choice in `kept`, unless `kept` is NULL. The choice never changes, so several threads may choose and store
 * it at the same time. */
static LLVMValueRef add_chooser(struct calls *c, const struct choice *choice, LLVMValueRef kept)
{
    const struct target_isa *any = target_isa_baseline(choice->functions[0]->isa);
    LLVMTypeRef parameters[] = {LLVMInt64TypeInContext(c->context), c->pointer};
    LLVMValueRef chooser = add_function(c->module, "actgen_choose", c->pointer, parameters, 2, any);
    LLVMSetLinkage(chooser, c->resolving ? LLVMInternalLinkage : LLVMPrivateLinkage);
    LLVMPositionBuilderAtEnd(c->ir, LLVMAppendBasicBlockInContext(c->context, chooser, "entry"));
    LLVMValueRef sets = usable_sets(c, any, chooser);
    LLVMValueRef best = choice->addresses[choice->count - 1];
    for (size_t i = choice->count - 1; i--;)
        best = LLVMBuildSelect(c->ir, has_set(c, sets, choice->functions[i]->isa), choice->addresses[i], best,
                               "");
    if (kept) {
        LLVMValueRef store = LLVMBuildStore(c->ir, best, kept);
        LLVMSetOrdering(store, LLVMAtomicOrderingMonotonic);
        LLVMSetAlignment(store, LLVMGetAlignment(kept));
    }
    LLVMBuildRet(c->ir, best);
    return chooser;
}

/* Adds the globals that all calls of a kernel share, except calls of functions of their own. */
static void prepare_choice(struct calls *c, const struct choice *choice)
{
    const char *kernel = choice->functions[0]->kernel->name;
    const bool is_shared = !choice->is_own;
    if (is_shared && c->kernel && !strcmp(c->kernel, kernel)) return;
    c->kernel = is_shared ? kernel : NULL;
    if (c->resolving) {
        static const char name[] = "actgen_chosen";
        LLVMTypeRef type = LLVMGlobalGetValueType(choice->addresses[0]);
        LLVMValueRef chooser = add_chooser(c, choice, NULL);
        c->chosen = LLVMAddGlobalIFunc(c->module, name, strlen(name), type, 0, chooser);
        LLVMSetLinkage(c->chosen, LLVMInternalLinkage);
        return;
    }
    c->chosen = LLVMAddGlobal(c->module, c->pointer, "actgen_chosen");
    LLVMSetLinkage(c->chosen, LLVMPrivateLinkage);
    LLVMSetInitializer(c->chosen, LLVMConstNull(c->pointer));
    LLVMSetAlignment(c->chosen, LLVMPointerSize(LLVMGetModuleDataLayout(c->module)));
    c->chooser = add_chooser(c, choice, c->chosen);
}

/* Loads the address that the first call has kept. */
static LLVMValueRef kept_function(const struct calls *c)
{
    LLVMValueRef kept = LLVMBuildLoad2(c->ir, c->pointer, c->chosen, "");
    LLVMSetOrdering(kept, LLVMAtomicOrderingMonotonic);
    LLVMSetAlignment(kept, LLVMGetAlignment(c->chosen));
    return kept;
}

static LLVMValueRef choose_function(const struct calls *c)
{
    LLVMValueRef none[] = {LLVMConstNull(LLVMInt64TypeInContext(c->context)), LLVMConstNull(c->pointer)};
    return LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(c->chooser), c->chooser, none, 2, "");
}

/* Builds the address of the chosen function. The first call chooses it. */
static LLVMValueRef chosen_function(const struct calls *c)
{
    if (c->resolving) return c->chosen;
    LLVMValueRef kept = kept_function(c);
    const struct detour first = begin_detour(c->ir, LLVMBuildIsNull(c->ir, kept, ""));
    return end_detour(c->ir, &first, kept, choose_function(c));
}

/* Calls the best of the functions with these arguments. `leaves_nothing`: no argument is in the caller's
 * frame. */
static void build_choice(const struct calls *c, LLVMValueRef caller, const struct choice *choice,
                         LLVMValueRef *arguments, unsigned count, bool leaves_nothing)
{
    LLVMValueRef only = choice->addresses[0];
    LLVMValueRef function = choice->count > 1 ? chosen_function(c) : only;
    LLVMValueRef call = LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(only), function, arguments, count, "");
    LLVMSetTailCall(call, leaves_nothing);
    LLVMBuildRetVoid(c->ir);
    if (leaves_nothing && (choice->count == 1 || c->resolving)) drop_frame(caller);
}

static LLVMTypeRef operand_type(const struct calls *c)
{
    return operand_record(c->context, c->data, c->size);
}

/* Lists the types of a call's parameters: the function's operands, then a workspace if there are sums.
 * A grid needs no workspace. Returns how many there are. `types` has room for all of them. */
static unsigned parameter_types(const struct calls *c, const struct backend_function *f,
                                enum backend_call_form form, LLVMTypeRef *types)
{
    const struct lane_kernel *kernel = called_kernel(f);
    unsigned count = 0;
    types[count++] = c->size;
    types[count++] = c->size;
    if (form == CALL_OPERANDS) types[count++] = c->pointer;
    for (uint32_t k = 0; k < kernel->operand_count && form != CALL_OPERANDS; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->part) continue;
        types[count++] = c->data;
        if (form == CALL_STRIDES && kernel_has_stride(o)) types[count++] = c->size;
    }
    if (f->called && form != CALL_OPERANDS && !target_has_grid(f->isa)) types[count++] = c->data;
    return count;
}

/* Builds the array of operands from the parameters of `caller`. */
static LLVMValueRef gather_operands(const struct calls *c, LLVMValueRef caller,
                                    const struct backend_function *f, enum backend_call_form form)
{
    const struct lane_kernel *kernel = called_kernel(f);
    const uint64_t places = kernel->group_count + (f->called ? 1 : 0);
    LLVMTypeRef operand = operand_type(c);
    LLVMValueRef array = LLVMBuildAlloca(c->ir, LLVMArrayType2(operand, places), "");
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
    if (f->called) {
        LLVMValueRef last = LLVMConstInt(c->size, kernel->group_count, false);
        LLVMBuildStore(c->ir, LLVMGetParam(caller, parameter),
                       LLVMBuildGEP2(c->ir, operand, array, &last, 1, ""));
    }
    return array;
}

/* -- kernels launched on a grid -- */

/* Makes parameter 2 an array of the operands, by value. */
static void take_operands_by_value(const struct calls *c, LLVMValueRef entry, uint32_t count)
{
    static const char byval[] = "byval";
    enum { BEHIND_ROWS_AND_COLS = 3 }; /* the attributes of the first parameter have number 1 */
    LLVMTypeRef array = LLVMArrayType2(operand_type(c), count);
    const unsigned kind = LLVMGetEnumAttributeKindForName(byval, sizeof byval - 1);
    LLVMAddAttributeAtIndex(entry, BEHIND_ROWS_AND_COLS, LLVMCreateTypeAttribute(c->context, kind, array));
}

static LLVMValueRef load_field(const struct calls *c, LLVMValueRef operands, uint32_t group, unsigned field)
{
    LLVMValueRef path[] = {LLVMConstInt(c->word, group, false), LLVMConstInt(c->word, field, false)};
    LLVMValueRef at = LLVMBuildGEP2(c->ir, operand_type(c), operands, path, 2, "");
    return LLVMBuildLoad2(c->ir, field ? c->size : c->data, at, "");
}

/* Builds the entry that is launched. It calls the kernel's own function, which takes the data and the stride
 * of each operand. Totals and their summands have none: they are in registers. */
static void build_launch(const struct calls *c, LLVMValueRef entry, const struct backend_function *f,
                         enum backend_call_form form)
{
    const struct lane_kernel *kernel = called_kernel(f);
    const unsigned count = 2 + 2 * f->kernel->group_count;
    LLVMValueRef arguments[2 + 2 * TARGET_MOST_OPERANDS] = {LLVMGetParam(entry, 0), LLVMGetParam(entry, 1)};
    LLVMValueRef function = LLVMGetNamedFunction(c->module, f->symbol);
    unsigned parameter = 2;
    LLVMSetFunctionCallConv(entry, f->isa->grid.entry_convention);
    if (form == CALL_OPERANDS) take_operands_by_value(c, entry, kernel->group_count);
    for (unsigned i = 2; i < count; i++) arguments[i] = LLVMConstNull(i % 2 ? c->size : c->data);
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        LLVMValueRef *argument = &arguments[2 + 2 * kernel_group_of_summands(kernel, o)];
        if (o->part) continue;
        if (form == CALL_OPERANDS) {
            argument[0] = load_field(c, LLVMGetParam(entry, 2), o->group, 0);
            argument[1] = load_field(c, LLVMGetParam(entry, 2), o->group, 1);
            continue;
        }
        const bool is_given = form == CALL_STRIDES && kernel_has_stride(o);
        argument[0] = LLVMGetParam(entry, parameter++);
        argument[1] = is_given ? LLVMGetParam(entry, parameter++) : LLVMConstInt(c->size, 0, false);
    }
    LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(function), function, arguments, count, "");
    LLVMBuildRetVoid(c->ir);
}

/* Refuses a call that the object cannot make. */
static int check_call(const struct calls *c, const struct backend_call *call, const struct choice *choice,
                      struct diag *error)
{
    if (!choice->count)
        return diag_set(error, DIAG_INVALID, "'%s' calls the kernel '%s', which the object has not",
                        call->symbol, call->kernel);
    const struct target_isa *best = choice->functions[0]->isa;
    const struct questions *a = questions_for(best);
    if (choice->count > 1 && (!a->detect || (a->asks_library && !c->resolving && !c->format->weak_symbols)))
        return diag_set(
            error, DIAG_TARGET,
            "'%s': code for %s in an object of the format %s cannot ask which of several instruction sets "
            "the processor has; compile an object for each",
            call->symbol, target_architectures[best->architecture].name, c->format->name);
    return DIAG_OK;
}

/* Builds the call's function. The kernel's function takes operands in memory, its direct function takes the
 * call's own parameters. */
static void build_body(const struct calls *c, LLVMValueRef caller, const struct backend_call *call,
                       const struct choice *choice)
{
    const struct backend_function *any = choice->functions[0];
    LLVMValueRef arguments[2 + TARGET_MOST_OPERANDS];
    unsigned count = 3;
    if (target_has_grid(any->isa)) {
        build_launch(c, caller, any, call->form);
        return;
    }
    if (choice->is_own) {
        count = LLVMCountParams(caller);
        LLVMGetParams(caller, arguments);
    } else {
        arguments[0] = LLVMGetParam(caller, 0);
        arguments[1] = LLVMGetParam(caller, 1);
        arguments[2] = call->form == CALL_OPERANDS ? LLVMGetParam(caller, 2)
                                                   : gather_operands(c, caller, any, call->form);
    }
    build_choice(c, caller, choice, arguments, count, choice->is_own || call->form == CALL_OPERANDS);
}

/* Lets code outside the program or shared library see the function. */
static void export_call(LLVMValueRef caller)
{
    LLVMSetVisibility(caller, LLVMDefaultVisibility);
    LLVMSetDLLStorageClass(caller, LLVMDLLExportStorageClass); /* for systems with DLLs */
}

/* -- functions of values -- */

/* Builds a jump to the function with the arguments of `caller`. */
static void jump_to(const struct calls *c, LLVMValueRef caller, LLVMValueRef function)
{
    LLVMValueRef arguments[SPEC_MAX_OPERANDS + 1];
    LLVMGetParams(caller, arguments);
    LLVMValueRef call = LLVMBuildCall2(c->ir, LLVMGlobalGetValueType(caller), function, arguments,
                                       LLVMCountParams(caller), "");
    LLVMSetInstructionCallConv(call, LLVMGetFunctionCallConv(caller));
    LLVMSetTailCall(call, true);
    LLVMBuildRet(c->ir, call);
}

static void begin_function(const struct calls *c, LLVMValueRef function)
{
    LLVMPositionBuilderAtEnd(c->ir, LLVMAppendBasicBlockInContext(c->context, function, "entry"));
}

/* Builds a jump to the chosen function. Until the first call, this is a function that chooses. It keeps the
 * arguments while it does, so that `caller` needs no frame and no test. */
static void build_value_choice(struct calls *c, LLVMValueRef caller, const struct choice *choice,
                               const struct backend_values *how)
{
    prepare_choice(c, choice);
    drop_frame(caller);
    if (!c->resolving) {
        LLVMValueRef first = add_value_function(c->module, "actgen_first", LLVMGlobalGetValueType(caller),
                                                target_isa_baseline(choice->functions[0]->isa), how);
        LLVMSetLinkage(first, LLVMInternalLinkage);
        LLVMSetInitializer(c->chosen, first);
        begin_function(c, first);
        jump_to(c, first, choose_function(c));
    }
    begin_function(c, caller);
    jump_to(c, caller, c->resolving ? c->chosen : kept_function(c));
}

/* Builds the functions of values for the sets that can have them: vectors whose length the processor decides
 * are only for scalable sets. */
static int take_value_functions(const struct calls *c, struct choice *choice, const struct backend_call *call,
                                const struct backend_options *options, struct diag *error)
{
    const bool scalable = call->values.abi && call->values.abi->scalable;
    size_t count = 0;
    int status = DIAG_OK;
    for (size_t i = 0; i < choice->count && !status; i++) {
        if (scalable && !choice->functions[i]->isa->scalable) continue;
        const struct backend_function *f = choice->functions[count] = choice->functions[i];
        char symbol[SYMBOL_SIZE];
        snprintf(symbol, sizeof symbol, "%s.%s", f->symbol, call->symbol);
        status = build_value_function(&choice->addresses[count], c->module, symbol, f, options, &call->values,
                                      error);
        if (!status) LLVMSetLinkage(choice->addresses[count++], LLVMInternalLinkage);
    }
    choice->count = count;
    choice->is_own = true;
    return status;
}

/* Builds a call with values. If there is one function, the function itself is the call. */
static int build_value_call(struct calls *c, const struct backend_call *call, struct choice *choice,
                            const struct backend_options *options, struct diag *error)
{
    int status = take_value_functions(c, choice, call, options, error);
    if (!status) status = check_call(c, call, choice, error);
    if (status) return status;
    LLVMValueRef caller = choice->addresses[0];
    if (choice->count == 1) {
        LLVMSetValueName2(caller, call->symbol, strlen(call->symbol));
        LLVMSetLinkage(caller, LLVMExternalLinkage);
        LLVMSetVisibility(caller, LLVMHiddenVisibility);
    } else {
        caller = add_value_function(c->module, call->symbol, LLVMGlobalGetValueType(caller),
                                    target_isa_baseline(choice->functions[0]->isa), &call->values);
        build_value_choice(c, caller, choice, &call->values);
    }
    if (options->exported) export_call(caller);
    return DIAG_OK;
}

static int build_call(struct calls *c, const struct backend_call *call, struct choice *choice, bool exported,
                      struct diag *error)
{
    const int status = check_call(c, call, choice, error);
    if (status) return status;
    const struct backend_function *any_function = choice->functions[0];
    LLVMTypeRef *types = calloc(4 + 2 * (size_t)any_function->kernel->group_count, sizeof *types);
    if (!types) return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", call->symbol);
    const unsigned count = parameter_types(c, any_function, call->form, types);
    const struct target_isa *any = target_isa_baseline(any_function->isa);
    const bool is_direct = call->form == CALL_POINTERS && take_direct(c, choice);
    for (size_t i = 0; i < choice->count && !is_direct; i++)
        choice->addresses[i] = LLVMGetNamedFunction(c->module, choice->functions[i]->symbol);
    if (choice->count > 1) prepare_choice(c, choice);
    LLVMValueRef caller = add_function(c->module, call->symbol, c->nothing, types, count, any);
    free(types);
    if (exported) export_call(caller);
    begin_function(c, caller);
    build_body(c, caller, call, choice);
    return DIAG_OK;
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
                      .data = LLVMPointerTypeInContext(context, functions[0].isa->grid.operand_space),
                      .word = LLVMInt32TypeInContext(context),
                      .format = target_format_find(functions[0].isa, options->format),
                      .resolving = options->dispatch == DISPATCH_IFUNC};
    int status = 0;
    for (size_t i = 0; i < options->call_count && !status; i++) {
        const struct backend_call *call = &options->calls[i];
        struct choice choice = {0};
        find_functions(&choice, call->kernel, functions, count);
        status = call->form == CALL_VALUES ? build_value_call(&c, call, &choice, options, error)
                                           : build_call(&c, call, &choice, options->exported, error);
    }
    LLVMDisposeBuilder(c.ir);
    return status;
}
