/* Turns a lane program into steps on blocks of lanes, and runs them.
 *
 * Each value has a block while it lives, so few blocks are in use. A constant has a block of its own, filled
 * once. All loads of a block of lanes come before everything else, so a result may share memory with an
 * input. */
#include "interp.h"

#include "arrays.h"
#include "interp_ops.h"
#include "philox.h"
#include "row_numbers.h"
#include "wider.h"

#include <stdlib.h>
#include <string.h>

struct load {
    void *block;
    uint32_t operand;
    struct interp_elements elements;
    const struct kernel_operand *made; /* NULL if the operand is in memory */
};

struct interp {
    struct arena_guest guest; /* guest of the program's arena */
    struct kernel_row *rows;  /* rows for interp_run, by operand */
    uint32_t row_count;
    struct load *loads;
    struct interp_step *steps;
    uint32_t load_count, step_count;
    unsigned char *blocks; /* blocks of INTERP_BLOCK lanes */
    /* Bytes of the widest lane in the program. A program of narrower lanes takes less of the first-level
     * cache. */
    unsigned bytes_of_a_lane;
    unsigned char *tables;
};

/* The state of laying out a program. */
struct layout {
    const lane_program *program;
    const struct lane_kernel *kernel; /* NULL if elements are as wide as lanes */
    uint32_t *place;    /* indexed by value: the value whose block it uses (a bitcast uses its operand's) */
    uint32_t *last_use; /* indexed by value that owns a block: the last instruction that reads it */
    uint32_t *block;    /* indexed by value that owns a block: the block's number */
    uint32_t *unused;   /* blocks that may be reused */
    uint32_t unused_count, block_count;
};

enum { BLOCK_ALIGNMENT = 64 };

static void find_lifetimes(struct layout *l)
{
    for (uint32_t n = 0; n < l->program->count; n++) {
        const struct lane_instruction *i = &l->program->code[n];
        l->place[n] = i->op == LANE_BITCAST ? l->place[i->operand[0]] : n;
        l->last_use[n] = n;
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) l->last_use[l->place[i->operand[k]]] = n;
    }
}

static void take_block(struct layout *l, uint32_t value)
{
    l->block[value] = l->unused_count ? l->unused[--l->unused_count] : l->block_count++;
}

/* Releases the block of `value` for later values if instruction n is the last that reads it. A constant keeps
 * its block, because the block is filled once. */
static void release_block(struct layout *l, uint32_t value, uint32_t n)
{
    if (l->last_use[value] != n || l->program->code[value].op == LANE_CONST) return;
    l->unused[l->unused_count++] = l->block[value];
    l->last_use[value] = UINT32_MAX; /* releases once, even if an operand is read twice */
}

static void assign_blocks(struct layout *l)
{
    const struct lane_instruction *code = l->program->code;
    /* A run does all loads first, wherever they stand, and constants are there before. */
    for (uint32_t n = 0; n < l->program->count; n++)
        if (code[n].op == LANE_LOAD || code[n].op == LANE_CONST) take_block(l, n);
    for (uint32_t n = 0; n < l->program->count; n++) {
        const enum lane_op op = code[n].op;
        const bool has_value = op != LANE_BITCAST && op != LANE_STORE;
        if (has_value && op != LANE_LOAD && op != LANE_CONST) take_block(l, n);
        for (unsigned k = 0; k < lane_ops[op].arity; k++) release_block(l, l->place[code[n].operand[k]], n);
        if (has_value) release_block(l, n, n);
    }
}

static size_t block_bytes(const interp *i) { return (size_t)INTERP_BLOCK * i->bytes_of_a_lane; }

static void *block_of(const interp *i, const struct layout *l, lane_value value)
{
    return i->blocks + l->block[l->place[value]] * block_bytes(i);
}

