/* Finds what is known of a function before its first instruction: lanes, streams, values that do not vary,
 * the form of its loops. */
#include "build_loops.h"
#include "philox.h"

#include <stdlib.h>

/* Finds the values that do not vary with the column: loads of such operands, and values computed only from
 * such values and constants. */
static void find_uniform(uint8_t *uniform, const struct lane_kernel *kernel)
{
    for (uint32_t n = 0; n < kernel->program->count; n++) {
        const struct lane_instruction *i = &kernel->program->code[n];
        enum uniformity least = ONCE;
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) {
            const uint32_t v = i->operand[k];
            const bool is_constant = kernel->program->code[v].op == LANE_CONST;
            if (!is_constant && uniform[v] < least) least = (enum uniformity)uniform[v];
        }
        if (i->op == LANE_LOAD) least = uniformity_of(&kernel->operands[i->index]);
        uniform[n] = i->op == LANE_CONST || i->op == LANE_STORE ? VARIES : (uint8_t)least;
    }
}

/* Finds values that are computed again in a later stage instead of carried from turn to turn. Mask registers
 * are few, and copying one takes as long as comparing again. */
static void find_cheap(uint8_t *cheap, const uint8_t *uniform, const uint32_t *rare,
                       const struct lane_kernel *kernel)
{
    const struct lane_instruction *code = kernel->program->code;
    for (uint32_t n = 0; n < kernel->program->count; n++) {
        const enum lane_op op = code[n].op;
        bool is_cheap = lane_ops[op].class[0] == CLASS_COMPARE || op == LANE_BITCAST;
        for (unsigned k = 0; k < lane_ops[op].arity; k++) {
            const uint32_t v = code[n].operand[k];
            is_cheap &= cheap[v] || uniform[v] || code[v].op == LANE_CONST;
        }
        if (op == LANE_LOAD) is_cheap = loads_cheaply(&kernel->operands[code[n].index]);
        cheap[n] = is_cheap && !uniform[n] && !rare[n];
    }
}

/* The lengths of the arrays of *b and *l, in `values` and `numbers`. */
struct needs {
    size_t values, numbers;
};

static struct needs needs_of(const struct lane_kernel *k)
{
    const size_t per_vector = k->program->count * (size_t)(1 + PIPELINE_MAX_STAGES);
    const size_t names = name_count(k);
    return (struct needs){PIPELINE_MAX_UNROLL * (per_vector + names) + 4 * (size_t)k->program->count +
                              (1 + TABLE_REGISTERS) * (size_t)k->program->table_count + 8 * names +
                              (size_t)PHILOX_ROUNDS * PHILOX_KEYS * k->draw_count,
                          9 * (size_t)k->program->count};
}

static void give_arrays(struct build *b, struct loops *l, LLVMValueRef *values, uint16_t *numbers)
{
    const size_t count = b->program->count, names = name_count(b->what->kernel);
    b->rare = (uint32_t *)numbers;
    numbers += 2 * count;
    b->pipeline = (struct pipeline){.depth = numbers, .last = numbers + count};
    b->place = numbers + 2 * count;
    b->pipeline.stage = (uint8_t *)(numbers + 3 * count);
    b->pipeline.last_use = b->pipeline.stage + count;
    b->pipeline.first_use = b->pipeline.last_use + count;
    b->pipeline.made_in = b->pipeline.first_use + count;
    b->uniform = b->pipeline.made_in + count;
    b->cheap = b->uniform + count;
    b->low_bits = b->cheap + count;
    b->all_values = b->values = values;
    b->carried = b->all_values + PIPELINE_MAX_UNROLL * count;
    b->row_values = b->carried + PIPELINE_MAX_UNROLL * count * PIPELINE_MAX_STAGES;
    b->row_scalars = b->row_values + count;
    b->placed = b->row_scalars + count;
    b->held_constants = b->placed + count;
    b->moved = b->held_constants + count;
    b->tables = b->moved + PIPELINE_MAX_UNROLL * names;
    b->held = b->tables + b->program->table_count;
    l->data = b->held + TABLE_REGISTERS * (size_t)b->program->table_count;
    l->first = l->data + names;
    l->stride = l->first + names;
    l->data_ahead = l->stride + names;
    l->sum = l->data_ahead + names;
    l->sum_in_loop = l->sum + names;
    l->partial_sum = l->sum_in_loop + names;
    b->seeds = l->partial_sum + names;
    b->keys = b->seeds + names;
}

void close_build(struct build *b)
{
    free(b->all_values);
    free(b->rare);
    free(b->streams);
}

/* Returns the number of lanes that fill a register, if all lanes are as narrow as the narrowest numbers. */
static unsigned lanes_of_register(const struct backend_function *what)
{
    const lane_program *p = what->kernel->program;
    unsigned narrowest = lane_type_bytes(LANE_F32);
    for (uint32_t n = 0; n < p->count; n++)
        if (lane_is_number(p->code[n].type) && lane_type_bytes(p->code[n].type) < narrowest)
            narrowest = lane_type_bytes(p->code[n].type);
    return what->isa->vector_bytes / narrowest;
}

