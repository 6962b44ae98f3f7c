/* Calls the kernels on operands in each layout, and compares the stored values with the table. */
#include "check.h"

/* The numbers that actgen.h has. */
enum { F32, F64, F16, BF16, E4M3, E5M2, I8, U8, U64, U1, I32, E8M0, E2M1, I4 };
enum { MATRIX, COLS, ROWS, ONE };
enum { SEPARATE, PACKED, INTERLEAVED };
enum { UNTOUCHED = 0xa5, MARGIN = 64 };

struct name {
    uint32_t field[CROSS_FIELDS];
    const unsigned char *values;
};

struct call {
    const struct cross_kernel *kernel;
    struct name names[CROSS_NAMES];
    uint32_t name_count, group_count;
    uint32_t random_calls; /* The number of calls on random inputs, and the hash of their results. */
    uint64_t random_hash;
    size_t rows, cols, gap; /* The gap is in columns between rows. */
    /* True if operands lie at the end of their memory. */
    int at_end;
    unsigned char *begin[CROSS_NAMES], *end[CROSS_NAMES]; /* The memory of each group. */
    size_t stride[CROSS_NAMES];
};

static size_t bytes_of(const struct name *n)
{
    static const uint8_t bytes[] = {
        [F32] = 4, [F64] = 8, [F16] = 2, [BF16] = 2, [E4M3] = 1, [E5M2] = 1, [I8] = 1,
        [U8] = 1,  [U64] = 8, [U1] = 1,  [I32] = 4,  [E8M0] = 1, [E2M1] = 1, [I4] = 1};
    return bytes[n->field[CROSS_TYPE]];
}

static uint64_t read_number(const unsigned char *at, size_t bytes)
{
    uint64_t number = 0;
    while (bytes--) number = number << 8 | at[bytes];
    return number;
}

static uint32_t take_number(const unsigned char **at)
{
    *at += 4;
    return (uint32_t)read_number(*at - 4, 4);
}

/* ---- elements in this machine's order of bytes ---- */

static void put(unsigned char *at, size_t bytes, uint64_t bits)
{
    if (bytes == 1) *at = (unsigned char)bits;
    if (bytes == 2) *(uint16_t *)(void *)at = (uint16_t)bits;
    if (bytes == 4) *(uint32_t *)(void *)at = (uint32_t)bits;
    if (bytes == 8) *(uint64_t *)(void *)at = bits;
}

static uint64_t get(const unsigned char *at, size_t bytes)
{
    return bytes == 1   ? *at
           : bytes == 2 ? *(const uint16_t *)(const void *)at
           : bytes == 4 ? *(const uint32_t *)(const void *)at
                        : *(const uint64_t *)(const void *)at;
}

static int is_nan(const struct name *n, uint64_t bits)
{
    static const uint64_t largest[] = {[F32] = 0x7f800000,  [F64] = UINT64_C(0x7ff0000000000000),
                                       [F16] = 0x7c00,      [BF16] = 0x7f80,
                                       [E4M3] = 0x7e,       [E5M2] = 0x7c,     /* e4m3 has no infinity. */
                                       [I8] = UINT64_MAX,   [U8] = UINT64_MAX, /* Integers have no NaN. */
                                       [U1] = UINT64_MAX,   [I32] = UINT64_MAX,
                                       [E2M1] = UINT64_MAX, [I4] = UINT64_MAX};
    const uint64_t sign = UINT64_C(1) << (8 * bytes_of(n) - 1);
    if (n->field[CROSS_TYPE] == E8M0) return bits == 255;
    return (bits & (sign - 1)) > largest[n->field[CROSS_TYPE]];
}

/* ---- where values are ---- */

static size_t value_count(const struct name *n, size_t rows, size_t cols)
{
    const uint32_t shape = n->field[CROSS_SHAPE];
    return (shape == MATRIX || shape == ROWS ? rows : 1) * (shape == MATRIX || shape == COLS ? cols : 1);
}

/* Returns how many elements share a byte. */
static unsigned together(const struct name *n)
{
    const uint32_t type = n->field[CROSS_TYPE];
    return type == U1 ? 8 : type == E2M1 || type == I4 ? 2 : 1;
}

static void fill(unsigned char *from, const unsigned char *to)
{
    while (from < to) *from++ = UNTOUCHED;
}