/* Writes entries of 1, 2, 4 or 8 bytes, one after another. */
static void fill_table(unsigned char *out, unsigned bytes, const uint64_t *bits, size_t count, size_t step)
{
    for (size_t k = 0; k < count; k++) {
        const uint64_t wide = bits[k * step];
        const uint32_t narrow = (uint32_t)wide;
        const uint16_t half = (uint16_t)wide;
        const uint8_t byte = (uint8_t)wide;
        const void *entry = bytes == 8   ? (const void *)&wide
                            : bytes == 4 ? (const void *)&narrow
                            : bytes == 2 ? (const void *)&half
                                         : &byte;
        memcpy(out + k * bytes, entry, bytes);
    }
}

static size_t table_offset(const lane_program *p, uint32_t table)
{
    size_t offset = 0;
    for (uint32_t t = 0; t < table; t++) offset += sizeof(uint64_t) << p->tables[t].log2_size;
    return offset;
}

static struct interp_elements elements_of(const struct layout *l, uint32_t operand, enum lane_type lane)
{
    const bool half = lane == LANE_F16, byte = lane == LANE_I8;
    if (l->kernel) return (struct interp_elements){l->kernel->operands[operand].type, half, byte};
    /* integers also move as bits */
    const enum element_type type = lane_type_bytes(lane) == 8 ? ELEMENT_F64 : ELEMENT_F32;
    return (struct interp_elements){lane == LANE_TRUTH ? ELEMENT_U1 : type, half, byte};
}

static void add_step(interp *i, const struct layout *l, uint32_t n, const interp_op_table *ops)
{
    const lane_program *p = l->program;
    const struct lane_instruction *code = &p->code[n];
    const unsigned arity = lane_ops[code->op].arity;
    struct interp_step *s = &i->steps[i->step_count++];
    s->a = block_of(i, l, code->operand[0]);
    if (arity > 1) s->b = block_of(i, l, code->operand[1]);
    if (arity > 2) s->c = block_of(i, l, code->operand[2]);
    if (code->op == LANE_STORE) {
        s->operand = code->index;
        s->elements = elements_of(l, code->index, p->code[code->operand[0]].type);
        return;
    }
    s->run = (*ops)[code->op][lane_type_that_chooses(p, code)];
    s->out = block_of(i, l, n);
    if (code->op == LANE_LOOKUP) {
        s->table = i->tables + table_offset(p, code->index);
        s->table_mask = (UINT64_C(1) << p->tables[code->index].log2_size) - 1;
        s->index_bytes = lane_type_bytes(p->code[code->operand[0]].type);
    }
}

static void add_load(interp *i, const struct layout *l, uint32_t n)
{
    const struct lane_instruction *code = &l->program->code[n];
    const struct kernel_operand *o = l->kernel ? &l->kernel->operands[code->index] : NULL;
    i->loads[i->load_count++] = (struct load){
        block_of(i, l, n), code->index, elements_of(l, code->index, code->type), o && o->source ? o : NULL};
}

static void add_steps(interp *i, const struct layout *l, const interp_op_table *ops)
{
    const lane_program *p = l->program;
    for (uint32_t t = 0; t < p->table_count; t++)
        fill_table(i->tables + table_offset(p, t), lane_type_bytes(p->tables[t].type), p->tables[t].bits,
                   (size_t)1 << p->tables[t].log2_size, 1);
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *code = &p->code[n];
        const unsigned bytes = lane_type_bytes(code->type);
        if (code->op == LANE_LOAD)
            add_load(i, l, n);
        else if (code->op == LANE_CONST)
            fill_table(block_of(i, l, n), bytes, &code->bits, INTERP_BLOCK, 0);
        else if (code->op != LANE_BITCAST)
            add_step(i, l, n, ops);
    }
}

