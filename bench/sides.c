/* Makes the two sides of a pair, and times them. */
#include "sides.h"

#include <string.h>

static const struct call_shape shapes[] = {
    [IN_L2] = {1, 32768, 0},
    [IN_DRAM] = {1, 1 << 24, 0},
    [CONTIGUOUS] = {11, 2880, 0},
    [STRIDED] = {11, 2880, 5760},
    [ROWS] = {ROW_ELEMENTS / ROW_COLS, ROW_COLS, 0},
    [SHORT_ROWS] = {ROW_ELEMENTS / 64, 64, 0},
    [LONG_ROWS] = {ROW_ELEMENTS / 32768, 32768, 0},
};

size_t place_elements(enum place place) { return shapes[place].rows * shapes[place].cols; }

/* The calls of a side: one or two kernels, or a library's loop. */
struct prepared {
    actgen_kernel *kernel[2];        /* the second may be NULL */
    struct filled_operands operands; /* of both kernels */
    const struct peer_row *row;
};

/* Calls the loop once. Returns false if it wrote nothing, since the library refuses the type or the shape. */
static bool writes(const struct prepared *p, const struct side *side)
{
    const struct call_shape *shape = &p->operands.shape;
    void *const y = (void *)p->operands.list[1].data;
    char before[64];
    memcpy(before, y, sizeof before);
    p->row->typed(shape->rows * shape->cols, p->operands.list[0].data, y);
    const bool written = memcmp(before, y, sizeof before) != 0;
    if (!written)
        fprintf(stderr, "actgen_bench: %s refuses %s of %s\n", side->library, side->kernel, side->type);
    return written;
}

/* Prepares a library's loop over an array. */
static bool prepare_loop(struct prepared *p, const struct side *side)
{
    const int type = !strcmp(side->type, "bf16")  ? ACTGEN_BF16
                     : !strcmp(side->type, "f32") ? ACTGEN_F32
                     : !strcmp(side->type, "i8")  ? ACTGEN_I8
                                                  : ACTGEN_F64;
    struct filled_operands *o = &p->operands;
    p->row = find_typed(side->library, side->kernel, side->type);
    *o = (struct filled_operands){.shape = shapes[side->place], .count = 2};
    for (size_t i = 0; i < o->count; i++)
        o->list[i].data = array_filled(type, o->shape.rows * o->shape.cols, i, NULL);
    return p->row && o->list[0].data && o->list[1].data && writes(p, side);
}

static bool prepare(struct prepared *p, const char *spec, const struct side *side)
{
    const char *names[2] = {side->kernel, side->then};
    *p = (struct prepared){0};
    if (side->library && strcmp(side->library, BUILT_IN) != 0) return prepare_loop(p, side);
    for (int k = 0; k < 2 && names[k]; k++) {
        p->kernel[k] = side->library ? bench_builtin_typed(side->kernel, side->type, NULL, side->isa)
                                     : bench_compile(spec, names[k], side->isa, side->streaming);
        if (!p->kernel[k]) return false;
    }
    return filled_open(&p->operands, p->kernel[0], shapes[side->place], NULL);
}

static void run(const void *context)
{
    const struct prepared *p = context;
    const struct call_shape *shape = &p->operands.shape;
    const actgen_operand *list = p->operands.list;
    if (p->row) p->row->typed(shape->rows * shape->cols, list[0].data, (void *)list[1].data);
    for (int k = 0; k < 2 && p->kernel[k]; k++) {
        const actgen_fn fn = actgen_kernel_fn(p->kernel[k]); /* NULL for kernels with sums */
        if (fn)
            fn(shape->rows, shape->cols, list);
        else
            actgen_run(p->kernel[k], shape->rows, shape->cols, list, p->operands.count, NULL);
    }
}

static void prepared_free(struct prepared *p)
{
    for (int k = 0; k < 2; k++) actgen_kernel_free(p->kernel[k]);
    filled_close(&p->operands);
}

void pair_time(struct pair *out, const char *spec, const struct side *measured, const struct side *with,
               double seconds)
{
    struct prepared sides[2];
    const bool ready[2] = {prepare(&sides[0], spec, measured), prepare(&sides[1], spec, with)};
    const struct timed_call calls[2] = {{run, &sides[0]}, {run, &sides[1]}};
    *out = (struct pair){.bound = ""};
    if (sides[0].kernel[0])
        snprintf(out->bound, sizeof out->bound, "%s", actgen_kernel_accuracy(sides[0].kernel[0]));
    if (ready[0] && ready[1]) measure_calls(calls, 2, seconds, out->times);
    for (int k = 0; k < 2; k++) prepared_free(&sides[k]);
}