/* Returns a value from the data, which have all columns and at least a byte for each. */
static uint64_t value_at(const struct name *n, size_t row, size_t col)
{
    const uint32_t shape = n->field[CROSS_SHAPE];
    const size_t number = shape == MATRIX ? row * CROSS_COLS + col
                          : shape == COLS ? col
                          : shape == ROWS ? row
                                          : 0;
    return read_number(n->values + number * bytes_of(n), bytes_of(n));
}

static unsigned char *place_of(const struct call *c, const struct name *n, size_t row, size_t col)
{
    const uint32_t group = n->field[CROSS_GROUP], shape = n->field[CROSS_SHAPE];
    size_t number = shape == MATRIX || shape == ROWS ? row * c->stride[group] : 0;
    if (shape == MATRIX || shape == COLS)
        number += n->field[CROSS_LAYOUT] == INTERLEAVED ? col * n->field[CROSS_PARTS] + n->field[CROSS_PART]
                                                        : n->field[CROSS_PART] * c->cols + col;
    if (shape != MATRIX && shape != COLS) number += n->field[CROSS_PART]; /* The operand is a list. */
    return c->begin[group] + number * bytes_of(n) / together(n);
}

static void put_at(const struct call *c, const struct name *n, size_t row, size_t col, uint64_t bits)
{
    unsigned char *at = place_of(c, n, row, col);
    const unsigned width = 8 / together(n), first = (unsigned)(col % together(n)) * width,
                   ones = ((1u << width) - 1) << first;
    if (together(n) == 1)
        put(at, bytes_of(n), bits);
    else
        *at = (unsigned char)((*at & ~ones) | (unsigned)bits << first);
}

static uint64_t get_at(const struct call *c, const struct name *n, size_t row, size_t col)
{
    const unsigned char *at = place_of(c, n, row, col);
    const unsigned width = 8 / together(n);
    if (together(n) == 1) return get(at, bytes_of(n));
    return (uint64_t)*at >> col % together(n) * width & ((1u << width) - 1);
}

/* Takes back a written value. The last element of a byte takes back the whole byte, and the bits after the
 * row's last element must be 0. */
static int take_back(const struct call *c, const struct name *n, size_t row, size_t col)
{
    unsigned char *at = place_of(c, n, row, col);
    const unsigned width = 8 / together(n), number = (unsigned)(col % together(n));
    const int is_last = number + 1 == together(n) || col + 1 == c->cols;
    const int has_rest = together(n) > 1 && is_last && *at >> number * width >> width;
    if (is_last) fill(at, at + bytes_of(n));
    return !has_rest;
}

/* Places the operands. Their values are the data's, or random ones if there is a state. */
static void place(struct call *c, unsigned char *const *memory, uint64_t *state)
{
    for (uint32_t k = 0; k < c->name_count; k++) {
        const struct name *n = &c->names[k];
        const uint32_t group = n->field[CROSS_GROUP], shape = n->field[CROSS_SHAPE];
        const size_t own = n->field[CROSS_PARTS] * (shape == MATRIX || shape == COLS ? c->cols : 1);
        const size_t unit = together(n), width = (own + unit - 1) / unit * unit; /* Rows begin at bytes. */
        const int has_rows = shape == MATRIX || shape == ROWS;
        if (n->field[CROSS_PART]) continue;
        c->stride[group] = width + (has_rows ? unit * c->gap : 0);
        const size_t bytes = (width + (has_rows ? (c->rows - 1) * c->stride[group] : 0)) * bytes_of(n) / unit;
        c->begin[group] = memory[group] + (c->at_end ? CROSS_MEMORY - bytes : 0);
        c->end[group] = c->begin[group] + bytes;
        fill(c->at_end ? c->begin[group] - MARGIN : c->begin[group],
             c->at_end ? c->end[group] : c->end[group] + MARGIN);
    }
    for (uint32_t k = 0; k < c->name_count; k++) {
        const struct name *n = &c->names[k];
        for (size_t row = 0; row < c->rows && !n->field[CROSS_IS_RESULT]; row++)
            for (size_t col = 0; col < c->cols; col++)
                put_at(c, n, row, col,
                       state ? cross_random(n->field[CROSS_TYPE], bytes_of(n), state)
                             : value_at(n, row, col));
    }
}

