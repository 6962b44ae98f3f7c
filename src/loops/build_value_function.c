/* A function of values: its arguments are a value of each input, or a vector of values, and it returns the
 * result. It has the program of the kernel once, without loops and without memory for operands.
 *
 * A scalar function computes the lanes of a short vector, all of them equal, because programs work on
 * vectors: lookups are permutes, and integers stay in the registers of floats. A vector function follows the
 * vector function ABI of its letter (vector_abi.def), whatever instruction set its code has. On scalable
 * sets, the lanes after the last argument repeat the first one. So no lane has a value that was not given,
 * and a rare branch is never taken for nothing. */
#include "build_loops.h"
#include "function.h"
#include "spec.h"

static unsigned element_bytes_of(const struct lane_kernel *kernel)
{
    return element_types[kernel->operands[kernel->operand_count - 1].type].bytes;
}

static unsigned abi_lanes(const struct target_vector_abi *abi, const struct lane_kernel *kernel)
{
    return abi->bytes / element_bytes_of(kernel);
}

/* Returns the number of lanes that the function computes with. */
static unsigned own_lanes(const struct build *b, const struct backend_values *how)
{
    enum { SHORT_VECTOR = 16 };
    const unsigned bytes = b->isa->vector_bytes < SHORT_VECTOR ? b->isa->vector_bytes : SHORT_VECTOR;
    if (b->isa->scalable) return b->lanes;
    return how->abi ? abi_lanes(how->abi, b->what->kernel) : bytes / element_bytes_of(b->what->kernel);
}

/* -- the declaration -- */

static LLVMTypeRef scalar_type(LLVMContextRef context, enum element_type type)
{
    return type == ELEMENT_F64 ? LLVMDoubleTypeInContext(context) : LLVMFloatTypeInContext(context);
}

static LLVMTypeRef vector_of(const struct target_vector_abi *abi, LLVMTypeRef scalar, unsigned lanes)
{
    return abi->scalable ? LLVMScalableVectorType(scalar, lanes) : LLVMVectorType(scalar, lanes);
}

static bool stays_scalar(const struct kernel_operand *o, const struct backend_values *how)
{
    return !how->abi || (how->is_uniform && o->shape == SHAPE_ONE);
}

static LLVMTypeRef mask_type(LLVMContextRef context, const struct lane_kernel *kernel,
                             const struct target_vector_abi *abi)
{
    const unsigned lanes = abi_lanes(abi, kernel);
    switch (abi->mask) {
    case MASK_OF_BITS: return LLVMInt32TypeInContext(context);
    case MASK_OF_TRUTH: return vector_of(abi, LLVMInt1TypeInContext(context), lanes);
    default:
        return vector_of(abi, scalar_type(context, kernel->operands[kernel->operand_count - 1].type), lanes);
    }
}

LLVMTypeRef value_function_type(LLVMContextRef context, const struct lane_kernel *kernel,
                                const struct backend_values *how)
{
    LLVMTypeRef types[SPEC_MAX_OPERANDS + 1], result = NULL;
    unsigned count = 0;
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        LLVMTypeRef type = scalar_type(context, o->type);
        if (!stays_scalar(o, how)) type = vector_of(how->abi, type, abi_lanes(how->abi, kernel));
        *(o->is_result ? &result : &types[count++]) = type;
    }
    if (how->masked) types[count++] = mask_type(context, kernel, how->abi);
    return LLVMFunctionType(result, types, count, false);
}

LLVMValueRef add_value_function(LLVMModuleRef module, const char *symbol, LLVMTypeRef type,
                                const struct target_isa *isa, const struct backend_values *how)
{
    LLVMTypeRef types[SPEC_MAX_OPERANDS + 1];
    LLVMGetParamTypes(type, types);
    LLVMValueRef function =
        add_function(module, symbol, LLVMGetReturnType(type), types, LLVMCountParamTypes(type), isa);
    drop_frame(function);
    if (how->abi) add_abi_features(function, isa, how->abi);
    if (how->abi) LLVMSetFunctionCallConv(function, how->abi->convention);
    return function;
}

