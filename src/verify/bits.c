/* Compares machine code with the interpreter: buffers, operands, comparison.
 *
 * Each group of operands has three images in memory, guards included. They hold the memory before the call,
 * as the interpreter leaves it, and as the machine code leaves it. The last two must be equal. */
#include "bits.h"

#include "element.h"
#include "interp.h"

#include <stdlib.h>

enum {
    GUARD = 64,         /* elements around each image */
    GUARD_BYTE = 0xa5,  /* a byte that makes no NaN in any type */
    SLACK = 1024,       /* elements of an image that are left for offsets and gaps */
    DEFAULT_LANES = 16, /* used where the vector length is unknown */
    MAX_LANES = 64,
    MOST_ROWS = 3,
    SAMPLE_ROWS = 4,
    SAMPLE_COLS = 16,
    BLOCK_COLS = 2 * MAX_LANES + 3, /* two vectors of the widest set and a rest, in more than one block */
};

enum image { BEFORE, EXPECTED, GOT, IMAGES };

struct group {
    const struct kernel_operand *first; /* first name of the group */
    size_t bytes;                       /* bytes of an element */
    size_t size;                        /* bytes of an image, with guards */
    unsigned char *image[IMAGES];       /* images, after the guard */
    /* The fields below describe the current call. */
    /* group whose image holds the data: another group if in place, otherwise this one */
    const struct group *home;
    /* in elements: offset of row 0 from the image's start, and the stride of the call */
    size_t offset, stride;
    size_t extent; /* elements from the image's start */
};

struct bits {
    const struct verify_subject *subject;
    const struct lane_kernel *kernel;
    const struct samples *samples;
    interp *interpreter;
    struct written_run *written; /* may be NULL */
    struct group *groups;
    struct kernel_row *rows;  /* indexed by operand */
    float *made;              /* a block for each input that is not in memory */
    actgen_operand *operands; /* indexed by group */
    unsigned char *memory;
    const struct kernel_operand *result; /* the first result */
};

struct extent {
    size_t rows, cols;
};

/* ---- making ---- */

/* Returns the rows and columns of a call for samples. Values that rows share have several rows. Where blocks
 * of rows share them, the call has a whole block and one row more. */
static struct extent sample_extent(const struct lane_kernel *kernel)
{
    struct extent call = {1, BITS_BLOCK};
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->shape != SHAPE_MATRIX && call.rows == 1) call = (struct extent){SAMPLE_ROWS, SAMPLE_COLS};
        if (o->block_rows >= call.rows) call = (struct extent){o->block_rows + 1, BLOCK_COLS};
    }
    return call;
}

static bool give_images(struct bits *b)
{
    size_t total = 0;
    for (uint32_t g = 0; g < b->kernel->group_count; g++) total += IMAGES * b->groups[g].size;
    b->memory = malloc(total + 1);
    unsigned char *next = b->memory;
    for (uint32_t g = 0; b->memory && g < b->kernel->group_count; g++)
        for (int i = 0; i < IMAGES; i++, next += b->groups[g].size)
            b->groups[g].image[i] = next + GUARD * b->groups[g].bytes;
    return b->memory != NULL;
}

static void describe_groups(struct bits *b)
{
    const struct extent call = sample_extent(b->kernel);
    const size_t elements = kernel_row_blocks(BITS_BLOCK, call.rows * call.cols) * BITS_BLOCK;
    for (uint32_t k = b->kernel->operand_count; k-- > 0;) {
        const struct kernel_operand *o = &b->kernel->operands[k];
        struct group *g = &b->groups[o->group];
        if (o->is_result) b->result = o;
        g->first = o; /* in the end the group's first name */
        g->bytes = element_types[o->type].bytes;
        /* The size is a multiple of 64 bytes, so that all images have the same alignment. */
        g->size = (o->parts * elements + SLACK + 2 * GUARD) * g->bytes;
    }
}

struct bits *bits_create(const struct verify_subject *subject, const struct samples *samples)
{
    struct bits *b = calloc(1, sizeof *b);
    if (!b) return NULL;
    b->subject = subject;
    b->kernel = subject->kernel;
    b->samples = samples;
    b->interpreter = interp_create_kernel(subject->kernel);
    b->groups = calloc((size_t)b->kernel->group_count + 1, sizeof *b->groups);
    b->rows = calloc((size_t)b->kernel->operand_count + b->kernel->made_count + 1, sizeof *b->rows);
    b->made = calloc((size_t)b->kernel->made_count + 1, BITS_BLOCK * sizeof *b->made);
    b->operands = calloc((size_t)b->kernel->group_count + 1, sizeof *b->operands);
    bool complete = b->interpreter && b->groups && b->rows && b->made && b->operands;
    if (complete) {
        describe_groups(b);
        complete = give_images(b);
    }
    if (complete) return b;
    bits_free(b);
    return NULL;
}

