/* Adds up in the promised order, in double, rounding each sum to the type. */
#include "sum_blocks.h"

#include "element.h"

#include <math.h>

static double combined(enum operand_reduction how, double a, double b)
{
    if (!reduction_picks(how)) return a + b;
    if (isnan(a) || isnan(b)) return NAN;
    const bool is_first = reductions[how].join == JOIN_LARGER ? a > b : a < b;
    return (is_first ? a : b) + 0.0; /* turns -0 into +0 */
}

/* Returns value i of an array of the type. Sums of two f32 are computed as doubles and rounded to f32 each
 * time. This equals the sum in f32, because a double has more than twice its bits. */
static double get(const void *data, enum lane_type type, size_t i)
{
    return type == LANE_F64 ? ((const double *)data)[i] : (double)((const float *)data)[i];
}

/* Returns summand i, in the type that memory has. */
static double summand(const struct kernel_total *t, const void *row, size_t i)
{
    if (element_types[t->element].bytes == lane_type_bytes(t->type)) return get(row, t->type, i);
    return element_types[t->element].value(element_get(row, t->element, i));
}

static void set(void *data, enum lane_type type, size_t i, double value)
{
    if (type == LANE_F64)
        ((double *)data)[i] = value;
    else
        ((float *)data)[i] = (float)value;
}

static double rounded_to_lane(enum lane_type type, double value)
{
    return type == LANE_F64 ? value : (double)(float)value;
}

/* Combines `count` accumulators by halves. Each sum is rounded to `type`. */
static double met(enum operand_reduction how, enum lane_type type, double *all, size_t count)
{
    for (size_t half = count / 2; half; half /= 2)
        for (size_t i = 0; i < half; i++)
            all[i] = rounded_to_lane(type, combined(how, all[i], all[i + half]));
    return all[0];
}

static double over_columns(enum operand_reduction how, enum lane_type type, const void *row, size_t cols)
{
    double all[SUMS_ACCUMULATORS];
    for (size_t i = 0; i < SUMS_ACCUMULATORS; i++) all[i] = reductions[how].start;
    for (size_t j = 0; j < cols; j++)
        all[j % SUMS_ACCUMULATORS] =
            rounded_to_lane(type, combined(how, all[j % SUMS_ACCUMULATORS], get(row, type, j)));
    return met(how, type, all, SUMS_ACCUMULATORS);
}

/* Returns the total of one row of values, or of one block of columns. */
static double total_over_columns(const struct kernel_total *t, const void *row, size_t cols)
{
    double all[TOTALS_ACCUMULATORS];
    for (size_t i = 0; i < TOTALS_ACCUMULATORS; i++) all[i] = reductions[t->reduction].start;
    for (size_t j = 0; j < cols; j++) {
        double *own = &all[j % TOTALS_ACCUMULATORS];
        const double v = summand(t, row, j);
        const double of[] = {v, fabs(v), v * v};
        *own = combined(t->reduction, *own, of[t->form]);
    }
    const double sum = met(t->reduction, LANE_F64, all, TOTALS_ACCUMULATORS);
    return reductions[t->reduction].is_mean ? sum / (double)cols : sum;
}

/* One result's values in a tile, for `rows` rows from number `first` of the block on. */
struct tile {
    const struct kernel_operand *result;
    const void *values;
    void *total;
    size_t first, rows, cols;
};

static void add_tile(const struct tile *t)
{
    const struct kernel_operand *o = t->result;
    const enum lane_type type = sums_type(o);
    const size_t width = o->parts * t->cols;
    for (size_t r = 0; r < t->rows; r++) {
        const char *row = (const char *)t->values + r * width * lane_type_bytes(type);
        for (size_t j = 0; o->shape == SHAPE_COLS && j < width; j++)
            set(t->total, type, j, combined(o->reduction, get(t->total, type, j), get(row, type, j)));
        for (size_t part = 0; o->shape != SHAPE_COLS && part < o->parts; part++) {
            const double sum =
                over_columns(o->reduction, type, row + part * t->cols * lane_type_bytes(type), t->cols);
            if (o->shape == SHAPE_ONE)
                set(t->total, type, part, combined(o->reduction, get(t->total, type, part), sum));
            else
                set(t->total, type, t->first + r, sum);
        }
    }
}

static size_t width_of_totals(const struct kernel_operand *o, size_t cols)
{
    return o->shape == SHAPE_COLS ? o->parts * cols : o->shape == SHAPE_ONE ? o->parts : 0;
}

