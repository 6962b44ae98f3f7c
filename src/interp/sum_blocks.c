#include "sum_blocks.h"

#include "element.h"

#include <math.h>

static double combined(enum operand_reduction how, double a, double b)
{
    if (how != REDUCE_AMAX) return a + b;
    if (isnan(a) || isnan(b)) return NAN;
    return a > b || (a == b && !signbit(a)) ? a : b; /* +0 is above -0 */
}

/* Value i of an array of the type. Sums of f32 are rounded to f32, one of two as doubles at a time, which is the sum in f32 rounded
 * once: a double has more than twice its bits. */
static double get(const void *data, enum lane_type type, size_t i)
{
    return type == LANE_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

static void set(void *data, enum lane_type type, size_t i, double value)
{
    if (type == LANE_F64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

static double first_of(enum operand_reduction how) { return how == REDUCE_AMAX ? -(double)INFINITY : 0; }

static double rounded(enum lane_type type, double value)
{
    return type == LANE_F64 ? value : (double)(float)value;
}

static double over_columns(enum operand_reduction how, enum lane_type type, const void *row, size_t cols)
{
    double all[SUMS_ACCUMULATORS];
    for (size_t i = 0; i < SUMS_ACCUMULATORS; i++) all[i] = first_of(how);
    for (size_t j = 0; j < cols; j++)
        all[j % SUMS_ACCUMULATORS] =
            rounded(type, combined(how, all[j % SUMS_ACCUMULATORS], get(row, type, j)));
    for (size_t half = SUMS_ACCUMULATORS / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++) all[i] = rounded(type, combined(how, all[i], all[i + half]));
    return all[0];
}

/* The result's element `i`, of `count` values. */
static void write_result(const struct kernel_operand *o, void *data, size_t i, double value, double count)
{
    if (o->reduction == REDUCE_MEAN) value /= count;
    const float narrow = (float)value;
    const void *lane = o->type == ELEMENT_F64 ? (const void *)&value : &narrow;
    element_types[o->type].write((char *)data + i * element_types[o->type].bytes, 1, lane, 1);
}

/* One result, of one tile. */
struct tile {
    const struct kernel_operand *result;
    const void *values;
    void *total;
    actgen_operand given; /* of the result */
    size_t first, rows, cols;
};

static void *data_of(const actgen_operand *o) { return (void *)(uintptr_t)o->data; }

static void add_tile(const struct tile *t)
{
    const struct kernel_operand *o = t->result;
    const enum lane_type type = sums_type(o);
    const size_t width = o->parts * t->cols, stride = t->given.stride ? t->given.stride : 1;
    for (size_t r = 0; r < t->rows; r++) {
        const char *row = (const char *)t->values + r * width * lane_type_bytes(type);
        if (o->shape == SHAPE_COLS) {
            for (size_t j = 0; j < width; j++)
                set(t->total, type, j, combined(o->reduction, get(t->total, type, j), get(row, type, j)));
            continue;
        }
        const double sum = over_columns(o->reduction, type, row, t->cols);
        if (o->shape == SHAPE_ONE)
            set(t->total, type, 0, combined(o->reduction, get(t->total, type, 0), sum));
        else
            write_result(o, data_of(&t->given), (t->first + r) * stride, sum, (double)t->cols);
    }
}

static size_t width_of_totals(const struct kernel_operand *o, size_t cols)
{
    return o->shape == SHAPE_COLS ? o->parts * cols : o->shape == SHAPE_ONE;
}

struct blocks {
    const struct lane_kernel *called;
    const actgen_operand *operands;
    struct sums_place places[SUMS_MOST_GROUPS];
    char *workspace;
    size_t block_bytes, cols;
    sums_tile_fn *run;
    void *context;
};

static void begin_block(const struct blocks *b, char *block)
{
    for (uint32_t k = 0; k < b->called->operand_count; k++) {
        const struct kernel_operand *o = &b->called->operands[k];
        for (size_t j = 0; o->reduction && !o->part && j < width_of_totals(o, b->cols); j++)
            set(block + b->places[o->group].total, sums_type(o), j, first_of(o->reduction));
    }
}

/* `rows` rows from number `first` on, all of the block that begins there. */
static void run_tile(const struct blocks *b, char *block, size_t first, size_t rows)
{
    actgen_operand here[SUMS_MOST_GROUPS];
    const struct lane_kernel *k = b->called;
    for (uint32_t n = 0; n < k->operand_count; n++) {
        const struct kernel_operand *o = &k->operands[n];
        if (o->part) continue;
        const actgen_operand given = b->operands[o->group];
        const struct kernel_row at = kernel_row(o, given.data, given.stride, first, b->cols);
        here[o->group] = (actgen_operand){at.data, o->type == ELEMENT_U64 ? at.step : given.stride};
        if (o->reduction) here[o->group] = (actgen_operand){b->workspace + b->places[o->group].tile, 0};
    }
    if (b->cols) b->run(b->context, rows, b->cols, here);
    for (uint32_t n = 0; n < k->operand_count; n++) {
        const struct kernel_operand *o = &k->operands[n];
        if (o->part || !o->reduction) continue;
        add_tile(&(struct tile){o, here[o->group].data, block + b->places[o->group].total,
                                b->operands[o->group], first, rows, b->cols});
    }
}

void sums_run_blocks(const struct lane_kernel *called, size_t rows, size_t cols,
                     const actgen_operand *operands, sums_tile_fn *run, void *context)
{
    struct blocks b = {.called = called,
                       .operands = operands,
                       .workspace = data_of(&operands[called->group_count]),
                       .cols = cols,
                       .run = run,
                       .context = context};
    const size_t tile = sums_tile_rows(cols);
    b.block_bytes = sums_block_bytes(called, cols, b.places);
    char *block = b.workspace;
    for (size_t first = 0; first < rows; first += SUMS_BLOCK_ROWS, block += b.block_bytes) {
        const size_t end = rows - first < SUMS_BLOCK_ROWS ? rows : first + SUMS_BLOCK_ROWS;
        begin_block(&b, block);
        for (size_t r = first; r < end; r += tile) run_tile(&b, block, r, end - r < tile ? end - r : tile);
    }
}

void sums_finish(const struct lane_kernel *called, size_t rows, size_t cols, const actgen_operand *operands)
{
    struct sums_place places[SUMS_MOST_GROUPS];
    const size_t bytes = sums_block_bytes(called, cols, places), blocks = sums_block_count(rows);
    const char *workspace = operands[called->group_count].data;
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        if (!o->reduction || o->part || o->shape == SHAPE_ROWS) continue;
        const double count = o->shape == SHAPE_COLS ? (double)rows : (double)rows * (double)cols;
        for (size_t j = 0; j < width_of_totals(o, cols); j++) {
            double all = first_of(o->reduction);
            for (size_t n = 0; n < blocks; n++)
                all = combined(o->reduction, all,
                               get(workspace + n * bytes + places[o->group].total, sums_type(o), j));
            write_result(o, data_of(&operands[o->group]), j, all, count);
        }
    }
}
