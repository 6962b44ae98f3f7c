/* Writes and reads the operands and totals of a kernel. */
#include "kernel_record.h"
#include "record.h"
#include "spec.h"
#include "sums.h"

static const struct record_field operand_fields[] = {
    {RECORD_WORD, offsetof(struct kernel_operand, type), ELEMENT_TYPE_COUNT},
    {RECORD_WORD, offsetof(struct kernel_operand, shape), SHAPE_COUNT},
    {RECORD_WORD, offsetof(struct kernel_operand, layout), LAYOUT_COUNT},
    {RECORD_WORD, offsetof(struct kernel_operand, reduction), REDUCE_COUNT},
    {RECORD_WORD, offsetof(struct kernel_operand, block), SPEC_MOST_BLOCK + 1},
    {RECORD_WORD, offsetof(struct kernel_operand, block_rows), SPEC_MOST_BLOCK + 1},
    {RECORD_BIT, offsetof(struct kernel_operand, is_result), 0},
    {RECORD_BIT, offsetof(struct kernel_operand, counts_rows), 0},
    {RECORD_WORD, offsetof(struct kernel_operand, part), SPEC_MAX_OPERANDS},
    {RECORD_WORD, offsetof(struct kernel_operand, parts), SPEC_MAX_OPERANDS + 1},
    {RECORD_END, 0, 0}};

static const struct record_field total_fields[] = {
    {RECORD_WORD, offsetof(struct kernel_total, reduction), REDUCE_COUNT},
    {RECORD_WORD, offsetof(struct kernel_total, form), SUMMAND_COUNT},
    {RECORD_WORD, offsetof(struct kernel_total, block), SPEC_MOST_BLOCK + 1},
    {RECORD_WORD, offsetof(struct kernel_total, type), LANE_F64 + 1},
    {RECORD_WORD, offsetof(struct kernel_total, level), SPEC_MAX_TOTALS + 1},
    {RECORD_WORD, offsetof(struct kernel_total, group), SPEC_MAX_OPERANDS},
    {RECORD_WORD, offsetof(struct kernel_total, values), SPEC_MAX_OPERANDS},
    {RECORD_BIT, offsetof(struct kernel_total, is_input), 0},
    {RECORD_WORD, offsetof(struct kernel_total, element), ELEMENT_TYPE_COUNT},
    {RECORD_END, 0, 0}};
_Static_assert(LANE_F32 == 0 && LANE_F64 == 1, "totals are of one of the first two types of lanes");

void kernel_record_add(struct text *out, const struct lane_kernel *k)
{
    bytes_add_number(out, k->operand_count);
    for (uint32_t i = 0; i < k->operand_count; i++) record_add(out, operand_fields, &k->operands[i], 0);
    bytes_add_number(out, k->total_count);
    for (uint32_t i = 0; i < k->total_count; i++) record_add(out, total_fields, &k->totals[i], 0);
}

/* Returns true if each group has all its parts, in order. */
static bool are_groups(const struct kernel_operand *operands, uint32_t count)
{
    uint32_t next = 0, parts = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct kernel_operand *o = &operands[i];
        if (next == parts) next = 0, parts = o->parts;
        if (!parts || o->parts != parts || o->part != next++) return false;
        if (o->part && (o->layout != o[-1].layout || o->type != o[-1].type || o->shape != o[-1].shape ||
                        o->is_result != o[-1].is_result))
            return false;
    }
    return count && next == parts;
}

bool kernel_record_read(struct lane_kernel *out, struct bytes *b, arena *memory)
{
    const uint32_t count = (uint32_t)bytes_below(b, SPEC_MAX_OPERANDS + 1);
    struct kernel_operand *operands = arena_alloc(memory, (count + 1) * sizeof *operands);
    for (uint32_t i = 0; i < count; i++) record_read(&operands[i], b, operand_fields, memory, 0);
    const uint32_t total_count = (uint32_t)bytes_below(b, SPEC_MAX_OPERANDS + 1);
    struct kernel_total *totals = arena_alloc(memory, (total_count + 1) * sizeof *totals);
    for (uint32_t i = 0; i < total_count; i++) record_read(&totals[i], b, total_fields, memory, 0);
    if (b->failed || !are_groups(operands, count)) return false;
    *out = lane_kernel_make(NULL, operands, count, NULL);
    out->totals = totals;
    out->total_count = total_count;
    out->has_passes = out->has_passes || total_count;
    out->has_sums = out->has_sums || total_count;
    return true;
}
