/* Runs flat kernels on arrays of any strides.
 *
 * The elements of a flat kernel may come in any order. So axes are walked in the order in which they lie in
 * memory, and a transposed array becomes one row. Sometimes this leaves rows of a few elements, or elements
 * with gaps. A call of machine code for each of these would cost more than a copy. Then some thousand
 * elements at a time go through memory on the stack, which stays in the nearest cache. */
#include "call.h"
#include "pool.h"

#include <stdlib.h>
#include <string.h>

enum {
    LEAST_ROW = 64,       /* the least elements of a row that are worth a call without a copy */
    BLOCK_BYTES = 1 << 15 /* the bytes of the elements that are copied at a time */
};

/* The axes of a call, the outermost first. `step` is the distance of an operand's elements along an axis, in
 * bytes. */
struct walk {
    const struct call *call;
    int axes;
    size_t size[ARRAY_MOST_AXES], elements;
    ptrdiff_t step[ARRAY_MOST_AXES][MOST_OPERANDS];
    char *data[MOST_OPERANDS];
    bool is_copied[MOST_OPERANDS]; /* the operand's elements have gaps in the order of the walk */
    size_t block, turn;            /* the elements that are copied at a time; that a thread takes at a time */
};

static bool is_matrix(const struct call *call, size_t k)
{
    return call->groups[k].shape == ACTGEN_SHAPE_MATRIX;
}

static size_t distance(ptrdiff_t step) { return (size_t)(step < 0 ? -step : step); }

/* Returns true if axis `a` belongs outside axis `b`: the first operand with different steps along them has
 * the longer step along `a`. */
static bool is_outside(const struct walk *w, int a, int b)
{
    for (size_t k = 0; k < w->call->count; k++)
        if (distance(w->step[a][k]) != distance(w->step[b][k]))
            return distance(w->step[a][k]) > distance(w->step[b][k]);
    return false;
}

static void swap_axes(struct walk *w, int a, int b)
{
    ptrdiff_t step[MOST_OPERANDS];
    size_t size = w->size[a];
    w->size[a] = w->size[b];
    w->size[b] = size;
    memcpy(step, w->step[a], sizeof step);
    memcpy(w->step[a], w->step[b], sizeof step);
    memcpy(w->step[b], step, sizeof step);
}

static void sort_axes(struct walk *w)
{
    for (int i = 1; i < w->axes; i++)
        for (int j = i; j > 0 && is_outside(w, j, j - 1); j--) swap_axes(w, j, j - 1);
}

/* Joins axes that follow each other without a gap in every operand. */
static void merge_axes(struct walk *w)
{
    int kept = 0;
    for (int i = 1; i < w->axes; i++) {
        bool follows = true;
        for (size_t k = 0; k < w->call->count; k++)
            follows = follows && w->step[kept][k] == w->step[i][k] * (ptrdiff_t)w->size[i];
        size_t before = follows ? w->size[kept] : 1;
        kept += !follows;
        if (kept != i || follows) memcpy(w->step[kept], w->step[i], sizeof w->step[i]);
        w->size[kept] = before * w->size[i];
    }
    w->axes = w->axes ? kept + 1 : 0;
}

static void make_walk(struct walk *w, const struct call *call, const struct array *arrays,
                      const struct sizes *sizes)
{
    w->call = call;
    w->axes = 0;
    w->elements = (size_t)sizes->rows * (size_t)sizes->cols;
    for (size_t k = 0; k < call->count; k++) w->data[k] = arrays[k].data;
    for (int i = 0; i <= sizes->axes; i++) {
        Py_ssize_t size = i < sizes->axes ? sizes->lead[i] : sizes->cols;
        if (size == 1) continue;
        for (size_t k = 0; k < call->count; k++)
            w->step[w->axes][k] =
                is_matrix(call, k) ? arrays[k].strides[i] * (ptrdiff_t)call->groups[k].bytes : 0;
        w->size[w->axes++] = (size_t)size;
    }
    sort_axes(w);
    merge_axes(w);
}

/* ---- overlaps ---- */

struct span {
    uintptr_t low, high;
};

