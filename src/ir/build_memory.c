/* Elements in memory: full vectors, partial vectors by masks, and streaming stores.
 *
 * Partial vectors use llvm.masked.load and .store. A copy through the stack would wait for store forwarding.
 * Code that is to be short moves element by element in a loop, on sets where LLVM makes a branch for each
 * lane of a mask. A streaming store must be fully aligned, because otherwise LLVM makes scalar stores of
 * it. */
#include "build.h"

#include <llvm-c/Target.h>
#include <string.h>

LLVMTypeRef element_type_in(struct build *b, enum element_type type)
{
    if (element_types[type].lanes != ELEMENT_OWN)
        return LLVMIntTypeInContext(b->context, 8 * element_types[type].bytes);
    return b->scalar[type == ELEMENT_F64 ? LANE_F64 : LANE_F32];
}

/* Calls a masked intrinsic. Its mask follows the address. Up to LLVM 21 the alignment is an operand between
 * the two. From LLVM 22 on it is an attribute of the address. */
static LLVMValueRef masked(struct build *b, const char *name, LLVMTypeRef vector, LLVMValueRef *arguments,
                           unsigned count, unsigned mask_at, unsigned alignment)
{
    static const char align[] = "align";
    LLVMTypeRef types[] = {vector, LLVMTypeOf(arguments[mask_at - 1])};
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef all[5];
    unsigned n = 0;
    bool with_alignment = LLVMCountParamTypes(LLVMIntrinsicGetType(b->context, id, types, 2)) == count + 1;
    for (unsigned i = 0; i < count; i++) {
        if (with_alignment && i == mask_at) all[n++] = i32_constant(b, alignment);
        all[n++] = arguments[i];
    }
    LLVMValueRef call = call_intrinsic(b, name, types, 2, all, n);
    unsigned kind = LLVMGetEnumAttributeKindForName(align, sizeof align - 1);
    if (!with_alignment) /* attributes number operands from 1 */
        LLVMAddCallSiteAttribute(call, mask_at, LLVMCreateEnumAttribute(b->context, kind, alignment));
    return call;
}

static bool is_vector(LLVMValueRef addresses)
{
    return LLVMGetTypeKind(LLVMTypeOf(addresses)) != LLVMPointerTypeKind;
}

LLVMValueRef load_masked(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef mask,
                         unsigned alignment)
{
    LLVMValueRef arguments[] = {address, mask, LLVMConstNull(vector)};
    const char *name = is_vector(address) ? "llvm.masked.gather" : "llvm.masked.load";
    return masked(b, name, vector, arguments, 3, 1, alignment);
}

static void masked_store(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef mask,
                         unsigned alignment)
{
    LLVMValueRef arguments[] = {value, address, mask};
    const char *name = is_vector(address) ? "llvm.masked.scatter" : "llvm.masked.store";
    masked(b, name, LLVMTypeOf(value), arguments, 3, 2, alignment);
}

/* -- masks -- */

/* Returns (1 << rest) - 1 as a mask. */
static LLVMValueRef mask_of_bits(struct build *b, LLVMValueRef rest, unsigned lanes)
{
    LLVMValueRef count = smaller_size(b, rest, size_constant(b, lanes));
    /* A mask of all lanes shifts the 1 out of the lanes' bits, so the word must be wider. */
    LLVMTypeRef word = lanes < 32   ? b->scalar[LANE_I32]
                       : lanes < 64 ? b->size
                                    : LLVMIntTypeInContext(b->context, 2 * lanes);
    LLVMValueRef one = LLVMConstInt(word, 1, false),
                 narrow = LLVMBuildIntCast2(b->ir, count, word, false, "");
    LLVMValueRef low = LLVMBuildSub(b->ir, LLVMBuildShl(b->ir, one, narrow, ""), one, "");
    LLVMValueRef bits = LLVMBuildTrunc(b->ir, low, LLVMIntTypeInContext(b->context, lanes), "");
    return LLVMBuildBitCast(b->ir, bits, LLVMVectorType(b->scalar[LANE_TRUTH], lanes), "");
}