static void *data_of(const actgen_operand *o) { return (void *)(uintptr_t)o->data; }

struct blocks {
    const struct lane_kernel *called, *summands;
    const actgen_operand *operands;
    struct sums_place places[SUMS_MOST_PLACES];
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
            set(block + b->places[o->group].total, sums_type(o), j, reductions[o->reduction].start);
    }
}

/* Computes the totals of `rows` rows from number `first` of the block on. They are stored from the first
 * row's total on. Those of blocks of columns are stored from the start, one row after the other. */
static void add_total(const struct blocks *b, uint32_t number, const actgen_operand *values, size_t first,
                      size_t rows)
{
    const struct kernel_total *t = &b->called->totals[number];
    void *totals = b->workspace + b->places[b->called->group_count + number].total;
    const size_t bytes = element_types[t->element].bytes, width = values->stride ? values->stride : b->cols;
    const size_t block = t->block ? t->block : b->cols;
    size_t place = t->block ? 0 : first;
    for (size_t r = 0; r < rows; r++) {
        const char *row = (const char *)values->data + r * width * bytes;
        size_t j = 0;
        do { /* a row of no columns has a total */
            const size_t count = block < b->cols - j ? block : b->cols - j;
            if (count || !t->block)
                set(totals, sums_type_of_total(t), place++, total_over_columns(t, row + j * bytes, count));
            j += count;
        } while (j < b->cols);
    }
}

static void run_pass(const struct blocks *b, uint32_t pass, size_t rows, size_t cols,
                     const actgen_operand *here)
{
    if (cols) b->run(b->context, pass, rows, cols, here);
}

/* Runs all passes of a tile, level by level. After each pass it computes the totals of that level. */
static void run_passes(const struct blocks *b, actgen_operand *here, size_t first, size_t rows)
{
    const struct lane_kernel *called = b->called, *k = b->summands;
    uint32_t pass = 0, number = 0;
    for (uint32_t n = 0; n < called->total_count; n++) {
        const struct kernel_total *t = &called->totals[n];
        const size_t bytes = lane_type_bytes(sums_type_of_total(t));
        const struct sums_place *own = &b->places[called->group_count + n];
        here[t->group] = (actgen_operand){b->workspace + own->total + (t->block ? 0 : first * bytes), 0};
        if (!t->is_input) here[t->values] = (actgen_operand){b->workspace + own->tile, 0};
        if (!t->reduction) here[t->values] = here[t->group];
    }
    for (uint32_t level = 0; pass < k->pass_count || number < called->total_count; level++) {
        for (; pass < k->pass_count && k->passes[pass].level == level; pass++)
            run_pass(b, pass, rows, kernel_pass_columns(&k->passes[pass], b->cols), here);
        for (; number < called->total_count && called->totals[number].level == level; number++)
            if (called->totals[number].reduction)
                add_total(b, number, &here[called->totals[number].values], first, rows);
    }
}

/* Runs a tile of `rows` rows from number `first` of the block on. The block begins with row `block_row`. */
static void run_tile(const struct blocks *b, char *block, size_t block_row, size_t first, size_t rows)
{
    actgen_operand here[SUMS_MOST_GROUPS];
    const struct lane_kernel *k = b->called;
    for (uint32_t n = 0; n < k->operand_count; n++) {
        const struct kernel_operand *o = &k->operands[n];
        actgen_operand *own = &here[kernel_group_of_summands(k, o)];
        if (o->part) continue;
        const actgen_operand given = b->operands[o->group];
        const struct kernel_row at = kernel_row(o, given.data, given.stride, block_row + first, b->cols);
        *own = (actgen_operand){at.data, o->type == ELEMENT_U64 ? at.step : given.stride};
        if (o->reduction) *own = (actgen_operand){b->workspace + b->places[o->group].tile, 0};
    }
    if (k->has_passes)
        run_passes(b, here, first, rows);
    else
        run_pass(b, 0, rows, b->cols, here);
    for (uint32_t n = 0; n < k->operand_count; n++) {
        const struct kernel_operand *o = &k->operands[n];
        if (o->part || !o->reduction) continue;
        add_tile(&(struct tile){o, here[kernel_group_of_summands(k, o)].data,
                                block + b->places[o->group].total, first, rows, b->cols});
    }
}

