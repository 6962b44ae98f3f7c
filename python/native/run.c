/* Runs calls on rows and columns. Checks them, shares them among threads, and provides the workspace of
 * sums. */
#include "call.h"
#include "pool.h"

#include <stdlib.h>

enum {
    /* The most elements of a call that keeps Python's lock. They take less time than another thread of Python
     * may take to give the lock back. */
    KEEPS_LOCK = 4096,
    /* The least elements of a call on several threads. Waking a thread takes some microseconds, at times
       tens. */
    SHARED = 1 << 15,
    TURN = 1 << 13,       /* the least elements of a thread's turn */
    NEAR_WORKSPACE = 4096 /* the most bytes of a workspace on the stack */
};

/* A call in pieces. A piece has some of the rows or, if a flat kernel has one row, some of the columns. */
struct pieces {
    const struct call *call;
    const actgen_operand *operands; /* followed by the workspace if the kernel has sums */
    size_t rows, cols, piece;
};

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

bool call_is_long(const struct call *call, size_t rows, size_t cols)
{
    return cols > KEEPS_LOCK / rows || !call->is_code;
}

bool call_is_shared(const struct call *call, size_t rows, size_t cols, size_t threads)
{
    return threads > 1 && call->is_code && cols >= SHARED / rows;
}

static void run_piece(void *context, size_t i)
{
    const struct pieces *p = context;
    actgen_operand here[MOST_OPERANDS];
    actgen_error error;
    size_t first = i * p->piece, all = p->rows > 1 ? p->rows : p->cols, size = least(p->piece, all - first);
    if (p->call->has_sums) {
        p->call->library.run_rows(p->call->kernel, first, size, p->rows, p->cols, p->operands,
                                  p->call->count + 1, &error);
        return;
    }
    if (p->rows > 1) {
        p->call->library.operands_at_row(p->call->kernel, first, p->cols, p->operands, here);
        p->call->function(size, p->cols, here);
        return;
    }
    for (size_t k = 0; k < p->call->count; k++) {
        const struct group *g = &p->call->groups[k];
        size_t offset = g->shape == ACTGEN_SHAPE_MATRIX ? first * g->bytes : 0;
        here[k] = (actgen_operand){(const char *)p->operands[k].data + offset, 0};
    }
    p->call->function(1, size, here);
}

size_t call_turn(size_t elements, size_t threads)
{
    size_t turn = elements / (4 * least(threads, POOL_MOST_THREADS)) / 64 * 64; /* whole cache lines */
    return turn > TURN ? turn : TURN;
}

/* Sets the length of pieces, and returns their number. There are several per thread. With sums, a piece is
 * made of whole blocks of rows. */
static size_t cut(struct pieces *p, size_t threads)
{
    size_t all = p->rows > 1 ? p->rows : p->call->is_flat ? p->cols : 1;
    if (p->rows > 1) {
        size_t least_rows = (TURN + p->cols - 1) / p->cols,
               some = all / (4 * least(threads, POOL_MOST_THREADS));
        size_t unit = p->call->has_sums ? ACTGEN_BLOCK_ROWS : 1;
        p->piece = ((some > least_rows ? some : least_rows) + unit - 1) / unit * unit;
    } else {
        p->piece = call_turn(all, threads);
    }
    return all / p->piece + (all % p->piece > 0);
}

/* Runs a call whose operands are complete. If there are sums, the workspace follows the operands. */
static bool run_ready(const struct call *call, size_t rows, size_t cols, const actgen_operand *operands,
                      size_t threads)
{
    const struct library *library = &call->library;
    const size_t given = call->count + call->has_sums;
    actgen_error error;
    struct pieces p = {call, operands, rows, cols, 0};
    size_t count = call_is_shared(call, rows, cols, threads) ? cut(&p, threads) : 1;
    if (count < 2) return !library->run(call->kernel, rows, cols, operands, given, &error);
    /* The library checks the whole call and not each piece, because a piece does not show overlaps with
     * another. */
    if (library->run_rows(call->kernel, 0, 0, rows, cols, operands, given, &error)) return false;
    pool_share(count, run_piece, &p, threads);
    return !call->has_sums || !library->finish(call->kernel, rows, cols, operands, given, &error);
}