/* Compares the numbers 0 to lanes - 1 with `rest`. */
static LLVMValueRef compare_numbers(struct build *b, LLVMIntPredicate how, LLVMValueRef rest, unsigned lanes)
{
    LLVMTypeRef word = b->scalar[LANE_I32];
    LLVMValueRef numbers[64];
    for (unsigned i = 0; i < lanes; i++) numbers[i] = i32_constant(b, i);
    LLVMValueRef all = splat_value(b, LLVMBuildIntCast2(b->ir, rest, word, false, ""), lanes);
    return LLVMBuildICmp(b->ir, how, LLVMConstVector(numbers, lanes), all, "");
}

static LLVMValueRef active_lanes(struct build *b, LLVMValueRef rest, unsigned lanes)
{
    LLVMTypeRef types[] = {vector_type(b, b->scalar[LANE_TRUTH], lanes), b->size};
    LLVMValueRef ends[] = {size_constant(b, 0), rest};
    return call_intrinsic(b, "llvm.get.active.lane.mask", types, 2, ends, 2);
}

LLVMValueRef partial_mask(struct build *b, LLVMValueRef rest, unsigned lanes)
{
    if (!rest) return LLVMConstAllOnes(vector_type(b, b->scalar[LANE_TRUTH], lanes));
    if (b->isa->scalable) return active_lanes(b, rest, lanes);
    return b->isa->mask_registers ? mask_of_bits(b, rest, lanes)
                                  : compare_numbers(b, LLVMIntSLT, rest, lanes);
}

/* -- 16-bit elements on sets whose masks have 32 bits: pairs by a mask, and the last element by itself -- */

struct pairs {
    LLVMTypeRef vector, single; /* of pairs of elements; of one element */
    LLVMValueRef mask;          /* of the pairs */
    /* The element after the pairs: its number, true if it is in the vector, its address. */
    LLVMValueRef last, has_last, address;
};

static struct pairs pairs_of(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest)
{
    const unsigned lanes = LLVMGetVectorSize(vector);
    struct pairs p = {.vector = LLVMVectorType(b->scalar[LANE_I32], lanes / 2),
                      .single = LLVMVectorType(LLVMGetElementType(vector), 1)};
    LLVMValueRef one = size_constant(b, 1);
    LLVMValueRef odd = LLVMBuildTrunc(b->ir, rest, b->scalar[LANE_TRUTH], "");
    LLVMValueRef within = LLVMBuildICmp(b->ir, LLVMIntULT, rest, size_constant(b, lanes), "");
    LLVMValueRef counts = LLVMBuildAnd(b->ir, odd, within, "");
    p.mask = compare_numbers(b, LLVMIntSLT, LLVMBuildAShr(b->ir, rest, one, ""), lanes / 2);
    p.last = LLVMBuildAnd(b->ir, rest, LLVMConstNeg(size_constant(b, 2)), "");
    p.has_last = LLVMBuildBitCast(b->ir, counts, LLVMVectorType(b->scalar[LANE_TRUTH], 1), "");
    p.address = LLVMBuildGEP2(b->ir, LLVMGetElementType(vector), address, &p.last, 1, "");
    return p;
}

/* Loads pairs. With an even rest, the lane after the pairs is not needed, and may become 0. */
static LLVMValueRef load_pairs(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest)
{
    const unsigned lanes = LLVMGetVectorSize(vector);
    struct pairs p = pairs_of(b, vector, address, rest);
    LLVMValueRef most = LLVMBuildBitCast(b->ir, load_masked(b, p.vector, address, p.mask, 2), vector, "");
    LLVMValueRef single = load_masked(b, p.single, p.address, p.has_last, 2);
    LLVMValueRef last = LLVMBuildExtractElement(b->ir, single, i32_constant(b, 0), "");
    LLVMValueRef here = compare_numbers(b, LLVMIntEQ, p.last, lanes);
    return LLVMBuildSelect(b->ir, here, splat_value(b, last, lanes), most, "");
}

static void store_pairs(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef rest)
{
    struct pairs p = pairs_of(b, LLVMTypeOf(value), address, rest);
    masked_store(b, LLVMBuildBitCast(b->ir, value, p.vector, ""), address, p.mask, 2);
    LLVMValueRef in_vector = LLVMBuildAnd(b->ir, p.last, size_constant(b, lane_count(value) - 1), "");
    LLVMValueRef last = LLVMBuildExtractElement(b->ir, value, in_vector, "");
    LLVMValueRef single =
        LLVMBuildInsertElement(b->ir, LLVMGetPoison(p.single), last, i32_constant(b, 0), "");
    masked_store(b, single, p.address, p.has_last, 2);
}