void bits_free(struct bits *b)
{
    if (!b) return;
    interp_free(b->interpreter);
    written_run_free(b->written);
    free(b->groups);
    free(b->rows);
    free(b->made);
    free(b->operands);
    free(b->memory);
    free(b);
}

bool bits_judge_written(struct bits *b, const struct written *w)
{
    written_run_free(b->written);
    b->written = written_run_create(w);
    return b->written != NULL;
}

bool bits_run_program(struct bits *b, const lane_program *program)
{
    if (program == b->kernel->program) return true;
    struct lane_kernel kernel = *b->kernel;
    kernel.program = program;
    interp_free(b->interpreter);
    b->interpreter = interp_create_kernel(&kernel);
    return b->interpreter != NULL;
}

/* ---- calls ---- */

static void *data_of(const struct group *g, enum image image)
{
    return g->home->image[image] + element_bytes(g->first->type, g->offset);
}

static struct kernel_row row_of(const struct bits *b, const struct kernel_operand *o, enum image image,
                                size_t row, size_t cols)
{
    const struct group *g = &b->groups[o->group];
    return kernel_row(o, data_of(g, image), g->stride, row, cols);
}

void bits_make_rows(const struct lane_kernel *kernel, struct kernel_row *rows, float *out, size_t count)
{
    for (uint32_t n = 0; n < kernel->made_count; n++, out += count) {
        interp_make_row(out, &kernel->operands[kernel->operand_count + n], rows, 0, count);
        rows[kernel->operand_count + n] = (struct kernel_row){out, 1, 0};
    }
}

/* Runs the interpreter. It reads the image before the call, so that nothing depends on the order of reads and
 * writes. */
static void run_interpreter(struct bits *b, size_t rows, size_t cols, struct bits_count *found)
{
    for (size_t r = 0; r < rows && cols; r++) {
        for (uint32_t k = 0; k < b->kernel->operand_count; k++) {
            const struct kernel_operand *o = &b->kernel->operands[k];
            b->rows[k] = row_of(b, o, o->is_result ? EXPECTED : BEFORE, r, cols);
        }
        interp_run_row(b->interpreter, b->rows, cols);
        if (!b->written) continue;
        bits_make_rows(b->kernel, b->rows, b->made, cols);
        found->judged += cols;
        found->wrong += written_differ(b->written, b->rows, cols);
    }
}

static void run_groups(struct bits *b, size_t rows, size_t cols)
{
    for (uint32_t n = 0; n < b->kernel->group_count; n++)
        b->operands[n] = (actgen_operand){data_of(&b->groups[n], GOT), b->groups[n].stride};
    b->subject->code(rows, cols, b->operands);
}

/* Returns how many elements of `g`'s image are not as expected. */
static uint64_t image_differs(const struct group *g)
{
    const unsigned char *expected = g->image[EXPECTED] - GUARD * g->bytes,
                        *got = g->image[GOT] - GUARD * g->bytes;
    const size_t count = g->extent + 2 * GUARD;
    const enum element_type type = element_shares_byte(g->first->type) ? ELEMENT_U8 : g->first->type;
    uint64_t differ = 0;
    if (!memcmp(expected, got, count * g->bytes)) return 0;
    for (size_t i = 0; i < count; i++)
        differ += !element_same(type, element_get(expected, type, i), element_get(got, type, i));
    return differ;
}

/* Fills inputs with samples, lane by lane from `first` on, and everything else with guards. */
static void fill_groups(struct bits *b, uint64_t seed, uint64_t first, size_t rows, size_t cols)
{
    for (uint32_t n = 0; n < b->kernel->group_count; n++) {
        struct group *g = &b->groups[n];
        memset(g->image[BEFORE] - GUARD * g->bytes, GUARD_BYTE, (g->extent + 2 * GUARD) * g->bytes);
    }
    for (uint32_t k = 0; k < b->kernel->operand_count; k++) {
        const struct kernel_operand *o = &b->kernel->operands[k];
        if (o->is_result) continue;
        for (size_t r = 0; r < (o->shape == SHAPE_COLS || o->shape == SHAPE_ONE ? 1 : rows) && cols; r++) {
            const struct kernel_row row = row_of(b, o, BEFORE, r, cols);
            for (size_t c = 0; c < (o->shape == SHAPE_MATRIX || o->shape == SHAPE_COLS ? cols : 1); c++)
                element_set(row.data, o->type, kernel_row_index(row, c),
                            samples_bits(b->samples, k, seed, first + r * cols + c));
        }
    }
    for (uint32_t n = 0; n < b->kernel->group_count; n++) {
        const struct group *g = &b->groups[n];
        for (enum image i = EXPECTED; i <= GOT; i++)
            memcpy(g->image[i] - GUARD * g->bytes, g->image[BEFORE] - GUARD * g->bytes,
                   (g->extent + 2 * GUARD) * g->bytes);
    }
}

