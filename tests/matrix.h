/* Comparison of a kernel's machine code with the interpreter, bit for bit (all NaNs are equal), in the
 * calls that the kernel may get. The calls have every length, one row and several, with and without gaps,
 * and results in place. Each operand lies at the end or at the start of memory between guard pages.
 * Include cmocka.h first. */
#ifndef ACTGEN_TEST_MATRIX_H
#define ACTGEN_TEST_MATRIX_H

#include "actgen.h"
#include "builtins.h"
#include "element.h"
#include "formulas.h"
#include "guarded.h"

enum {
    MATRIX_NAMES = 12,
    MATRIX_LANES = 16,
    MATRIX_LONGEST = 4 * MATRIX_LANES + 3,
    /* The bytes of an operand. Its elements in a call are fewer. */
    MATRIX_BYTES = 32768,
    MATRIX_ROWS = 3,
    /* The bytes that are checked on one side of the elements. The guard page is on the other side. */
    MATRIX_MARGIN = 512,
};

enum matrix_side { BY_CODE, BY_INTERPRETER, MATRIX_SIDES };

struct matrix_group {
    actgen_operand_info info; /* The operand of the group's first name. */
    enum element_type type;
    size_t bytes; /* The size of an element. */
    struct guarded memory[MATRIX_SIDES];
    /* The place in the call, as bytes from the memory's start, and the number of elements. */
    size_t at, extent;
    actgen_operand given[MATRIX_SIDES];
    bool is_placed; /* True if the group lies on another group's memory. */
};

struct matrix {
    const actgen_kernel *kernel;
    const char *what;
    actgen_fn code; /* The code that is compared. NULL: the kernel's. */
    actgen_operand_info names[MATRIX_NAMES];
    size_t name_count, group_count;
    struct matrix_group groups[MATRIX_NAMES];
    unsigned long long evaluations; /* The elements of all calls so far. */
};

struct matrix_call {
    size_t rows, cols;
    bool at_end;
    /* Bit g is set if group g has gaps between its rows. */
    unsigned gaps;
    /* The way of being in place, for matrix_place. */
    unsigned way;
};

static inline enum element_type matrix_type(int32_t type)
{
    /* src/api/spec_api.c asserts that the numbers are equal. */
    return (enum element_type)type;
}

/* Opens the matrix, which serves all kernels one after another. */
static inline void matrix_open(struct matrix *m)
{
    for (int g = 0; g < MATRIX_NAMES; g++)
        for (int side = 0; side < MATRIX_SIDES; side++)
            assert_true(guarded_create(&m->groups[g].memory[side], MATRIX_BYTES));
}

static inline void matrix_close(struct matrix *m)
{
    for (int g = 0; g < MATRIX_NAMES; g++)
        for (int side = 0; side < MATRIX_SIDES; side++) guarded_free(&m->groups[g].memory[side]);
}

static inline void matrix_take(struct matrix *m, const actgen_kernel *kernel, const char *what)
{
    m->kernel = kernel;
    m->what = what;
    m->code = NULL;
    m->name_count = actgen_kernel_operand_count(kernel);
    m->group_count = actgen_kernel_group_count(kernel);
    assert_true(m->name_count <= MATRIX_NAMES);
    for (size_t k = m->name_count; k-- > 0;) {
        m->names[k] = (actgen_operand_info)ACTGEN_OPERAND_INFO_INIT;
        assert_int_equal(actgen_kernel_operand_info(kernel, k, &m->names[k]), ACTGEN_OK);
        struct matrix_group *g = &m->groups[m->names[k].group];
        /* The loop ends with the first name of each group. */
        g->info = m->names[k];
        g->type = matrix_type(g->info.type);
        g->bytes = element_types[g->type].bytes;
    }
}

/* ---- placing ---- */

static inline bool matrix_has_rows(const struct matrix_group *g)
{
    return g->info.shape == ACTGEN_SHAPE_MATRIX || g->info.shape == ACTGEN_SHAPE_ROWS;
}

static inline size_t matrix_width(const struct matrix_group *g, size_t cols)
{
    const size_t together = elements_of_byte(g->type);
    if (together > 1) return (cols + together - 1) / together * together; /* Rows begin at bytes. */
    if (g->info.shape == ACTGEN_SHAPE_ROWS) return 1;
    return g->info.parts * (g->info.shape == ACTGEN_SHAPE_ONE ? 1 : cols);
}

static inline size_t matrix_extent(const struct matrix_group *g) { return element_bytes(g->type, g->extent); }