/* -- vectors that are whole or partial, in code that is to be short -- */

/* Returns true if the code asks whether a vector is whole, and moves it without a mask then. Otherwise a loop
 * for whole vectors and one for partial vectors would both have all operations of the program. Masks of bits
 * are so cheap that they need no such branch. */
static bool asks_if_whole(const struct build *b, LLVMValueRef address, LLVMValueRef rest)
{
    return rest && b->has_one_loop && !b->isa->mask_registers && !is_vector(address);
}

struct whole_or_partial {
    LLVMBasicBlockRef whole, partial, after;
};

/* Branches on a vector of `lanes` elements, and continues where it is whole. */
static struct whole_or_partial begin_whole(struct build *b, LLVMValueRef rest, unsigned lanes)
{
    const struct whole_or_partial w = {block(b, "whole"), block(b, "part"), block(b, "moved")};
    LLVMValueRef is_whole = LLVMBuildICmp(b->ir, LLVMIntUGE, rest, size_constant(b, lanes), "");
    LLVMBuildCondBr(b->ir, is_whole, w.whole, w.partial);
    go_on_at(b, w.whole);
    return w;
}

/* Continues where the vector is partial. */
static void go_on_with_part(struct build *b, struct whole_or_partial *w)
{
    w->whole = here(b);
    LLVMBuildBr(b->ir, w->after);
    go_on_at(b, w->partial);
}

/* Continues after both. Returns the value, or NULL if the vector was stored. */
static LLVMValueRef end_whole(struct build *b, const struct whole_or_partial *w, LLVMValueRef whole,
                              LLVMValueRef partial)
{
    LLVMBasicBlockRef last = here(b);
    LLVMBuildBr(b->ir, w->after);
    go_on_at(b, w->after);
    if (!whole) return NULL;
    LLVMValueRef value = phi_start(b, LLVMTypeOf(whole), whole, w->whole);
    phi_add(value, partial, last);
    return value;
}

/* Returns true if masks move a partial vector in few instructions. */
static bool has_short_masks(struct build *b, LLVMTypeRef vector)
{
    const uint64_t bytes = LLVMABISizeOfType(LLVMGetModuleDataLayout(b->module), LLVMGetElementType(vector));
    return b->isa->masked_moves && bytes >= 4;
}

/* Returns v with its lanes moved by one: up, so that lane 0 is free, or down. */
static LLVMValueRef move_lanes(struct build *b, LLVMValueRef v, bool up)
{
    const unsigned lanes = lane_count(v);
    LLVMValueRef numbers[64];
    for (unsigned i = 0; i < lanes; i++)
        numbers[i] = i32_constant(b, up ? (i + lanes - 1) % lanes : (i + 1) % lanes);
    numbers[up ? 0 : lanes - 1] = i32_constant(b, lanes); /* a lane of zeros */
    return LLVMBuildShuffleVector(b->ir, v, LLVMConstNull(LLVMTypeOf(v)), LLVMConstVector(numbers, lanes),
                                  "");
}

/* Loads `rest` elements in a loop, the last one first. */
static LLVMValueRef load_part(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest,
                              unsigned alignment)
{
    LLVMTypeRef element = LLVMGetElementType(vector);
    LLVMValueRef zero = LLVMConstNull(vector);
    LLVMBasicBlockRef before = here(b), next = block(b, "next"), after = block(b, "all");
    LLVMBuildCondBr(b->ir, LLVMBuildIsNull(b->ir, rest, ""), after, next);
    go_on_at(b, next);
    LLVMValueRef left = phi_start(b, b->size, rest, before), loaded = phi_start(b, vector, zero, before);
    LLVMValueRef number = LLVMBuildSub(b->ir, left, size_constant(b, 1), "");
    LLVMValueRef load =
        LLVMBuildLoad2(b->ir, element, LLVMBuildGEP2(b->ir, element, address, &number, 1, ""), "");
    LLVMValueRef more =
        LLVMBuildInsertElement(b->ir, move_lanes(b, loaded, true), load, i32_constant(b, 0), "");
    LLVMSetAlignment(load, alignment);
    phi_add(left, number, next);
    phi_add(loaded, more, next);
    LLVMBuildCondBr(b->ir, LLVMBuildIsNull(b->ir, number, ""), after, next);
    go_on_at(b, after);
    LLVMValueRef all = phi_start(b, vector, zero, before);
    phi_add(all, more, next);
    return all;
}

