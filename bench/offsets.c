/* Times a kernel at each place of the stack where its frame can lie in a page, over all templates. Code that
 * spills vectors across cache lines or pages would take several times as long in some processes as in
 * others. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const isas[] = {"avx512", "avx2"};
static const char *const accuracies[] = {"3 ulp", "abs 2^-22"};
const double worst_place_limit = 1.5;

struct walk {
    const char *isas, *only; /* lists with commas; NULL: all */
    void (*visit)(void *context, const char *isa, const struct place_figures *figures);
    void *context;
    const char *accuracy, *isa;
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Times the places. Disturbances only make times longer. So if places differ much, they are timed again, and
 * the least time of each place counts. */
static void time_places(struct place_figures *f, const struct timed_call *call)
{
    enum { RUNS = 20, ROUNDS = 8 * ALL_STACK_PLACES };
    double least[ALL_STACK_PLACES], sorted[ALL_STACK_PLACES];
    struct timing_limits limits = {.slice_ns = 3e3,
                                   .rounds = ROUNDS,
                                   .least_rounds = ROUNDS,
                                   .stack_places = ALL_STACK_PLACES,
                                   .least_at_place = least};
    for (size_t i = 0; i < ALL_STACK_PLACES; i++) least[i] = INFINITY;
    for (int run = 0; run < RUNS && (!run || f->worst > worst_place_limit * f->best); run++) {
        struct timing unused;
        if (!time_in_turn(call, 1, &limits, &unused)) return;
        memcpy(sorted, least, sizeof sorted);
        qsort(sorted, ALL_STACK_PLACES, sizeof *sorted, ascending);
        f->best = sorted[0];
        f->median = sorted[ALL_STACK_PLACES / 2];
        f->worst = sorted[ALL_STACK_PLACES - 1];
    }
}

struct prepared_kernel {
    actgen_kernel *kernel;
    struct filled_operands operands;
};

static void run(const void *context)
{
    const struct prepared_kernel *k = context;
    actgen_kernel_fn(k->kernel)(k->operands.shape.rows, k->operands.shape.cols, k->operands.list);
}

static int visit_builtin(void *payload, const actgen_builtin *builtin)
{
    enum { COLUMNS = 4096 };
    const struct walk *w = payload;
    struct place_figures figures = {.accuracy = w->accuracy};
    struct prepared_kernel k = {0};
    if (builtin->alias_of || !in_list(w->only, builtin->name)) return 0;
    snprintf(figures.kernel, sizeof figures.kernel, "%s", builtin->name);
    k.kernel = bench_builtin(builtin->name, w->accuracy, w->isa);
    if (k.kernel && actgen_kernel_fn(k.kernel) &&
        filled_open(&k.operands, k.kernel, (struct call_shape){1, COLUMNS, 0}, NULL)) {
        time_places(&figures, &(struct timed_call){run, &k});
        w->visit(w->context, w->isa, &figures);
    }
    filled_close(&k.operands);
    actgen_kernel_free(k.kernel);
    return 0;
}

static void walk_templates(struct walk *w)
{
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        for (size_t a = 0; a < sizeof accuracies / sizeof *accuracies; a++) {
            w->isa = isas[i];
            w->accuracy = accuracies[a];
            if (in_list(w->isas, w->isa) && actgen_isa_runs_here(w->isa) == 1)
                actgen_builtins(visit_builtin, w, NULL);
        }
}

/* -- the table, and its worst row -- */

static double variation(const struct place_figures *f) { return f->best > 0 ? f->worst / f->best : 0; }

static void keep_worst(void *context, const char *isa, const struct place_figures *figures)
{
    struct place_figures *most = context;
    (void)isa;
    if (variation(figures) > variation(most)) *most = *figures;
}

bool most_varied(struct place_figures *out, const char *isa)
{
    struct walk w = {.isas = isa, .visit = keep_worst, .context = out};
    *out = (struct place_figures){.best = 0};
    walk_templates(&w);
    return out->best > 0;
}

struct table {
    bool json, first, all_met;
};

static void print_row(void *context, const char *isa, const struct place_figures *f)
{
    struct table *t = context;
    const bool met = variation(f) <= worst_place_limit;
    t->all_met &= met;
    if (t->json)
        printf("%s\n {\"kernel\": \"%s\", \"bound\": \"%s\", \"isa\": \"%s\", \"best_ns\": %.5g, "
               "\"median_ns\": %.5g, "
               "\"worst_ns\": %.5g, \"ratio\": %.4g}",
               t->first ? "" : ",", f->kernel, f->accuracy, isa, f->best, f->median, f->worst, variation(f));
    else
        printf("| %s | %s | %s | %.1f | %.1f | %.1f | %.2f | %s |\n", f->kernel, f->accuracy, isa, f->best,
               f->median, f->worst, variation(f), met ? "met" : "not met");
    t->first = false;
    fflush(stdout);
}

int bench_offsets(const struct plan *plan)
{
    struct table table = {.json = plan->json, .first = true, .all_met = true};
    struct walk w = {.isas = plan->isas, .only = plan->only, .visit = print_row, .context = &table};
    if (plan->json) printf("{");
    report_machine(plan->json);
    if (plan->json)
        printf(",\n\"offsets\": [");
    else
        printf(
            "\n| kernel | bound | isa | best, ns a call of 4,096 | median | worst | worst / best | limit %g "
            "|\n|---|---|---|--:|--:|--:|--:|---|\n",
            worst_place_limit);
    walk_templates(&w);
    if (plan->json) printf("\n], \"all_met\": %s}\n", table.all_met ? "true" : "false");
    return EXIT_SUCCESS;
}
