/* Compares the plans and loops that costs choose for this processor with those that times choose. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4096, BOUNDS = 4, MOST_CELLS = 128 };
const double estimate_limit = 1.05, worst_estimate_limit = 1.15;

static const char *const bounds[BOUNDS] = {"abs 2^-10", "abs 2^-20", "abs 2^-22", "3 ulp"};

struct side_of_cell {
    actgen_fn function;
    const struct filled_operands *operands;
};

static void run(const void *context)
{
    const struct side_of_cell *s = context;
    s->function(s->operands->shape.rows, s->operands->shape.cols, s->operands->list);
}

/* Returns the estimate's time as a multiple of the winner's. Disturbances only make times longer, so the two
 * are timed again where the estimate seems to lose. Returns 0 if out of memory. */
static double compare(const actgen_kernel *estimate, const actgen_kernel *winner)
{
    enum { RUNS = 6 };
    struct filled_operands operands;
    const struct timing_limits limits = {
        .slice_ns = 20e3, .rounds = 4 * USUAL_STACK_PLACES, .least_rounds = 4 * USUAL_STACK_PLACES};
    struct timing times[2];
    double least[2] = {0};
    if (!strcmp(actgen_kernel_object_hash(estimate), actgen_kernel_object_hash(winner))) return 1;
    bool done = filled_open(&operands, estimate, (struct call_shape){1, COLUMNS, 0}, NULL);
    const struct side_of_cell sides[] = {{actgen_kernel_fn(estimate), &operands},
                                         {actgen_kernel_fn(winner), &operands}};
    const struct timed_call calls[] = {{run, &sides[0]}, {run, &sides[1]}};
    for (int n = 0; n < RUNS && done && (!n || least[0] > estimate_limit * least[1]); n++) {
        done = time_in_turn(calls, 2, &limits, times);
        for (int i = 0; i < 2 && done; i++)
            if (!n || times[i].min < least[i]) least[i] = times[i].min;
    }
    filled_close(&operands);
    return done ? least[0] / least[1] : 0;
}

struct cell {
    double ratio;
    const char *function, *bound;
};

static int ascending(const void *a, const void *b)
{
    const double x = ((const struct cell *)a)->ratio, y = ((const struct cell *)b)->ratio;
    return (x > y) - (x < y);
}

bool compare_estimates(struct estimate_figures *out, const char *isa)
{
    struct cell cells[MOST_CELLS];
    size_t count = 0;
    *out = (struct estimate_figures){.ninth_decile = 0};
    for (const struct bench_function *f = bench_functions; f->name && actgen_isa_runs_here(isa) == 1; f++)
        for (int b = 0; b < BOUNDS && count < MOST_CELLS && f->has_goals; b++) {
            actgen_kernel *estimate = bench_builtin_planned(f->name, bounds[b], isa, ACTGEN_PLAN_ESTIMATE),
                          *winner = bench_builtin_planned(f->name, bounds[b], isa, ACTGEN_PLAN_MEASURE);
            cells[count] = (struct cell){0, f->name, bounds[b]};
            if (estimate && winner) cells[count].ratio = compare(estimate, winner);
            count += cells[count].ratio > 0;
            actgen_kernel_free(estimate);
            actgen_kernel_free(winner);
        }
    if (!count) return false;
    qsort(cells, count, sizeof *cells, ascending);
    *out = (struct estimate_figures){cells[(count - 1) * 9 / 10].ratio, cells[count - 1].ratio,
                                     cells[count - 1].function, cells[count - 1].bound};
    return true;
}