/* -- arguments and result -- */

/* Returns a truth value for each lane of an argument: true if the mask has the lane. */
static LLVMValueRef truth_of_mask(struct build *b, LLVMValueRef mask, const struct target_vector_abi *abi)
{
    const unsigned bytes = element_bytes_of(b->what->kernel), lanes = abi_lanes(abi, b->what->kernel);
    if (abi->mask == MASK_OF_TRUTH) return mask;
    LLVMTypeRef bits = LLVMIntTypeInContext(b->context, lanes),
                lane = LLVMIntTypeInContext(b->context, 8 * bytes);
    if (abi->mask == MASK_OF_BITS)
        return LLVMBuildBitCast(b->ir, LLVMBuildTrunc(b->ir, mask, bits, ""),
                                LLVMVectorType(b->scalar[LANE_TRUTH], lanes), "");
    LLVMTypeRef integers = LLVMVectorType(lane, lanes);
    mask = LLVMBuildBitCast(b->ir, mask, integers, "");
    return LLVMBuildICmp(b->ir, LLVMIntNE, mask, LLVMConstNull(integers), "");
}

/* Returns a vector of the function's own lanes that begins with those of the argument. */
static LLVMValueRef lanes_of_argument(struct build *b, LLVMValueRef argument)
{
    LLVMTypeRef type = LLVMTypeOf(argument);
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind || LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        return splat_value(b, argument, b->lanes);
    if (type == vector_type(b, LLVMGetElementType(type), b->lanes)) return argument;
    LLVMValueRef first = LLVMBuildExtractElement(b->ir, argument, i32_constant(b, 0), "");
    return with_part(b, splat_value(b, first, b->lanes), argument, 0);
}

static LLVMValueRef result_of_lanes(struct build *b, LLVMValueRef lanes, LLVMTypeRef type)
{
    if (LLVMTypeOf(lanes) == type) return lanes;
    if (LLVMGetTypeKind(type) == LLVMFloatTypeKind || LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        return LLVMBuildExtractElement(b->ir, lanes, i32_constant(b, 0), "");
    LLVMTypeRef types[] = {type, LLVMTypeOf(lanes)};
    LLVMValueRef arguments[] = {lanes, LLVMConstNull(LLVMInt64TypeInContext(b->context))};
    return call_intrinsic(b, "llvm.vector.extract", types, 2, arguments, 2);
}

/* Returns the argument, with the value of the first lane that is on in all lanes that are off. */
static LLVMValueRef filled_scalable(struct build *b, LLVMValueRef argument, LLVMValueRef truth)
{
    LLVMTypeRef types[] = {LLVMInt64TypeInContext(b->context), LLVMTypeOf(truth)};
    LLVMValueRef asked[] = {truth, LLVMConstInt(b->scalar[LANE_TRUTH], true, false)};
    LLVMValueRef first = call_intrinsic(b, "llvm.experimental.cttz.elts", types, 2, asked, 2),
                 value = LLVMBuildExtractElement(b->ir, argument, first, "");
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(argument));
    return LLVMBuildSelect(b->ir, truth, argument, splat_value(b, value, lanes), "");
}

/* Returns the argument, with the value of some lane that is on in all lanes that are off. The mask chooses
 * that lane, so it is the same for all arguments. Lanes take from lanes at growing distances. */
static LLVMValueRef filled(struct build *b, LLVMValueRef argument, LLVMValueRef truth)
{
    enum { MOST_LANES = 16 };
    LLVMValueRef numbers[MOST_LANES];
    const unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(argument));
    for (unsigned distance = 1; distance < lanes; distance *= 2) {
        for (unsigned i = 0; i < lanes; i++) numbers[i] = i32_constant(b, i ^ distance);
        LLVMValueRef order = LLVMConstVector(numbers, lanes);
        LLVMValueRef other = LLVMBuildShuffleVector(b->ir, argument, argument, order, "");
        argument = LLVMBuildSelect(b->ir, truth, argument, other, "");
        truth = LLVMBuildOr(b->ir, truth, LLVMBuildShuffleVector(b->ir, truth, truth, order, ""), "");
    }
    return argument;
}