/* Compares both for groups that have been placed. */
static void compare(struct bits *b, uint64_t seed, uint64_t first, size_t rows, size_t cols,
                    struct bits_count *found)
{
    fill_groups(b, seed, first, rows, cols);
    run_interpreter(b, rows, cols, found);
    if (!b->subject->code) return;
    run_groups(b, rows, cols);
    found->compared += rows * cols;
    for (uint32_t n = 0; n < b->kernel->group_count; n++) found->differ += image_differs(&b->groups[n]);
}

/* ---- placing ---- */

/* Returns the elements between rows if the call gets g->stride. */
static size_t between_rows(const struct group *g, size_t cols)
{
    return g->stride ? g->stride : kernel_row_width(g->first, cols);
}

/* Places a group on its own image. */
static void place(struct group *g, size_t rows, size_t cols, size_t offset, size_t stride)
{
    const size_t width = kernel_row_width(g->first, cols);
    g->home = g;
    g->offset = offset;
    g->stride = stride;
    const size_t count = kernel_rows_in_memory(g->first, rows);
    g->extent = offset + width + (count ? (count - 1) * between_rows(g, cols) : 0);
}

static void place_dense(struct bits *b, size_t rows, size_t cols)
{
    for (uint32_t n = 0; n < b->kernel->group_count; n++) place(&b->groups[n], rows, cols, 0, 0);
}

/* Returns in how many ways a result and an input may share memory. They may share all of it, or one of them
 * is a part of the other, which is packed. */
static unsigned ways_in_place(const struct kernel_operand *result, const struct kernel_operand *input)
{
    if (result->is_internal || input->is_internal) return 0;
    if (!result->is_result || input->is_result) return 0;
    if (result->type != input->type || result->shape != input->shape) return 0;
    if (element_shares_byte(input->type)) return 0;
    if (result->block || kernel_has_blocks(input)) return 0;
    if (result->parts == input->parts && result->layout == input->layout) return 1;
    if (result->parts == 1 && input->layout == LAYOUT_PACKED) return input->parts;
    return input->parts == 1 && result->layout == LAYOUT_PACKED ? result->parts : 0;
}

/* Places the smaller group on the larger one. */
static void place_on(struct group *small, struct group *large, unsigned part, size_t cols)
{
    if (small->first->parts > large->first->parts) {
        place_on(large, small, part, cols);
        return;
    }
    small->home = large;
    small->stride = large->stride;
    small->offset = large->offset;
    small->extent = 0;
    if (small->first->parts == large->first->parts) return;
    small->stride = between_rows(large, cols);
    small->offset += part * cols;
}

/* Places each result on an input, or on a part of one, that no other result is on. Returns how many results
 * it placed. */
static unsigned place_everything(struct bits *b, size_t cols)
{
    /* bits of inputs that are fully taken, partly taken, and of parts that are taken */
    uint64_t whole = 0, partly = 0, parts = 0;
    unsigned placed = 0;
    for (uint32_t r = 0; r < b->kernel->group_count; r++)
        for (uint32_t i = 0; i < b->kernel->group_count; i++) {
            struct group *result = &b->groups[r], *input = &b->groups[i];
            const bool fits = result->first->parts <= input->first->parts && !(whole >> i & 1);
            const unsigned ways = fits ? ways_in_place(result->first, input->first) : 0;
            for (unsigned part = 0; part < ways && result->home == result; part++) {
                if (ways == 1 ? partly >> i & 1 : parts >> part & 1) continue;
                place_on(result, input, part, cols);
                *(ways == 1 ? &whole : &partly) |= UINT64_C(1) << i;
                if (ways > 1) parts |= UINT64_C(1) << part;
                placed++;
            }
        }
    return placed;
}

/* Places results and inputs together in way number `way`. Way 0 shares nothing. The next ways place one
 * result each, and the last way places all results that it can. Returns false if there is no such way. */