/* Stores the first `rest` elements in a loop. */
static void store_part(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef rest,
                       unsigned alignment)
{
    LLVMTypeRef element = LLVMGetElementType(LLVMTypeOf(value));
    struct loop l = begin_loop(b, rest, size_constant(b, 1), value);
    LLVMValueRef first = LLVMBuildExtractElement(b->ir, l.value, i32_constant(b, 0), "");
    LLVMValueRef store =
        LLVMBuildStore(b->ir, first, LLVMBuildGEP2(b->ir, element, address, &l.index, 1, ""));
    LLVMSetAlignment(store, alignment);
    end_loop(b, &l, value, move_lanes(b, l.value, false));
}

/* -- elements -- */

static LLVMValueRef load_these(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest,
                               unsigned alignment)
{
    if (rest && alignment == 2 && b->isa->word_masks) return load_pairs(b, vector, address, rest);
    if (rest || is_vector(address))
        return load_masked(b, vector, address, partial_mask(b, rest, LLVMGetVectorSize(vector)), alignment);
    LLVMValueRef load = LLVMBuildLoad2(b->ir, vector, address, "");
    LLVMSetAlignment(load, alignment);
    /* LLVM 19's back end for GPUs reads f32 as f64 if it joins a load with the conversion after it. */
    return target_has_grid(b->isa) ? LLVMBuildFreeze(b->ir, load, "") : load;
}

static void mark_streaming(struct build *b, LLVMValueRef store)
{
    static const char kind[] = "nontemporal";
    LLVMMetadataRef one = LLVMValueAsMetadata(i32_constant(b, 1));
    LLVMValueRef node = LLVMMetadataAsValue(b->context, LLVMMDNodeInContext2(b->context, &one, 1));
    LLVMSetMetadata(store, LLVMGetMDKindIDInContext(b->context, kind, sizeof kind - 1), node);
}

LLVMValueRef load_elements(struct build *b, LLVMTypeRef vector, LLVMValueRef address, LLVMValueRef rest,
                           unsigned alignment)
{
    if (!asks_if_whole(b, address, rest)) return load_these(b, vector, address, rest, alignment);
    struct whole_or_partial w = begin_whole(b, rest, LLVMGetVectorSize(vector));
    LLVMValueRef whole = load_these(b, vector, address, NULL, alignment);
    go_on_with_part(b, &w);
    return end_whole(b, &w, whole,
                     has_short_masks(b, vector) ? load_these(b, vector, address, rest, alignment)
                                                : load_part(b, vector, address, rest, alignment));
}

static void store_these(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef rest,
                        unsigned alignment, bool streaming)
{
    if (rest && alignment == 2 && b->isa->word_masks) {
        store_pairs(b, value, address, rest);
    } else if (rest || is_vector(address)) {
        masked_store(b, value, address, partial_mask(b, rest, lane_count(value)), alignment);
    } else {
        LLVMValueRef store = LLVMBuildStore(b->ir, value, address);
        LLVMSetAlignment(store, alignment);
        if (streaming) mark_streaming(b, store);
    }
}

void store_elements(struct build *b, LLVMValueRef value, LLVMValueRef address, LLVMValueRef rest,
                    unsigned alignment, bool streaming)
{
    if (!asks_if_whole(b, address, rest)) {
        store_these(b, value, address, rest, alignment, streaming);
        return;
    }
    struct whole_or_partial w = begin_whole(b, rest, lane_count(value));
    store_these(b, value, address, NULL, alignment, streaming);
    go_on_with_part(b, &w);
    if (has_short_masks(b, LLVMTypeOf(value)))
        store_these(b, value, address, rest, alignment, streaming);
    else
        store_part(b, value, address, rest, alignment);
    end_whole(b, &w, NULL, NULL);
}

void store_fence(struct build *b)
{
    LLVMValueRef none = NULL;
    if (b->isa->fence) call_intrinsic(b, b->isa->fence, NULL, 0, &none, 0);
}

void prefetch(struct build *b, LLVMValueRef address, bool for_writing)
{
    enum { ALL_CACHES = 3, DATA = 1 };
    LLVMValueRef arguments[] = {address, i32_constant(b, for_writing), i32_constant(b, ALL_CACHES),
                                i32_constant(b, DATA)};
    call_intrinsic(b, "llvm.prefetch", &b->pointer, 1, arguments, 4);
}
