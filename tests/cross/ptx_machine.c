/* Runs PTX where there is no GPU, one thread after another. The threads of a warp wait for each other where
 * they exchange registers, or meet. Operands are in this machine's memory, at the given addresses. An access
 * that is not aligned to its size ends the program, as it would on a GPU. */
#include "ptx_text.h"

#include <stdlib.h>
#include <string.h>

enum { WARP = 32, MOST_CALLS = 2 };

struct frame {
    const struct function *function;
    size_t at;
    u64 parameters[MOST_PARAMETERS], passed[MOST_PARAMETERS];
};

struct thread {
    /* A called function shares the registers, because nothing is used after a call. */
    u64 registers[SPECIAL_END];
    struct frame frames[MOST_CALLS];
    unsigned depth; /* of calls; 0: the thread has ended */
    const struct instruction *waits;
};

static struct thread *warp; /* WARP threads */

static u64 get(const struct thread *t, const struct value *v)
{
    return v->at < 0 ? v->bits : t->registers[v->at];
}

static unsigned char *memory_of(const struct thread *t, const struct instruction *i)
{
    const u64 address = get(t, &i->address) + i->offset;
    if (address % (i->count * i->bytes))
        ptx_give_up("an access of %u bytes that is not aligned", i->count * i->bytes);
    return (unsigned char *)(uintptr_t)address;
}

/* Loads values. The machine is little-endian, as a GPU is. */
static void load(struct thread *t, const struct instruction *i, const unsigned char *from)
{
    for (unsigned n = 0; n < i->count; n++) {
        t->registers[i->to[n]] = 0;
        memcpy(&t->registers[i->to[n]], from + n * i->bytes, i->bytes);
        const u64 sign = UINT64_C(1) << (8 * i->bytes - 1);
        if (i->is_signed) t->registers[i->to[n]] = (t->registers[i->to[n]] ^ sign) - sign;
    }
}

static void store(const struct thread *t, const struct instruction *i, unsigned char *to)
{
    for (unsigned n = 0; n < i->count; n++) {
        const u64 bits = get(t, &i->from[n]);
        memcpy(to + n * i->bytes, &bits, i->bytes);
    }
}

static void compute(struct thread *t, const struct instruction *i)
{
    const u64 in[3] = {get(t, &i->from[0]), get(t, &i->from[1]), get(t, &i->from[2])};
    t->registers[i->to[0]] = i->compute(in);
}

static void split_or_join(struct thread *t, const struct instruction *i)
{
    const unsigned bits = 8 * i->bytes;
    const u64 low = (UINT64_C(1) << bits) - 1, from = get(t, &i->from[0]);
    if (i->what == SPLIT) {
        t->registers[i->to[0]] = from & low;
        t->registers[i->to[1]] = from >> bits & low;
    } else {
        t->registers[i->to[0]] = (from & low) | (get(t, &i->from[1]) & low) << bits;
    }
}

static void call(struct thread *t, const struct function *f, const u64 *parameters)
{
    if (t->depth == MOST_CALLS) ptx_give_up("too many calls");
    struct frame *frame = &t->frames[t->depth++];
    *frame = (struct frame){.function = f};
    memcpy(frame->parameters, parameters, sizeof frame->parameters);
}

/* Runs one instruction of the thread. */
static void step(struct thread *t)
{
    struct frame *f = &t->frames[t->depth - 1];
    if (f->at == f->function->count) {
        t->depth--;
        return;
    }
    const struct instruction *i = &f->function->code[f->at++];
    if (i->condition >= 0 && !t->registers[i->condition] == !i->negated) return;
    if ((i->what == LOAD_PARAMETER || i->what == STORE_PARAMETER) && i->offset >= sizeof f->passed)
        ptx_give_up("too many parameters");
    switch (i->what) {
    case COMPUTE: compute(t, i); break;
    case SPLIT:
    case JOIN: split_or_join(t, i); break;
    case LOAD: load(t, i, memory_of(t, i)); break;
    case STORE: store(t, i, memory_of(t, i)); break;
    case LOAD_PARAMETER: load(t, i, (const unsigned char *)f->parameters + i->offset); break;
    case STORE_PARAMETER: store(t, i, (unsigned char *)f->passed + i->offset); break;
    case CALL: call(t, ptx_function_at(i->target), f->passed); break;
    case BRANCH: f->at = i->target; break;
    case RETURN: t->depth--; break;
    case TRAP: ptx_give_up("a trap");
    case EXCHANGE:
    case MEET: t->waits = i; break;
    }
}

/* Goes on behind the instruction that all threads of the warp wait at. On a GPU it would be undefined for
 * some of them to have ended, or to wait elsewhere. */
static void meet(unsigned count)
{
    u64 from[WARP];
    const struct instruction *i = warp[0].waits;
    if (count != WARP) ptx_give_up("an exchange in a warp of %u threads", count);
    for (unsigned n = 0; n < count; n++)
        if (warp[n].waits != i) ptx_give_up("threads of a warp wait at different places");
    for (unsigned n = 0; n < count && i->what == EXCHANGE; n++) from[n] = get(&warp[n], &i->from[0]);
    for (unsigned n = 0; n < count; n++) {
        if (i->what == EXCHANGE) warp[n].registers[i->to[0]] = from[n ^ get(&warp[n], &i->from[1])];
        warp[n].waits = NULL;
    }
}

static void run_warp(unsigned count)
{
    for (bool goes_on = true; goes_on;) {
        goes_on = false;
        for (unsigned n = 0; n < count; n++) {
            while (warp[n].depth && !warp[n].waits) step(&warp[n]);
            goes_on |= warp[n].waits != NULL;
        }
        if (goes_on) meet(count);
    }
}

static bool exchanges(const struct function *f)
{
    for (const struct instruction *i = f->code; i < f->code + f->count; i++)
        if (i->what == EXCHANGE || (i->what == CALL && exchanges(ptx_function_at(i->target)))) return true;
    return false;
}

bool ptx_machine_needs_warps(const char *entry) { return exchanges(ptx_function(entry)); }

void ptx_machine_launch(const char *entry, struct ptx_grid grid, size_t rows, size_t cols,
                        const struct cross_operand *operands)
{
    const struct function *f = ptx_function(entry);
    u64 parameters[MOST_PARAMETERS] = {rows, cols};
    memcpy(&parameters[2], operands, CROSS_NAMES * sizeof *operands);
    const unsigned x = grid.threads[0], y = grid.threads[1], threads = x * y;
    if (!warp && !(warp = calloc(WARP, sizeof *warp))) ptx_give_up("no memory");
    for (unsigned block = 0; block < grid.blocks[0] * grid.blocks[1]; block++)
        for (unsigned first = 0; first < threads; first += WARP) {
            const unsigned count = threads - first < WARP ? threads - first : WARP;
            for (unsigned n = 0; n < count; n++) {
                u64 *r = warp[n].registers;
                r[NTID_X] = x, r[NTID_Y] = y;
                r[NCTAID_X] = grid.blocks[0], r[NCTAID_Y] = grid.blocks[1];
                r[CTAID_X] = block % grid.blocks[0], r[CTAID_Y] = block / grid.blocks[0];
                r[TID_X] = (first + n) % x, r[TID_Y] = (first + n) / x;
                warp[n].depth = 0;
                warp[n].waits = NULL;
                call(&warp[n], f, parameters);
            }
            run_warp(count);
        }
}
