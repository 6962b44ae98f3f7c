/* Tables in memory, and lookups that load from them.
 *
 * A GPU has no permutes. Its constant memory serves threads that read one address. Threads that look up
 * different entries wait for each other there (CUDA C++ Best Practices Guide, Constant Memory). So its tables
 * lie in the memory of operands, where the L1 cache serves a whole warp at once. Tables that have the entry's
 * type and their number of entries in common take turns entry by entry. LLVM then makes one load of up to 16
 * bytes of the lookups by one index, such as the coefficients of a segment. */
#include "build.h"

#include <string.h>

enum { GLOBAL_ALIGNMENT = 64 };

void mark_invariant(struct build *b, LLVMValueRef load)
{
    static const char invariant[] = "invariant.load";
    LLVMMetadataRef none = LLVMMDNodeInContext2(b->context, NULL, 0);
    LLVMSetMetadata(load, LLVMGetMDKindIDInContext(b->context, invariant, sizeof invariant - 1),
                    LLVMMetadataAsValue(b->context, none));
}

/* Returns a constant of the module with this content, or NULL. LLVM keeps one copy of each constant, so equal
 * contents have one address. */
static LLVMValueRef find_shared(struct build *b, LLVMValueRef content)
{
    for (LLVMValueRef g = LLVMGetFirstGlobal(b->module); g; g = LLVMGetNextGlobal(g))
        if (LLVMGetInitializer(g) == content && LLVMGetUnnamedAddress(g) == LLVMGlobalUnnamedAddr) return g;
    return NULL;
}

LLVMValueRef shared_global(struct build *b, LLVMValueRef content)
{
    LLVMValueRef global = find_shared(b, content);
    if (global) return global;
    global = LLVMAddGlobalInAddressSpace(b->module, LLVMTypeOf(content), "table", b->isa->grid.operand_space);
    LLVMSetInitializer(global, content);
    LLVMSetGlobalConstant(global, true);
    LLVMSetLinkage(global, LLVMPrivateLinkage);
    LLVMSetUnnamedAddress(global, LLVMGlobalUnnamedAddr);
    LLVMSetAlignment(global, GLOBAL_ALIGNMENT);
    return global;
}

enum { MOST_TURNS = 16 };

/* The tables of one global, and the place of a table among them. */
struct turns {
    uint32_t tables[MOST_TURNS]; /* their numbers */
    unsigned count, own;         /* how many, and the index of the table that was asked for */
};

/* Returns the tables that take turns with this one. On a grid they have its type and size. Elsewhere it is
 * alone. */
static struct turns turns_of(const struct build *b, uint32_t number)
{
    struct turns all = {{number}, 1, 0};
    if (!b->isa->grid.access_bytes) return all;
    const struct lane_table *tables = b->program->tables, *own = &tables[number];
    unsigned alike = 0;
    for (uint32_t i = 0; i < b->program->table_count; i++) {
        if (tables[i].type != own->type || tables[i].log2_size != own->log2_size) continue;
        if (alike++ % MOST_TURNS == 0) {
            if (i > number) break;
            all.count = 0;
        }
        if (i == number) all.own = all.count;
        all.tables[all.count++] = i;
    }
    return all;
}

/* Returns the entries from one of a table to its next: the least power of two that has room for all tables,
 * so that entries of one number are aligned to their size. */
static unsigned stride_of(const struct turns *turns)
{
    unsigned stride = 1;
    while (stride < turns->count) stride *= 2;
    return stride;
}

static LLVMValueRef interleaved(struct build *b, const struct turns *turns)
{
    const struct lane_table *t = &b->program->tables[turns->tables[0]];
    LLVMTypeRef element = LLVMIntTypeInContext(b->context, 8 * lane_type_bytes(t->type));
    const unsigned stride = stride_of(turns);
    LLVMTypeRef row_type = LLVMArrayType2(element, stride);
    LLVMValueRef rows[1 << LANE_LARGEST_LOG2_TABLE], row[MOST_TURNS];
    for (uint32_t i = 0; i >> t->log2_size == 0; i++) {
        for (unsigned k = 0; k < stride; k++)
            row[k] = k < turns->count
                         ? LLVMConstInt(element, b->program->tables[turns->tables[k]].bits[i], false)
                         : LLVMConstNull(element);
        rows[i] = LLVMConstArray2(element, row, stride);
    }
    return LLVMConstArray2(row_type, rows, (uint64_t)1 << t->log2_size);
}

/* Returns the global that holds the table. */
static LLVMValueRef global_of(struct build *b, uint32_t number, const struct turns *turns)
{
    if (!b->tables[number]) b->tables[number] = shared_global(b, interleaved(b, turns));
    return b->tables[number];
}

LLVMValueRef table_global(struct build *b, uint32_t number)
{
    const struct turns turns = turns_of(b, number);
    return global_of(b, number, &turns);
}

/* Returns the alignment of entries that lie after `own` others in rows of `stride` entries. */
static unsigned alignment_of(unsigned stride, unsigned own, unsigned bytes)
{
    const unsigned entries = own ? own : stride, known = (entries & (0 - entries)) * bytes;
    return known < GLOBAL_ALIGNMENT ? known : GLOBAL_ALIGNMENT;
}

/* Loads one scalar entry per element. LLVM joins loads if it knows their alignment. */
static LLVMValueRef load_entries(struct build *b, uint32_t number, LLVMValueRef in_table)
{
    const enum lane_type type = b->program->tables[number].type;
    const struct turns turns = turns_of(b, number);
    const unsigned stride = stride_of(&turns),
                   alignment = alignment_of(stride, turns.own, lane_type_bytes(type));
    LLVMTypeRef row = LLVMArrayType2(b->scalar[type], stride);
    LLVMValueRef global = global_of(b, number, &turns), result = LLVMGetPoison(b->vector[type]);
    for (unsigned i = 0; i < b->lanes; i++) {
        LLVMValueRef lane = i32_constant(b, i);
        LLVMValueRef at = LLVMBuildExtractElement(b->ir, in_table, lane, "");
        LLVMValueRef indices[] = {LLVMBuildIntCast2(b->ir, at, b->size, false, ""),
                                  size_constant(b, turns.own)};
        LLVMValueRef address = LLVMBuildGEP2(b->ir, row, global, indices, 2, "");
        LLVMValueRef entry = LLVMBuildLoad2(b->ir, b->scalar[type], address, "");
        LLVMSetAlignment(entry, alignment);
        if (b->isa->grid.access_bytes) mark_invariant(b, entry);
        result = LLVMBuildInsertElement(b->ir, result, entry, lane, "");
    }
    return result;
}

LLVMValueRef lookup_in_memory(struct build *b, uint32_t number, LLVMValueRef index)
{
    const struct lane_table *t = &b->program->tables[number];
    const enum lane_type index_type =
        integer_of_bytes(LLVMGetIntTypeWidth(LLVMGetElementType(LLVMTypeOf(index))) / 8);
    uint64_t low_bits = ((uint64_t)1 << t->log2_size) - 1;
    LLVMValueRef in_table = LLVMBuildAnd(b->ir, index, splat_bits(b, index_type, low_bits), "");
    if (!b->isa->scalable) return load_entries(b, number, in_table);
    LLVMValueRef global = table_global(b, number);
    LLVMValueRef addresses = LLVMBuildGEP2(b->ir, b->scalar[t->type], global, &in_table, 1, "");
    return load_elements(b, b->vector[t->type], addresses, NULL, lane_type_bytes(t->type));
}