void sums_run_blocks(const struct lane_kernel *called, const struct lane_kernel *summands, size_t rows,
                     size_t cols, const actgen_operand *operands, sums_tile_fn *run, void *context)
{
    struct blocks b = {.called = called,
                       .summands = summands,
                       .operands = operands,
                       .workspace = data_of(&operands[called->group_count]),
                       .cols = cols,
                       .run = run,
                       .context = context};
    const size_t tile = sums_tile_rows(cols);
    b.block_bytes = sums_block_bytes(called, cols, b.places);
    char *block = b.workspace;
    for (size_t first = 0; first < rows; first += SUMS_BLOCK_ROWS, block += b.block_bytes) {
        const size_t count = rows - first < SUMS_BLOCK_ROWS ? rows - first : SUMS_BLOCK_ROWS;
        begin_block(&b, block);
        for (size_t r = 0; r < count; r += tile)
            run_tile(&b, block, first, r, count - r < tile ? count - r : tile);
    }
}

enum { CHUNK = 64 }; /* elements of a result that are finished together */

/* Joins `n` totals of a block to all. */
static void join(double *all, enum operand_reduction how, enum lane_type type, const void *totals, size_t n)
{
    const float *narrow = totals;
    const double *wide = totals;
    if (reduction_picks(how))
        for (size_t i = 0; i < n; i++) all[i] = combined(how, all[i], get(totals, type, i));
    else if (type == LANE_F64)
        for (size_t i = 0; i < n; i++) all[i] += wide[i];
    else
        for (size_t i = 0; i < n; i++) all[i] += (double)narrow[i];
}

/* Writes `n` elements of the result, `step` elements apart. A mean is divided by `count`, the number of its
 * values. */
static void write_results(const struct kernel_operand *o, void *data, size_t step, double *values, size_t n,
                          double count)
{
    float narrow[CHUNK];
    for (size_t i = 0; reductions[o->reduction].is_mean && i < n; i++) values[i] /= count;
    for (size_t i = 0; i < n; i++) narrow[i] = (float)values[i];
    const void *lanes = o->type == ELEMENT_F64 ? (const void *)values : narrow;
    element_types[o->type].write(data, step, lanes, n);
}

/* The totals of one result, block by block. */
struct totals {
    const struct kernel_operand *result;
    const char *first; /* totals of the first block */
    size_t block_bytes, blocks;
};

/* Writes a [rows] result, which has one value per row. */
static void finish_rows(const struct totals *t, const actgen_operand *result, size_t rows, size_t cols)
{
    const struct kernel_operand *o = t->result;
    const enum lane_type type = sums_type(o);
    const size_t stride = result->stride ? result->stride : 1, bytes = element_types[o->type].bytes;
    for (size_t r = 0, n; r < rows; r += n) { /* chunks are parts of blocks */
        double all[CHUNK];
        const char *block = t->first + r / SUMS_BLOCK_ROWS * t->block_bytes;
        n = rows - r < CHUNK ? rows - r : CHUNK;
        for (size_t i = 0; i < n; i++) all[i] = get(block, type, r % SUMS_BLOCK_ROWS + i);
        write_results(o, (char *)data_of(result) + r * stride * bytes, stride, all, n, (double)cols);
    }
}

static void finish_columns(const struct totals *t, const actgen_operand *result, size_t width, double count)
{
    const struct kernel_operand *o = t->result;
    const enum lane_type type = sums_type(o);
    for (size_t j = 0, n; j < width; j += n) {
        double all[CHUNK];
        n = width - j < CHUNK ? width - j : CHUNK;
        for (size_t i = 0; i < n; i++) all[i] = reductions[o->reduction].start;
        for (size_t block = 0; block < t->blocks; block++)
            join(all, o->reduction, type, t->first + block * t->block_bytes + j * lane_type_bytes(type), n);
        write_results(o, (char *)data_of(result) + j * element_types[o->type].bytes, 1, all, n, count);
    }
}

void sums_finish(const struct lane_kernel *called, size_t rows, size_t cols, const actgen_operand *operands)
{
    struct sums_place places[SUMS_MOST_PLACES];
    struct totals t = {.block_bytes = sums_block_bytes(called, cols, places),
                       .blocks = sums_block_count(rows)};
    const char *workspace = operands[called->group_count].data;
    for (uint32_t k = 0; k < called->operand_count; k++) {
        const struct kernel_operand *o = &called->operands[k];
        if (!o->reduction || o->part) continue;
        t.result = o;
        t.first = workspace + places[o->group].total;
        if (o->shape == SHAPE_ROWS)
            finish_rows(&t, &operands[o->group], rows, cols);
        else
            finish_columns(&t, &operands[o->group], width_of_totals(o, cols),
                           o->shape == SHAPE_COLS ? (double)rows : (double)rows * (double)cols);
    }
}