static inline void matrix_place_apart(struct matrix *m, const struct matrix_call *c)
{
    for (size_t n = 0; n < m->group_count; n++) {
        struct matrix_group *g = &m->groups[n];
        const size_t width = matrix_width(g, c->cols), unit = elements_of_byte(g->type),
                     stride = width + (c->gaps >> n & 1 ? unit * (1 + (3 * n + 2) % 7) : 0);
        g->extent = width + (matrix_has_rows(g) ? (c->rows - 1) * stride : 0);
        assert_true(matrix_extent(g) <= MATRIX_BYTES);
        g->at = c->at_end ? g->memory[BY_CODE].size - matrix_extent(g) : 0;
        g->is_placed = false;
        for (int side = 0; side < MATRIX_SIDES; side++)
            g->given[side] = (actgen_operand){g->memory[side].data + g->at, stride == width ? 0 : stride};
    }
}

/* Places `small` on `large`: on all of it, or on one of its parts. */
static inline void matrix_place_on(struct matrix_group *small, const struct matrix_group *large,
                                   unsigned part, size_t cols)
{
    small->is_placed = true;
    for (int side = 0; side < MATRIX_SIDES; side++) {
        small->given[side] = large->given[side];
        if (small->info.parts == large->info.parts) continue;
        small->given[side].data = (char *)small->given[side].data + part * cols * large->bytes;
        if (!large->given[side].stride) small->given[side].stride = matrix_width(large, cols);
    }
}

/* Returns the number of ways in which a result and an input may share memory: all of it, or one part of
 * the packed operand. */
static inline unsigned matrix_ways(const struct matrix_group *result, const struct matrix_group *input)
{
    const actgen_operand_info *r = &result->info, *i = &input->info;
    if (!r->is_result || i->is_result || r->type != i->type) return 0;
    if (r->shape != ACTGEN_SHAPE_MATRIX || i->shape != ACTGEN_SHAPE_MATRIX) return 0;
    if (element_shares_byte(matrix_type(r->type))) return 0;
    if (r->parts == i->parts && r->layout == i->layout) return 1;
    if (r->parts == 1 && i->layout == ACTGEN_LAYOUT_PACKED) return i->parts;
    return i->parts == 1 && r->layout == ACTGEN_LAYOUT_PACKED ? r->parts : 0;
}

/* Places the operands. Nothing is in place in way 0. Returns false if there is no such way. */
static inline bool matrix_place(struct matrix *m, const struct matrix_call *c)
{
    unsigned seen = 0;
    matrix_place_apart(m, c);
    if (!c->way) return true;
    for (size_t r = 0; r < m->group_count; r++)
        for (size_t i = 0; i < m->group_count; i++) {
            struct matrix_group *result = &m->groups[r], *input = &m->groups[i];
            const unsigned ways = matrix_ways(result, input);
            if (c->way <= seen + ways) {
                const bool is_input_larger = input->info.parts >= result->info.parts;
                matrix_place_on(is_input_larger ? result : input, is_input_larger ? input : result,
                                c->way - seen - 1, c->cols);
                return true;
            }
            seen += ways;
        }
    return false;
}

/* The bytes that a call could reach by a mistake, apart from guard pages. */
struct matrix_window {
    size_t begin, end;
};
static inline struct matrix_window matrix_window_of(const struct matrix_group *g, const struct matrix_call *c)
{
    const size_t size = g->memory[BY_CODE].size, end = g->at + matrix_extent(g);
    if (!c->at_end) return (struct matrix_window){0, size - end < MATRIX_MARGIN ? size : end + MATRIX_MARGIN};
    return (struct matrix_window){g->at < MATRIX_MARGIN ? 0 : g->at - MATRIX_MARGIN, size};
}

/* ---- data ---- */

static inline uint64_t matrix_bits(enum element_type type, uint64_t *seed)
{
    static const double specials[] = {0,         INFINITY, NAN,  0x1p-149, 0x1p-126, 0x1p-24,  0x1p-14,
                                      0x1p-1074, 1,        88.8, 104.0,    65504,    0.5,      3,
                                      6,         7,        2,    0.25,     1e6,      0x1p-1022};
    const unsigned width = element_types[type].bits;
    const uint64_t bits = next_random(seed), high = UINT64_C(1) << (width - 1), sign = bits & 64 ? high : 0;
    const size_t number = (bits >> 8) % (sizeof specials / sizeof *specials + 1);
    if (type == ELEMENT_U64) return bits;
    if (bits % 8 == 0 && number == sizeof specials / sizeof *specials)
        /* Adding anything to the bits of this NaN overflows. */
        return (high - 1) | sign;
    if (bits % 8 == 0) return element_types[type].near(specials[number]) ^ sign;
    if (bits % 8 < 5) return element_types[type].near(20 * random_unit(seed) - 10);
    return bits >> (64 - width);
}