static struct span span_of(const struct walk *w, size_t k)
{
    struct span out = {(uintptr_t)w->data[k], (uintptr_t)w->data[k] + w->call->groups[k].bytes};
    if (!is_matrix(w->call, k)) out.high += (w->call->groups[k].parts - 1) * w->call->groups[k].bytes;
    for (int i = 0; i < w->axes; i++) {
        size_t reach = (w->size[i] - 1) * distance(w->step[i][k]);
        if (w->step[i][k] < 0)
            out.low -= reach;
        else
            out.high += reach;
    }
    return out;
}

static bool have_equal_steps(const struct walk *w, size_t a, size_t b)
{
    for (int i = 0; i < w->axes; i++)
        if (w->step[i][a] != w->step[i][b]) return false;
    return w->data[a] == w->data[b];
}

/* Returns true if no two elements of an operand share memory, as far as its steps show. Each step must be
 * longer than the reach of the shorter ones. */
static bool has_own_places(const struct walk *w, size_t k)
{
    size_t reach = w->call->groups[k].bytes, before = 0;
    for (int turn = 0; turn < w->axes; turn++) {
        int next = -1;
        for (int i = 0; i < w->axes; i++) /* the shortest step that is left */
            if (distance(w->step[i][k]) > before &&
                (next < 0 || distance(w->step[i][k]) < distance(w->step[next][k])))
                next = i;
        if (next < 0 || distance(w->step[next][k]) < reach) return false;
        before = distance(w->step[next][k]);
        reach += (w->size[next] - 1) * before;
    }
    return true;
}

/* Returns true if no result overlaps an operand, except that it may replace an input of its type. */
static bool is_apart(const struct walk *w, const struct array *arrays)
{
    for (size_t i = w->call->inputs; i < w->call->count; i++) {
        struct span mine = span_of(w, i);
        if (!has_own_places(w, i)) return false;
        for (size_t k = 0; k < w->call->count; k++) {
            struct span other = span_of(w, k);
            bool overlaps = k != i && mine.low < other.high && other.low < mine.high;
            bool in_place = k < w->call->inputs && arrays[i].dtype == arrays[k].dtype &&
                            is_matrix(w->call, k) && have_equal_steps(w, i, k);
            if (overlaps && !in_place) return false;
        }
    }
    return true;
}

/* ---- copies ---- */

/* Copies elements between memory whose elements lie `to_step` and `from_step` bytes apart. */
static void copy_run(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, size_t count,
                     size_t bytes)
{
    if (to_step == (ptrdiff_t)bytes && from_step == (ptrdiff_t)bytes) {
        memcpy(to, from, count * bytes);
        return;
    }
    switch (bytes) { /* so that the compiler knows each size */
    case 1:
        for (; count; count--, to += to_step, from += from_step) *to = *from;
        break;
    case 2:
        for (; count; count--, to += to_step, from += from_step) memcpy(to, from, 2);
        break;
    case 4:
        for (; count; count--, to += to_step, from += from_step) memcpy(to, from, 4);
        break;
    default:
        for (; count; count--, to += to_step, from += from_step) memcpy(to, from, 8);
    }
}

/* Copies `count` elements of input `k`, from element `first` of the walk on, to memory without gaps. If `k`
 * is a result, copies them back. */
static void copy_block(const struct walk *w, size_t k, size_t first, size_t count, char *near)
{
    const ptrdiff_t bytes = (ptrdiff_t)w->call->groups[k].bytes;
    const int last = w->axes - 1;
    size_t index[ARRAY_MOST_AXES];
    char *at = w->data[k];
    for (int i = last; i >= 0; first /= w->size[i], i--) {
        index[i] = first % w->size[i];
        at += (ptrdiff_t)index[i] * w->step[i][k];
    }
    while (count) {
        const ptrdiff_t step = w->step[last][k];
        size_t left = w->size[last] - index[last], run = count < left ? count : left;
        if (k < w->call->inputs)
            copy_run(near, bytes, at, step, run, (size_t)bytes);
        else
            copy_run(at, step, near, bytes, run, (size_t)bytes);
        near += (ptrdiff_t)run * bytes;
        count -= run;
        index[last] += run;
        at += (ptrdiff_t)run * step;
        for (int i = last; i > 0 && index[i] == w->size[i]; i--) {
            at += w->step[i - 1][k] - (ptrdiff_t)w->size[i] * w->step[i][k];
            index[i] = 0;
            index[i - 1]++;
        }
    }
}