static bool place_results(struct bits *b, unsigned way, size_t cols)
{
    unsigned seen = 0;
    if (way == 0) return true;
    for (uint32_t r = 0; r < b->kernel->group_count; r++)
        for (uint32_t i = 0; i < b->kernel->group_count; i++) {
            struct group *result = &b->groups[r], *input = &b->groups[i];
            const unsigned ways = ways_in_place(result->first, input->first);
            if (way <= seen + ways) return place_on(result, input, way - seen - 1, cols), true;
            seen += ways;
        }
    return way == seen + 1 && place_everything(b, cols) > 1;
}

/* ---- comparisons ---- */

bool bits_has_one_input(const struct lane_kernel *kernel)
{
    unsigned inputs = 0;
    for (uint32_t k = 0; k < kernel->operand_count; k++) {
        const struct kernel_operand *o = &kernel->operands[k];
        if (o->is_result) continue;
        inputs++;
        if (o->parts > 1 || o->shape == SHAPE_ROWS || o->shape == SHAPE_ONE || element_shares_byte(o->type) ||
            kernel_has_blocks(o))
            return false;
    }
    return inputs == 1;
}

const void *bits_result(const struct bits *b) { return b->groups[b->result->group].image[EXPECTED]; }

void bits_compare(struct bits *b, const void *x, size_t count, struct bits_count *found)
{
    place_dense(b, 1, count);
    for (uint32_t n = 0; n < b->kernel->group_count; n++) {
        const struct group *g = &b->groups[n];
        if (g->first->is_result) continue;
        memcpy(g->image[BEFORE], x, count * g->bytes);
        memcpy(g->image[GOT], x, count * g->bytes);
    }
    run_interpreter(b, 1, count, found);
    if (!b->subject->code) return;
    run_groups(b, 1, count);
    found->compared += count;
    for (uint32_t n = 0; n < b->kernel->group_count; n++) {
        const struct group *g = &b->groups[n];
        const enum element_type type = g->first->type;
        const size_t elements = g->first->parts * count;
        if (!g->first->is_result || !memcmp(g->image[EXPECTED], g->image[GOT], element_bytes(type, elements)))
            continue;
        for (size_t i = 0; i < elements; i++)
            found->differ += !element_same(type, element_get(g->image[EXPECTED], type, i),
                                           element_get(g->image[GOT], type, i));
    }
}

void bits_compare_sample(struct bits *b, uint64_t seed, size_t count, struct bits_count *found)
{
    const struct extent whole = sample_extent(b->kernel);
    for (size_t first = 0; first < count;) {
        const size_t left = count - first;
        const struct extent rest = {1, left < BITS_BLOCK ? left : BITS_BLOCK};
        const struct extent call = left < whole.rows * whole.cols ? rest : whole;
        place_dense(b, call.rows, call.cols);
        compare(b, seed, first, call.rows, call.cols, found);
        first += call.rows * call.cols;
    }
}

enum gaps { NO_GAPS, SOME_GAPS, GAPS }; /* rows have gaps in no group, in every other group, in all groups */

/* Places groups at different alignments, with gaps of different sizes. */
static void place_all(struct bits *b, size_t rows, size_t cols, size_t shift, enum gaps gaps, size_t lanes)
{
    const size_t offsets[] = {0, 1, 3, lanes - 1};
    /* Rows begin at bytes, and their offsets count elements. */
    for (uint32_t n = 0; n < b->kernel->group_count; n++) {
        struct group *g = &b->groups[n];
        const bool gap = gaps == GAPS || (gaps == SOME_GAPS && (n + shift) % 2);
        const size_t width = kernel_row_width(g->first, cols), unit = elements_of_byte(g->first->type);
        place(g, rows, cols, unit * offsets[(n + shift) % 4],
              gap ? width + unit * (1 + (2 * n + shift) % 8) : 0);
    }
}

void bits_compare_lengths(struct bits *b, struct bits_count *found)
{
    const size_t known = b->subject->vector_lanes ? b->subject->vector_lanes : DEFAULT_LANES;
    const size_t lanes = known < MAX_LANES ? known : MAX_LANES;
    const struct {
        size_t rows;
        enum gaps gaps;
    } forms[] = {{1, NO_GAPS}, {MOST_ROWS, NO_GAPS}, {MOST_ROWS, SOME_GAPS}, {MOST_ROWS, GAPS}};
    for (size_t cols = 0; cols <= 4 * lanes + 3; cols++)
        for (size_t shift = 0; shift < 4; shift++)
            for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
                for (unsigned way = 0;; way++) {
                    place_all(b, forms[f].rows, cols, shift, forms[f].gaps, lanes);
                    if (!place_results(b, way, cols)) break;
                    compare(b, cols + 1, 0, forms[f].rows, cols, found);
                }
}