/* Returns a small number, however near 0. */
static inline uint64_t matrix_number(enum element_type type, uint64_t *seed)
{
    uint64_t bits;
    do bits = matrix_bits(type, seed);
    while (type != ELEMENT_U64 && !(fabs(element_types[type].value(bits)) <= 10));
    return bits;
}

/* Returns the index of a name's element. */
static inline size_t matrix_index(const struct matrix *m, const actgen_operand_info *o, size_t row,
                                  size_t col, size_t cols)
{
    const struct matrix_group *g = &m->groups[o->group];
    const size_t stride = g->given[BY_CODE].stride ? g->given[BY_CODE].stride : matrix_width(g, cols);
    if (o->shape == ACTGEN_SHAPE_ONE) return o->part;
    if (o->shape == ACTGEN_SHAPE_ROWS) return row * stride;
    const size_t in_row =
        o->layout == ACTGEN_LAYOUT_INTERLEAVED ? col * o->parts + o->part : o->part * cols + col;
    return in_row + (o->shape == ACTGEN_SHAPE_COLS ? 0 : row * stride);
}

/* The contents of operands: small numbers only, or anything. Where values are summed, one NaN makes the
 * whole row NaN. */
enum matrix_content { MATRIX_NUMBERS, MATRIX_ANYTHING };
static inline void matrix_fill(struct matrix *m, const struct matrix_call *c, enum matrix_content content,
                               uint64_t seed)
{
    for (size_t n = 0; n < m->group_count; n++)
        for (int side = 0; side < MATRIX_SIDES; side++) {
            const struct matrix_window w = matrix_window_of(&m->groups[n], c);
            memset(m->groups[n].memory[side].data + w.begin, UNTOUCHED, w.end - w.begin);
        }
    for (size_t k = 0; k < m->name_count; k++) {
        const struct matrix_group *g = &m->groups[m->names[k].group];
        for (size_t r = 0; !m->names[k].is_result && r < c->rows; r++)
            for (size_t col = 0; col < c->cols; col++) {
                const uint64_t bits =
                    content == MATRIX_NUMBERS ? matrix_number(g->type, &seed) : matrix_bits(g->type, &seed);
                const size_t index = matrix_index(m, &m->names[k], r, col, c->cols);
                for (int side = 0; side < MATRIX_SIDES; side++)
                    element_set((void *)g->given[side].data, g->type, index, bits);
            }
    }
}

/* ---- calls ---- */

static inline bool matrix_agrees(const struct matrix_group *g, const struct matrix_call *c)
{
    const struct guarded *code = &g->memory[BY_CODE], *interpreter = &g->memory[BY_INTERPRETER];
    const struct matrix_window w = matrix_window_of(g, c);
    const size_t end = g->at + matrix_extent(g);
    if (!all_untouched(code->data + w.begin, g->at - w.begin)) return false;
    if (!all_untouched(code->data + end, w.end - end)) return false;
    if (!memcmp(code->data + w.begin, interpreter->data + w.begin, w.end - w.begin)) return true;
    if (element_shares_byte(g->type)) return false;
    for (size_t i = 0; i < g->extent; i++)
        if (!element_same(g->type, element_get(code->data + g->at, g->type, i),
                          element_get(interpreter->data + g->at, g->type, i)))
            return false;
    return true;
}

static inline actgen_fn matrix_code(const struct matrix *m)
{
    return m->code ? m->code : actgen_kernel_fn(m->kernel);
}