/* Returns the number of lanes. A thread of a grid takes as many of the smallest elements as the widest access
 * has, so that it moves all elements by such accesses. */
static unsigned lanes_for(const struct backend_function *what)
{
    const struct lane_kernel *k = what->kernel;
    unsigned least = lane_type_bytes(LANE_F64);
    if (!target_has_grid(what->isa)) return lanes_of_register(what);
    for (uint32_t i = 0; i < k->operand_count; i++) {
        const unsigned bytes = element_types[k->operands[i].type].bytes;
        if (!uniformity_of(&k->operands[i]) && bytes < least) least = bytes;
    }
    return what->isa->grid.access_bytes / least;
}

static unsigned least_unroll(const struct build *b)
{
    const unsigned pair = draw_unroll(b), sums = row_sum_unroll(b), most = pair > sums ? pair : sums;
    return b->split > most ? b->split : most;
}

static bool has_halves(const struct lane_kernel *k)
{
    for (uint32_t i = 0; i < k->operand_count; i++)
        if (element_is_half(k->operands[i].type) && !uniformity_of(&k->operands[i])) return true;
    return false;
}

/* Returns true if a result has 8 or 16 bits, and an input that varies is f32. */
static bool narrows(const struct lane_kernel *k)
{
    bool from_f32 = false, to_half = false;
    for (uint32_t i = 0; i < k->operand_count; i++) {
        const struct kernel_operand *o = &k->operands[i];
        if (o->is_result) to_half = to_half || element_is_half(o->type);
        if (!o->is_result && !uniformity_of(o)) from_f32 = from_f32 || o->type == ELEMENT_F32;
    }
    return from_f32 && to_half;
}

/* Returns true if a second loop for whole vectors would take more code than it saves time. One loop tells
 * whole vectors from partial ones by a mask of bits, or by a branch (build_memory.c). The branch doubles the
 * time of ReLU, and takes less than a tenth of the time of programs with more operations than here. */
static bool wants_one_loop(const struct build *b)
{
    enum { FEW_OPERATIONS = 12 };
    if (b->options->quick) return b->isa->mask_registers;
    return b->options->compact && b->pipeline.operations > FEW_OPERATIONS;
}

bool open_build(struct build *b, struct loops *l, const struct backend_function *what,
                const struct backend_options *options)
{
    const struct needs needs = needs_of(what->kernel);
    const struct loop_choice plain = {1, 1, CONSTANTS_IN_REGISTERS};
    *b = (struct build){.what = what,
                        .options = options,
                        .program = what->kernel->program,
                        .isa = what->isa,
                        .lanes = lanes_for(what)};
    LLVMValueRef *values = calloc(needs.values, sizeof *values);
    uint16_t *numbers = calloc(needs.numbers, sizeof *numbers);
    b->streams = calloc(name_count(what->kernel), sizeof *b->streams);
    b->all_values = values;
    b->rare = (uint32_t *)numbers;
    if (!values || !numbers || !b->streams) return false;
    give_arrays(b, l, values, numbers);
    b->stream_count = find_streams(b->streams, what->kernel);
    find_uniform(b->uniform, what->kernel);
    find_rare(b->rare, b->uniform, b->program);
    b->split = backend_has_short_loops(options) ? 1 : choose_split(b);
    b->shares_counters = draw_unroll(b) > 1;
    b->adds_in_loop = add_in_loop(b);
    add_totals(b);
    find_low_bits(b->low_bits, what->kernel, b->isa->nan_of_ones);
    find_cheap(b->cheap, b->uniform, b->rare, what->kernel);
    pipeline_plan(&b->pipeline, b->program,
                  &(struct pipeline_facts){.uniform = b->uniform,
                                           .cheap = b->cheap,
                                           .rare = b->rare,
                                           .isa = b->isa,
                                           .core = what->core ? &what->core->loops : &b->isa->costs->loops,
                                           .least_unroll = least_unroll(b),
                                           .packs = b->split > 1,
                                           .converts = b->split == 1 && has_halves(what->kernel),
                                           .narrows = narrows(what->kernel),
                                           .draws = b->shares_counters,
                                           .wanted = backend_has_short_loops(options) ? plain : what->loop});
    b->has_one_loop = wants_one_loop(b);
    return true;
}

size_t backend_loops(struct loop_choice *out, const struct backend_function *function)
{
    struct backend_function estimated = *function;
    struct build b;
    struct loops l = {0};
    const struct backend_options ordinary = {0};
    estimated.loop = (struct loop_choice){0};
    const bool opened = open_build(&b, &l, &estimated, &ordinary);
    const size_t count =
        opened ? pipeline_loops(out, &b.pipeline, least_unroll(&b), has_constants_to_place(&b)) : 0;
    close_build(&b);
    return count;
}