/* Runs a call of a kernel with sums. A short workspace lies on the stack. */
static bool run_sums(const struct call *call, size_t rows, size_t cols, const actgen_operand *operands,
                     size_t threads)
{
    _Alignas(16) char near[NEAR_WORKSPACE];
    actgen_operand all[MOST_OPERANDS + 1];
    size_t size = call->library.workspace(call->kernel, rows, cols);
    if (size == SIZE_MAX) return false;
    void *far = size > sizeof near ? malloc(size) : NULL;
    if (size > sizeof near && !far) return false;
    for (size_t i = 0; i < call->count; i++) all[i] = operands[i];
    all[call->count] = (actgen_operand){far ? far : near, size};
    bool ok = run_ready(call, rows, cols, all, threads);
    free(far);
    return ok;
}

bool call_run_rows(const struct call *call, size_t rows, size_t cols, const actgen_operand *operands,
                   size_t threads)
{
    /* Python's own threads share sums by the interpreter, because they can report its errors. */
    if (call->has_sums && !call->is_code && threads > 1) return false;
    PyThreadState *state = call_is_long(call, rows, cols) ? PyEval_SaveThread() : NULL;
    bool ok = (call->has_sums ? run_sums : run_ready)(call, rows, cols, operands, threads);
    if (state) PyEval_RestoreThread(state);
    return ok;
}

/* Finds the distance from one row to the next, in elements. Returns false if the leading axes have no such
 * distance, or if rows would overlap. `width` is the number of elements of a row. */
static bool row_stride(const struct array *array, int axes, Py_ssize_t width, size_t *out)
{
    Py_ssize_t step = 0, rows = 1; /* of the axes after axis i */
    for (int i = axes - 1; i >= 0; i--) {
        if (array->shape[i] == 1) continue;
        if (rows > 1 && array->strides[i] != step * rows) return false;
        if (rows == 1) step = array->strides[i];
        rows *= array->shape[i];
    }
    *out = (size_t)step;
    return rows == 1 || step >= width;
}

/* Describes an array as an operand whose rows may lie apart. Returns false if this is not possible. */
static bool rows_apart(const struct array *array, const struct group *group, const struct sizes *sizes,
                       actgen_operand *out)
{
    *out = (actgen_operand){array->data, 0};
    if (array->is_dense) return true;
    Py_ssize_t width = group->shape == ACTGEN_SHAPE_MATRIX ? sizes->cols * (Py_ssize_t)group->parts : 1;
    if (group->shape != ACTGEN_SHAPE_MATRIX && group->shape != ACTGEN_SHAPE_ROWS) return false;
    if (group->shape == ACTGEN_SHAPE_MATRIX && width > 1 && array->strides[array->axes - 1] != 1)
        return false;
    return row_stride(array, sizes->axes, width, &out->stride);
}

bool call_run_arrays(const struct call *call, const struct array *arrays, const struct sizes *sizes,
                     size_t threads)
{
    actgen_operand operands[MOST_OPERANDS];
    size_t rows = (size_t)sizes->rows, cols = (size_t)sizes->cols;
    bool is_dense = true, has_rows = true;
    for (size_t i = 0; i < call->count; i++) {
        is_dense = is_dense && arrays[i].is_dense;
        has_rows = has_rows && rows_apart(&arrays[i], &call->groups[i], sizes, &operands[i]);
    }
    if (call->is_flat && !is_dense) return call_run_strided(call, arrays, sizes, threads);
    if (!has_rows) return false;
    return call->is_flat ? call_run_rows(call, 1, rows * cols, operands, threads)
                         : call_run_rows(call, rows, cols, operands, threads);
}