/* Checks a call with the contents of a seed. Returns false if there is no such way in place. */
static inline bool matrix_check_contents(struct matrix *m, struct matrix_call c, uint64_t seed)
{
    actgen_operand operands[MATRIX_SIDES][MATRIX_NAMES];
    actgen_error why;
    /* Lengths around whole vectors get both contents. */
    const bool is_plain = has_workspace(m->kernel) && c.cols % 5;
    if (!matrix_place(m, &c)) return false;
    m->evaluations += c.rows * c.cols;
    matrix_fill(m, &c, is_plain ? MATRIX_NUMBERS : MATRIX_ANYTHING, seed);
    for (size_t g = 0; g < m->group_count; g++)
        for (int side = 0; side < MATRIX_SIDES; side++) operands[side][g] = m->groups[g].given[side];
    if (!has_workspace(m->kernel))
        matrix_code(m)(c.rows, c.cols, operands[BY_CODE]);
    else if (actgen_run(m->kernel, c.rows, c.cols, operands[BY_CODE], m->group_count, &why))
        fail_msg("%s: %s", m->what, why.message);
    if (actgen_interpret(m->kernel, c.rows, c.cols, operands[BY_INTERPRETER], m->group_count, &why))
        fail_msg("%s: %s", m->what, why.message);
    for (size_t g = 0; g < m->group_count; g++)
        if (!matrix_agrees(&m->groups[g], &c))
            fail_msg("%s\non %s: operand %s has another value, or there is a write outside, of %zu rows of "
                     "%zu columns, %s "
                     "of a page, gaps %x, way in place %u",
                     m->what, actgen_kernel_isa(m->kernel), m->groups[g].info.name, c.rows, c.cols,
                     c.at_end ? "at the end" : "at the start", c.gaps, c.way);
    return true;
}

static inline bool matrix_check_call(struct matrix *m, struct matrix_call c)
{
    return matrix_check_contents(m, c, c.cols * 8 + c.gaps);
}

static inline void matrix_check_lengths(struct matrix *m)
{
    static const size_t longer[] = {128, 255, 515};
    /* Gaps for no operand, for all, and for every other one. */
    static const unsigned gaps[] = {0, ~0u, 0x55, 0xaa};
    for (size_t cols = 0; cols <= MATRIX_LONGEST; cols++) {
        const bool at_end = cols % 2;
        matrix_check_call(m, (struct matrix_call){1, cols, at_end, 0, 0});
        matrix_check_call(m, (struct matrix_call){1, cols, !at_end, 0, 0});
        matrix_check_call(m, (struct matrix_call){MATRIX_ROWS, cols, at_end, gaps[cols % 4], 0});
        for (unsigned way = 1;
             matrix_check_call(m, (struct matrix_call){2, cols, !at_end, gaps[(cols + way) % 4], way});)
            way++;
    }
    for (size_t n = 0; n < sizeof longer / sizeof *longer; n++)
        matrix_check_call(m, (struct matrix_call){1, longer[n], true, 0, 0});
}

/* Checks calls of `count` elements together, each call with other contents. */
static inline void matrix_check_many(struct matrix *m, size_t count)
{
    enum { COLS = 509 };
    for (size_t call = 1; (call - 1) * COLS < count; call++)
        matrix_check_contents(m, (struct matrix_call){.rows = 1, .cols = COLS}, (uint64_t)call << 32);
}

/* Checks all inputs of a function of one value of 8 or 16 bits. */
static inline void matrix_check_all_inputs(struct matrix *m)
{
    enum { MOST = 1 << 16 };
    static uint64_t inputs[MOST], results[MATRIX_SIDES][MOST]; /* Arrays with room for any type. */
    /* Wider types have too many inputs. */
    const size_t all = (size_t)1 << (8 * m->groups[0].bytes % 32);
    actgen_error why;
    if (m->group_count != 2 || m->name_count != 2 || m->groups[0].bytes > 2 ||
        /* A sum over one row of all inputs would be NaN. */
        element_shares_byte(m->groups[0].type) || has_workspace(m->kernel))
        return;
    for (size_t i = 0; i < all; i++) element_set(inputs, m->groups[0].type, i, i);
    for (int side = 0; side < MATRIX_SIDES; side++) {
        const actgen_operand operands[] = {{inputs, 0}, {results[side], 0}};
        if (side == BY_CODE)
            matrix_code(m)(1, all, operands);
        else if (actgen_interpret(m->kernel, 1, all, operands, 2, &why))
            fail_msg("%s: %s", m->what, why.message);
    }
    for (size_t i = 0; i < all; i++) {
        const uint64_t code = element_get(results[BY_CODE], m->groups[1].type, i),
                       interpreter = element_get(results[BY_INTERPRETER], m->groups[1].type, i);
        if (!element_same(m->groups[1].type, code, interpreter))
            fail_msg("%s\non %s: of input 0x%04zx: 0x%llx, not 0x%llx", m->what, actgen_kernel_isa(m->kernel),
                     i, (unsigned long long)code, (unsigned long long)interpreter);
    }
}

#endif
