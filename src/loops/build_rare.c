/* Choices that are rarely made. A turn tests the conditions of all its vectors at once. If any lane of them
 * is true, the turn computes the part of the program that only this choice needs (rare.h), for all its
 * vectors. */
#include "build_loops.h"

LLVMValueRef any_true(struct build *b, LLVMValueRef *truth, unsigned count)
{
    LLVMValueRef all = truth[0];
    for (unsigned u = 1; u < count; u++) all = LLVMBuildOr(b->ir, all, truth[u], "");
    LLVMTypeRef type = LLVMTypeOf(all);
    return call_intrinsic(b, "llvm.vector.reduce.or", &type, 1, &all, 1);
}

/* Returns true if the least of two vectors takes more than a comparison of each. Baseline x86-64 has no
 * instruction for it. */
static bool compares_each(const struct build *b)
{
    const struct target_uops(*of)[2] = b->isa->costs->op;
    return of[CLASS_IMIN][0].count > of[CLASS_COMPARE][0].count + of[CLASS_LOGIC][0].count;
}

LLVMValueRef any_beyond(struct build *b, LLVMValueRef *v, unsigned count, LLVMValueRef limit, bool is_below)
{
    const LLVMIntPredicate beyond = is_below ? LLVMIntSLT : LLVMIntSGT;
    LLVMTypeRef type = LLVMTypeOf(v[0]);
    if (!compares_each(b)) {
        LLVMValueRef most[2] = {v[0]};
        for (unsigned u = 1; u < count; u++) {
            most[1] = v[u];
            most[0] = call_intrinsic(b, is_below ? "llvm.smin" : "llvm.smax", &type, 1, most, 2);
        }
        v[0] = most[0], count = 1;
    }
    for (unsigned u = 0; u < count; u++) v[u] = LLVMBuildICmp(b->ir, beyond, v[u], limit, "");
    return any_true(b, v, count);
}

/* Tells LLVM that the branch is rarely taken, so that the code of the other way has no jump. */
static void mark_unlikely(struct build *b, LLVMValueRef branch)
{
    enum { LIKELY = 1 << 20 };
    static const char name[] = "branch_weights", kind[] = "prof";
    LLVMMetadataRef weights[] = {LLVMMDStringInContext2(b->context, name, sizeof name - 1),
                                 LLVMValueAsMetadata(i32_constant(b, 1)),
                                 LLVMValueAsMetadata(i32_constant(b, LIKELY))};
    LLVMMetadataRef node = LLVMMDNodeInContext2(b->context, weights, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(b->context, kind, sizeof kind - 1),
                    LLVMMetadataAsValue(b->context, node));
}

void begin_rare(struct build *b, struct rare_branch *r, LLVMValueRef any)
{
    LLVMBasicBlockRef taken = block(b, "rare");
    r->before = here(b);
    r->after = block(b, "");
    mark_unlikely(b, LLVMBuildCondBr(b->ir, any, taken, r->after));
    go_on_at(b, taken);
}

void end_rare(struct build *b, const struct rare_branch *r, LLVMValueRef *chosen, LLVMValueRef *usual,
              unsigned count)
{
    LLVMBasicBlockRef taken = here(b);
    LLVMBuildBr(b->ir, r->after);
    go_on_at(b, r->after);
    for (unsigned u = 0; u < count; u++) {
        LLVMValueRef phi = phi_start(b, LLVMTypeOf(chosen[u]), usual[u], r->before);
        phi_add(phi, chosen[u], taken);
        chosen[u] = phi;
    }
}