static void run_block(const struct walk *w, size_t first, size_t count, char *near)
{
    actgen_operand here[MOST_OPERANDS];
    char *room[MOST_OPERANDS];
    for (size_t k = 0; k < w->call->count; k++) {
        size_t bytes = w->call->groups[k].bytes;
        room[k] = w->is_copied[k] ? near : w->data[k] + (is_matrix(w->call, k) ? first * bytes : 0);
        if (w->is_copied[k]) near += w->block * bytes;
        if (w->is_copied[k] && k < w->call->inputs) copy_block(w, k, first, count, room[k]);
        here[k] = (actgen_operand){room[k], 0};
    }
    w->call->function(1, count, here);
    for (size_t k = w->call->inputs; k < w->call->count; k++)
        if (w->is_copied[k]) copy_block(w, k, first, count, room[k]);
}

static void run_turn(void *context, size_t i)
{
    const struct walk *w = context;
    _Alignas(64) char near[BLOCK_BYTES];
    size_t end = (i + 1) * w->turn < w->elements ? (i + 1) * w->turn : w->elements;
    for (size_t first = i * w->turn; first < end; first += w->block)
        run_block(w, first, end - first < w->block ? end - first : w->block, near);
}

/* Finds which operands are copied, and how many elements at a time. */
static void plan_copies(struct walk *w)
{
    size_t all = 0;
    for (size_t k = 0; k < w->call->count; k++) {
        ptrdiff_t follows = (ptrdiff_t)w->call->groups[k].bytes;
        w->is_copied[k] = false;
        for (int i = w->axes - 1; i >= 0 && is_matrix(w->call, k); follows *= (ptrdiff_t)w->size[i--])
            w->is_copied[k] = w->is_copied[k] || w->step[i][k] != follows;
        if (w->is_copied[k]) all += w->call->groups[k].bytes;
    }
    w->block = BLOCK_BYTES / (all ? all : 1) / 64 * 64;
}

static bool run_copies(struct walk *w, size_t threads)
{
    plan_copies(w);
    bool is_shared = call_is_shared(w->call, 1, w->elements, threads);
    w->turn = is_shared ? call_turn(w->elements, threads) : w->elements;
    size_t turns = w->elements / w->turn + (w->elements % w->turn > 0);
    PyThreadState *state = call_is_long(w->call, 1, w->elements) ? PyEval_SaveThread() : NULL;
    if (turns > 1)
        pool_share(turns, run_turn, w, threads);
    else
        run_turn(w, 0);
    if (state) PyEval_RestoreThread(state);
    return true;
}

/* ---- rows ---- */

/* Finds the operands of a call on rows. Returns false unless the walk is one row, or has rows that are long
 * enough. */
static bool rows_of(const struct walk *w, actgen_operand *out, size_t *rows, size_t *cols)
{
    *cols = w->axes ? w->size[w->axes - 1] : 1;
    *rows = w->axes == 2 ? w->size[0] : 1;
    if (w->axes > 2 || (w->axes == 2 && *cols < LEAST_ROW)) return false;
    for (size_t k = 0; k < w->call->count; k++) {
        ptrdiff_t bytes = (ptrdiff_t)w->call->groups[k].bytes, stride = w->axes == 2 ? w->step[0][k] : 0;
        out[k] = (actgen_operand){w->data[k], (size_t)(stride / bytes)};
        if (!is_matrix(w->call, k) || !w->axes) continue;
        if (w->step[w->axes - 1][k] != bytes) return false;
        if (w->axes == 2 && stride < (ptrdiff_t)*cols * bytes) return false;
    }
    return true;
}

bool call_run_strided(const struct call *call, const struct array *arrays, const struct sizes *sizes,
                      size_t threads)
{
    struct walk w;
    actgen_operand operands[MOST_OPERANDS];
    size_t rows, cols;
    for (size_t k = 0; k < call->count; k++) {
        if (!is_matrix(call, k) && !arrays[k].is_dense) return false;
        if ((uintptr_t)arrays[k].data % call->groups[k].bytes) return false;
    }
    make_walk(&w, call, arrays, sizes);
    if (rows_of(&w, operands, &rows, &cols)) return call_run_rows(call, rows, cols, operands, threads);
    return call->function && is_apart(&w, arrays) && run_copies(&w, threads);
}