/* ---- results ---- */

/* Returns true for results of one sign that are at most 2^-126. A processor that flushes may decide before
 * rounding, and the interpreter decides after it. Its scalar instructions keep subnormal numbers. */
static int are_at_most_least(uint64_t a, uint64_t b)
{
    enum { LEAST = 0x800000, SIZE = 0x7fffffff };
    return (a ^ b) <= SIZE && (a & SIZE) <= LEAST && (b & SIZE) <= LEAST;
}

static int differ(const struct name *n, uint64_t a, uint64_t b)
{
    if (n->field[CROSS_FLUSHED] && are_at_most_least(a, b)) return 0;
    return a != b && !(is_nan(n, a) && is_nan(n, b));
}

/* Returns true if the results are known. Sums over rows or columns are known only for calls with all rows
 * or columns of the data. */
static int is_known(const struct call *c, const struct name *n)
{
    const uint32_t shape = n->field[CROSS_SHAPE];
    return (shape == MATRIX || shape == ROWS || c->rows == CROSS_ROWS) &&
           (!n->field[CROSS_OF_ROW] || c->cols == CROSS_COLS) &&
           (shape == MATRIX || shape == COLS || c->cols == CROSS_COLS);
}

/* Compares results, and puts back what was there before, so that whatever remains was written wrongly. */
static size_t compare(const struct call *c, struct cross_wrong *wrong)
{
    size_t compared = 0;
    for (uint32_t k = 0; k < c->name_count; k++) {
        const struct name *n = &c->names[k];
        const uint32_t shape = n->field[CROSS_SHAPE];
        const size_t rows = shape == MATRIX || shape == ROWS ? c->rows : 1,
                     cols = shape == MATRIX || shape == COLS ? c->cols : 1;
        for (size_t row = 0; row < rows && n->field[CROSS_IS_RESULT]; row++)
            for (size_t col = 0; col < cols; col++) {
                const uint64_t computed = get_at(c, n, row, col), expected = value_at(n, row, col);
                if (!take_back(c, n, row, col) || (is_known(c, n) && differ(n, computed, expected))) {
                    *wrong = (struct cross_wrong){c->kernel->name, c->rows, c->cols, row, col, k,
                                                  computed,        expected};
                    return 0;
                }
                compared++;
            }
    }
    for (uint32_t k = 0; k < c->name_count; k++) {
        const struct name *n = &c->names[k];
        const uint32_t group = n->field[CROSS_GROUP];
        const unsigned char *at = c->at_end ? c->begin[group] - MARGIN : c->begin[group],
                            *end = c->at_end ? c->end[group] : c->end[group] + MARGIN;
        for (; n->field[CROSS_IS_RESULT] && at < end; at++)
            if (*at != UNTOUCHED) {
                *wrong =
                    (struct cross_wrong){c->kernel->name, c->rows, c->cols, c->rows, 0, k, *at, UNTOUCHED};
                return 0;
            }
    }
    return compared + 1; /* An empty call is also right. */
}

static void call(struct call *c, unsigned char *const *memory, size_t rows, size_t cols, uint64_t *state)
{
    static double workspace[1 << 14]; /* The workspace of kernels with sums. */
    struct cross_operand operands[CROSS_NAMES + 1];
    c->rows = rows;
    c->cols = cols;
    c->gap = rows > 1 ? cols % 4 : 0;
    c->at_end = (cols + rows) % 2;
    place(c, memory, state);
    for (uint32_t g = 0; g < c->group_count; g++)
        operands[g] = (struct cross_operand){c->begin[g], cols % 3 && !c->gap ? 0 : c->stride[g]};
    for (uint32_t k = 0; k < c->name_count; k++)
        if (c->names[k].field[CROSS_TYPE] == U64) operands[c->names[k].field[CROSS_GROUP]].stride = 0;
    operands[c->group_count] = (struct cross_operand){workspace, sizeof workspace};
    c->kernel->run(rows, cols, operands);
}

static size_t run(struct call *c, unsigned char *const *memory, size_t rows, size_t cols,
                  struct cross_wrong *wrong)
{
    call(c, memory, rows, cols, NULL);
    return compare(c, wrong);
}