static bool build_steps(interp *i, struct layout *l, const interp_op_table *ops)
{
    const uint32_t count = l->program->count;
    uint32_t *numbers = calloc((size_t)count + 1, 4 * sizeof *numbers);
    if (!numbers) return false;
    l->place = numbers;
    l->last_use = numbers + count;
    l->block = numbers + (size_t)2 * count;
    l->unused = numbers + (size_t)3 * count;
    find_lifetimes(l);
    assign_blocks(l);
    i->bytes_of_a_lane = 4;
    for (uint32_t n = 0; n < count; n++) {
        const struct lane_instruction *code = &l->program->code[n];
        const bool in_memory = code->op == LANE_LOAD || code->op == LANE_STORE;
        if (in_memory && code->index >= i->row_count) i->row_count = code->index + 1;
        if (lane_is_wide(code->type)) i->bytes_of_a_lane = 8;
    }
    i->rows = calloc((size_t)i->row_count + 1, sizeof *i->rows);
    i->loads = calloc((size_t)count + 1, sizeof *i->loads);
    i->steps = calloc((size_t)count + 1, sizeof *i->steps);
    i->tables = malloc(table_offset(l->program, l->program->table_count) + 1);
    i->blocks = aligned_alloc(BLOCK_ALIGNMENT, ((size_t)l->block_count + 1) * block_bytes(i));
    const bool complete = i->rows && i->loads && i->steps && i->tables && i->blocks;
    if (complete) {
        memset(i->blocks, 0, ((size_t)l->block_count + 1) * block_bytes(i));
        add_steps(i, l, ops);
    }
    free(numbers);
    return complete;
}

static void release_interp(struct arena_guest *guest) { interp_free((interp *)guest); }

static interp *create(const lane_program *program, const struct lane_kernel *kernel,
                      const interp_op_table *ops)
{
    interp *i = calloc(1, sizeof *i);
    if (i && build_steps(i, &(struct layout){.program = program, .kernel = kernel}, ops)) {
        arena_host(program->memory, &i->guest, release_interp);
        return i;
    }
    interp_free(i);
    arena_fail(program->memory);
    return NULL;
}

static const interp_op_table *best_ops(void) { return runs_avx2_fma() ? &interp_ops_fma : &interp_ops_plain; }

interp *interp_create(const lane_program *program) { return create(program, NULL, best_ops()); }

interp *interp_create_kernel(const struct lane_kernel *kernel)
{
    return create(kernel->program, kernel, best_ops());
}

interp *interp_create_plain(const lane_program *program) { return create(program, NULL, &interp_ops_plain); }

void interp_free(interp *i)
{
    if (!i) return;
    arena_leave(&i->guest);
    free(i->rows);
    free(i->loads);
    free(i->steps);
    free(i->tables);
    free(i->blocks);
    free(i);
}

void interp_run(interp *i, void *const *operands, size_t count)
{
    for (uint32_t k = 0; k < i->row_count; k++) i->rows[k] = (struct kernel_row){operands[k], 1, 0};
    interp_run_row(i, i->rows, count);
}

static uint64_t counter_value(struct kernel_row row)
{
    uint64_t value;
    memcpy(&value, row.data, sizeof value);
    return value;
}

void interp_make_row(float *out, const struct kernel_operand *o, const struct kernel_row *rows, size_t first,
                     size_t n)
{
    const bool has_counters = source_has_counters(o->source);
    const uint64_t begin = has_counters ? counter_value(rows[o->offset]) + rows[o->offset].step : 0;
    if (o->source == SOURCE_RANDOM)
        philox_draws(out, counter_value(rows[o->seed]), begin + first, n);
    else if (o->source == SOURCE_ROW)
        place_numbers(out, begin, 0, n);
    else
        place_numbers(out, first, 1, n);
}

void interp_run_row(interp *i, const struct kernel_row *rows, size_t count)
{
    for (size_t first = 0; first < count; first += INTERP_BLOCK) {
        const size_t n = count - first < INTERP_BLOCK ? count - first : INTERP_BLOCK;
        /* The lanes above n hold older numbers, whose results are not stored. */
        const size_t rounded = (n + INTERP_ROUND - 1) / INTERP_ROUND * INTERP_ROUND;
        for (const struct load *l = i->loads; l < i->loads + i->load_count; l++) {
            if (l->made)
                interp_make_row(l->block, l->made, rows, first, n);
            else
                array_read(l->block, l->elements, rows[l->operand], first, n);
        }
        for (const struct interp_step *s = i->steps; s < i->steps + i->step_count; s++) {
            if (s->run)
                s->run(s, rounded);
            else
                array_write(s->a, s->elements, rows[s->operand], first, n);
        }
    }
}