/* Returns 0 from a call with no lane on. */
static void return_for_none(struct build *b, LLVMValueRef truth)
{
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(b->function));
    LLVMBasicBlockRef none = block(b, "none"), some = block(b, "some");
    LLVMBuildCondBr(b->ir, any_true(b, &truth, 1), some, none);
    go_on_at(b, none);
    LLVMBuildRet(b->ir, LLVMConstNull(result));
    go_on_at(b, some);
}

/* Returns the argument with values in lanes that are off that cause no exception and no rare branch. These
 * are zeros where this is known of them, and values of a lane that is on elsewhere. */
static LLVMValueRef masked_argument(struct build *b, LLVMValueRef argument, LLVMValueRef truth,
                                    const struct backend_values *how)
{
    if (how->zeroed) return LLVMBuildSelect(b->ir, truth, argument, LLVMConstNull(LLVMTypeOf(argument)), "");
    return (how->abi->scalable ? filled_scalable : filled)(b, argument, truth);
}

/* Fills in b->in_registers. */
static void take_arguments(struct build *b, const struct backend_values *how)
{
    const struct lane_kernel *kernel = b->what->kernel;
    const unsigned count = LLVMCountParams(b->function);
    LLVMValueRef truth =
        how->masked ? truth_of_mask(b, LLVMGetParam(b->function, count - 1), how->abi) : NULL;
    unsigned parameter = 0;
    if (truth && !how->zeroed) return_for_none(b, truth);
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->is_result) continue;
        LLVMValueRef argument = LLVMGetParam(b->function, parameter++);
        if (truth && !stays_scalar(o, how)) argument = masked_argument(b, argument, truth, how);
        b->in_registers[k] = lanes_of_argument(b, argument);
    }
}

static void build_body(struct build *b, struct loops *l, const struct backend_values *how)
{
    LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(b->function));
    go_on_at(b, block(b, "entry"));
    take_arguments(b, how);
    build_uniform(b, l, ONCE);
    build_masked(b, l, size_constant(b, 0), NULL);
    for (uint32_t k = 0; k < b->what->kernel->operand_count; k++)
        if (b->what->kernel->operands[k].is_result)
            LLVMBuildRet(b->ir, result_of_lanes(b, b->in_registers[k], result));
}

int build_value_function(LLVMValueRef *out, LLVMModuleRef module, const char *symbol,
                         const struct backend_function *what, const struct backend_options *options,
                         const struct backend_values *how, struct diag *error)
{
    struct build b;
    struct loops l = {0};
    LLVMValueRef values[SPEC_MAX_OPERANDS] = {NULL};
    struct backend_options plain = *options;
    plain.quick = true; /* There is no loop to choose. */
    if (!open_build(&b, &l, what, &plain)) {
        close_build(&b);
        return diag_set(error, DIAG_NO_MEMORY, "no memory for the code of '%s'", symbol);
    }
    b.context = LLVMGetModuleContext(module);
    b.module = module;
    b.ir = LLVMCreateBuilderInContext(b.context);
    b.in_registers = values;
    b.lanes = own_lanes(&b, how);
    find_types(&b);
    b.function =
        add_value_function(module, symbol, value_function_type(b.context, what->kernel, how), what->isa, how);
    build_body(&b, &l, how);
    *out = b.function;
    LLVMDisposeBuilder(b.ir);
    close_build(&b);
    if (!b.missing) return DIAG_OK;
    return diag_set(error, DIAG_BACKEND, "'%s' for %s: this LLVM has no intrinsic %s", symbol,
                    what->isa->name, b.missing);
}