/* Adds the results of a call to the hash. All NaNs are equal. */
static uint64_t mix_results(const struct call *c, uint64_t hash)
{
    for (uint32_t k = 0; k < c->name_count; k++) {
        const struct name *n = &c->names[k];
        for (size_t row = 0; row < c->rows && n->field[CROSS_IS_RESULT]; row++)
            for (size_t col = 0; col < c->cols; col++) {
                const uint64_t bits = get_at(c, n, row, col);
                hash = cross_mix(hash, is_nan(n, bits) ? UINT64_MAX : bits);
            }
    }
    return hash;
}

/* Calls the kernel on random inputs, and compares the hash of its results. Returns how many elements were
 * computed, plus 1, or 0 if the hash differs. */
static size_t run_random(struct call *c, unsigned char *const *memory, struct cross_wrong *wrong)
{
    uint64_t state = 0, hash = 0;
    for (uint32_t n = 0; n < c->random_calls; n++) {
        call(c, memory, CROSS_ROWS, CROSS_COLS, &state);
        hash = mix_results(c, hash);
    }
    const size_t cols = (size_t)c->random_calls * CROSS_COLS;
    if (!cols || hash == c->random_hash) return CROSS_ROWS * cols + 1;
    *wrong = (struct cross_wrong){.kernel = c->kernel->name,
                                  .rows = CROSS_ROWS,
                                  .cols = cols,
                                  .computed = hash,
                                  .expected = c->random_hash};
    return 0;
}

static const unsigned char *take_names(struct call *c, const unsigned char *data)
{
    c->name_count = take_number(&data);
    c->group_count = take_number(&data);
    c->random_calls = take_number(&data);
    c->random_hash = read_number(data, 8);
    data += 8;
    for (uint32_t k = 0; k < c->name_count; k++) {
        struct name *n = &c->names[k];
        for (int f = 0; f < CROSS_FIELDS; f++) n->field[f] = take_number(&data);
        n->values = data;
        data += value_count(n, CROSS_ROWS, CROSS_COLS) * bytes_of(n);
    }
    return data;
}

/* Returns true for the calls of a kernel that needs only a sample: less than a vector, one vector and
 * more, and all parts of the loops in two rows. */
static int is_in_sample(size_t cols, size_t rows, size_t lanes)
{
    return cols == 4 * lanes + 3 ? rows == 2 : rows == 1 && (cols + 1 == lanes || cols == lanes + 1);
}

/* Returns true for calls that are taken. Short vectors take all lengths. For longer vectors, more elements
 * say nothing new, so the lengths are those around whole vectors and some others. */
static int is_taken(size_t cols, size_t rows, size_t lanes)
{
    enum { SHORT = 16 };
    const int is_near = (cols + 1) % lanes <= 2, is_short = cols <= 4 * lanes + 3;
    if (!is_short) return cols == CROSS_COLS || (cols == 63 && rows == 1) || (cols == 127 && rows == 2);
    if (lanes > SHORT / 2 && !is_near && cols % (lanes / SHORT * 4 + 3)) return 0;
    return rows == 1 || cols % 3 == 0;
}

/* Returns true if the kernel draws, or may draw. The draws of later rows depend on the number of columns. */
static int is_drawn(const struct call *c)
{
    int drawn = 0;
    for (uint32_t k = 0; k < c->name_count; k++) drawn |= c->names[k].field[CROSS_TYPE] == U64;
    return drawn;
}

size_t cross_check(const unsigned char *data, size_t lanes, size_t step, unsigned char *const *memory,
                   struct cross_wrong *wrong)
{
    size_t compared = 0;
    for (size_t i = 0; i < cross_kernel_count; i++) {
        struct call c = {.kernel = &cross_kernels[i]};
        data = take_names(&c, data);
        for (size_t cols = 0; cols <= CROSS_COLS; cols++) {
            for (size_t rows = 1; rows <= CROSS_ROWS; rows++) {
                if (!(i % step ? is_in_sample : is_taken)(cols, rows, lanes)) continue;
                /* The data's rows are longer. */
                if (rows > 1 && cols < CROSS_COLS && is_drawn(&c)) continue;
                const size_t some = run(&c, memory, rows, cols, wrong);
                if (!some) return 0;
                compared += some;
            }
        }
        const size_t some = i % step ? 1 : run_random(&c, memory, wrong);
        if (!some) return 0;
        compared += some - 1;
    }
    return compared;
}
