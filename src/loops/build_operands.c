/* The operands of a call: the start of each operand, the distance of its rows, and rows without gaps, which
 * become one row. */
#include "build_loops.h"

static LLVMValueRef whole_bytes(struct build *b, const struct kernel_operand *o, LLVMValueRef columns)
{
    LLVMValueRef in_byte = size_constant(b, elements_of_byte(o->type) - 1);
    if (!element_shares_byte(o->type)) return columns;
    return LLVMBuildAnd(b->ir, LLVMBuildAdd(b->ir, columns, in_byte, ""), LLVMBuildNot(b->ir, in_byte, ""),
                        "");
}

LLVMValueRef blocks_in_row(struct build *b, uint32_t block, LLVMValueRef cols)
{
    if (!block) return cols;
    LLVMValueRef rounded = LLVMBuildAdd(b->ir, cols, size_constant(b, block - 1), "");
    return LLVMBuildUDiv(b->ir, rounded, size_constant(b, block), "");
}

LLVMValueRef rows_apart(struct build *b, const struct kernel_operand *o, LLVMValueRef stride,
                        LLVMValueRef cols, LLVMValueRef *width)
{
    LLVMValueRef is_width = LLVMBuildICmp(b->ir, LLVMIntEQ, stride, size_constant(b, 0), "");
    cols = blocks_in_row(b, o->block, cols);
    *width = o->shape == SHAPE_ROWS ? size_constant(b, 1)
                                    : LLVMBuildMul(b->ir, cols, size_constant(b, o->parts), "");
    return LLVMBuildSelect(b->ir, is_width, whole_bytes(b, o, *width), stride, "");
}

/* Reads the strides, in elements. Returns a truth value: true if rows follow each other without gaps in all
 * streams. */
static LLVMValueRef read_strides(struct build *b, struct loops *l, LLVMValueRef cols)
{
    LLVMValueRef dense = LLVMConstInt(b->scalar[LANE_TRUTH], 1, false);
    for (uint32_t k = 0; k < b->stream_count; k++) {
        const struct kernel_operand *o = b->streams[k].operand;
        if (!stream_has_stride(&b->streams[k])) continue;
        if (b->streams[k].sum) {
            l->stride[k] = size_constant(b, 1);
            continue;
        }
        if (!is_in_memory(&b->streams[k])) {
            l->stride[k] = places_apart(b, &b->streams[k], cols);
            continue;
        }
        LLVMValueRef width;
        l->stride[k] = rows_apart(b, o, operand_field(b, o->group, 1, b->size), cols, &width);
        dense = LLVMBuildAnd(b->ir, dense, LLVMBuildICmp(b->ir, LLVMIntEQ, l->stride[k], width, ""), "");
    }
    return dense;
}

bool rows_can_be_one(const struct build *b)
{
    for (const struct stream *s = b->streams; s < b->streams + b->stream_count; s++) {
        const enum operand_shape shape = s->operand->shape;
        if (kernel_has_blocks(s->operand) || s->sum || s->total || shape == SHAPE_ROWS || shape == SHAPE_COLS)
            return false;
        if (shape == SHAPE_MATRIX && s->operand->layout == LAYOUT_PACKED) return false;
    }
    return true;
}

/* Reads the operands, and turns rows without gaps into one row. A call of a single row reads no strides,
 * because a short call is mostly this code. */
void build_operands(struct build *b, struct loops *l)
{
    LLVMValueRef rows = LLVMGetParam(b->function, 0), cols = LLVMGetParam(b->function, 1);
    LLVMValueRef one = size_constant(b, 1), zero = size_constant(b, 0);
    for (uint32_t k = 0; k < b->stream_count; k++) l->first[k] = first_row(b, &b->streams[k], cols);
    LLVMBasicBlockRef before = here(b), several = block(b, "several_rows"), ready = block(b, "");
    LLVMBuildCondBr(b->ir, LLVMBuildICmp(b->ir, LLVMIntEQ, rows, one, ""), ready, several);
    go_on_at(b, several);
    LLVMValueRef dense = read_strides(b, l, cols), all_rows = rows, all_cols = cols;
    if (rows_can_be_one(b)) {
        all_rows = LLVMBuildSelect(b->ir, dense, one, rows, "");
        all_cols = LLVMBuildSelect(b->ir, dense, LLVMBuildMul(b->ir, rows, cols, ""), cols, "");
    }
    LLVMBuildBr(b->ir, ready);
    go_on_at(b, ready);
    l->rows = phi_start(b, b->size, one, before);
    phi_add(l->rows, all_rows, several);
    l->cols = phi_start(b, b->size, cols, before);
    phi_add(l->cols, all_cols, several);
    for (uint32_t k = 0; k < b->stream_count; k++) {
        if (!stream_has_stride(&b->streams[k])) continue;
        LLVMValueRef stride = phi_start(b, b->size, zero, before);
        phi_add(stride, l->stride[k], several);
        l->stride[k] = stride;
    }
}
