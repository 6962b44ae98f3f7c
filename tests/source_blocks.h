/* Compares functions of C source that have operands of blocks with the interpreter, bit for bit (all NaNs are
 * equal), over one block and over many, with gaps between rows, without, and in place. Include cmocka.h
 * first. */
#ifndef ACTGEN_TEST_SOURCE_BLOCKS_H
#define ACTGEN_TEST_SOURCE_BLOCKS_H

#include "actgen.h"
#include "matrix.h"

#include <stdlib.h>

typedef void source_blocks_fn(size_t rows, size_t cols, const actgen_operand *operands);

/* One call, by each side. */
struct source_blocks {
    actgen_operand_info info[MATRIX_NAMES]; /* By group: that of its first name. */
    actgen_operand operands[MATRIX_SIDES][MATRIX_NAMES];
    void *memory[MATRIX_SIDES][MATRIX_NAMES];
    size_t bytes[MATRIX_NAMES], groups;
};
enum source_blocks_way { WITHOUT_GAPS, WITH_GAPS, IN_PLACE, SOURCE_BLOCKS_WAYS };

static inline size_t source_blocks_of(size_t count, size_t block)
{
    return block ? (count + block - 1) / block : count;
}

/* Makes the operand of group g. Inputs are small numbers where rows have gaps, and anything elsewhere. */
static inline void source_blocks_fill(struct source_blocks *b, size_t g, size_t rows, size_t cols, size_t gap,
                                      uint64_t *seed)
{
    const actgen_operand_info *o = &b->info[g];
    const enum element_type type = matrix_type(o->type);
    const bool has_rows = o->shape == ACTGEN_SHAPE_MATRIX || o->shape == ACTGEN_SHAPE_ROWS,
               has_columns = o->shape == ACTGEN_SHAPE_MATRIX || o->shape == ACTGEN_SHAPE_COLS;
    const size_t together = elements_of_byte(type),
                 width = o->parts * (has_columns ? source_blocks_of(cols, o->block) : 1),
                 stride = source_blocks_of(width, together) * together + gap * together,
                 count = (has_rows ? source_blocks_of(rows, o->block_rows) : 1) * stride;
    b->bytes[g] = element_bytes(type, count);
    for (int side = 0; side < MATRIX_SIDES; side++) {
        char *data = malloc(b->bytes[g]);
        assert_non_null(data);
        memset(data, UNTOUCHED, b->bytes[g]);
        b->memory[side][g] = data;
        b->operands[side][g] = (actgen_operand){data, gap && has_rows ? stride : 0};
    }
    for (size_t i = 0; i < count && !o->is_result; i++) {
        const uint64_t bits = gap ? matrix_number(type, seed) : matrix_bits(type, seed);
        for (int side = 0; side < MATRIX_SIDES; side++)
            element_set((void *)b->operands[side][g].data, type, i, bits);
    }
}

/* Puts each result in the place of an input of its type and shape. */
static inline void source_blocks_place(struct source_blocks *b)
{
    for (size_t r = 0; r < b->groups; r++)
        for (size_t g = 0; g < b->groups; g++) {
            const actgen_operand_info *result = &b->info[r], *input = &b->info[g];
            if (result->is_result && !input->is_result && result->type == input->type &&
                result->shape == input->shape && result->parts == input->parts &&
                result->block == input->block && !input->block_rows &&
                !element_shares_byte(matrix_type(input->type)))
                for (int side = 0; side < MATRIX_SIDES; side++) b->operands[side][r] = b->operands[side][g];
        }
}

static inline bool source_blocks_agree(const struct source_blocks *b, size_t g)
{
    const enum element_type type = matrix_type(b->info[g].type);
    const void *code = b->operands[BY_CODE][g].data, *other = b->operands[BY_INTERPRETER][g].data;
    if (!memcmp(code, other, b->bytes[g])) return true;
    for (size_t i = 0; i < b->bytes[g] / element_bytes(type, elements_of_byte(type)); i++)
        if (element_shares_byte(type) ||
            !element_same(type, element_get(code, type, i), element_get(other, type, i)))
            return false;
    return true;
}

static inline void source_blocks_check_call(const actgen_kernel *kernel, source_blocks_fn *run, size_t rows,
                                            size_t cols, enum source_blocks_way way)
{
    struct source_blocks b = {.groups = actgen_kernel_group_count(kernel)};
    uint64_t seed = cols * 4 + way;
    actgen_error why;
    for (size_t k = actgen_kernel_operand_count(kernel); k-- > 0;) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(kernel, k, &info), ACTGEN_OK);
        b.info[info.group] = info;
    }
    for (size_t g = 0; g < b.groups; g++) source_blocks_fill(&b, g, rows, cols, way == WITH_GAPS, &seed);
    if (way == IN_PLACE) source_blocks_place(&b);
    run(rows, cols, b.operands[BY_CODE]);
    if (actgen_interpret(kernel, rows, cols, b.operands[BY_INTERPRETER], b.groups, &why))
        fail_msg("%s", why.message);
    for (size_t g = 0; g < b.groups; g++)
        if (!source_blocks_agree(&b, g))
            fail_msg(
                "%s: operand %s has another value, or there is a write outside, of %zu rows of %zu columns, "
                "way %d",
                actgen_kernel_name(kernel), b.info[g].name, rows, cols, (int)way);
    for (size_t g = 0; g < b.groups; g++)
        for (int side = 0; side < MATRIX_SIDES; side++) free(b.memory[side][g]);
}

static inline void source_blocks_check(const actgen_kernel *kernel, source_blocks_fn *run)
{
    static const size_t cols[] = {0, 1, 2, 15, 16, 17, 31, 33, 70, 129, 1024, 1030, 2100};
    for (size_t n = 0; n < sizeof cols / sizeof *cols; n++)
        for (unsigned way = 0; way < SOURCE_BLOCKS_WAYS; way++)
            source_blocks_check_call(kernel, run, cols[n] > 1000 ? 3 : 40, cols[n],
                                     (enum source_blocks_way)way);
}

#endif
