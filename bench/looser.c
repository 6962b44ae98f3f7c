/* Compares the time of a bound with tighter bounds that imply it, over all templates. The plan of a tighter
 * bound also keeps a looser bound, so the looser bound should take no longer. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4096, MOST_BOUNDS = 9 };
const double looser_limit = 1.05; /* times of one loop in two processes differ by less */

struct bound {
    const char *text;
    double ulps, absolute; /* one is 0 */
};

/* The bounds, from tight to loose. */
static const struct bounds {
    const char *type;
    double ulp; /* the largest ulp relative to a number, or to 1 */
    struct bound list[MOST_BOUNDS];
} types[] = {
    {"f32",
     0x1p-23,
     {{"1 ulp", 1, 0},
      {"2 ulp", 2, 0},
      {"3 ulp", 3, 0},
      {"16 ulp", 16, 0},
      {"2048 ulp", 2048, 0},
      {"abs 2^-22", 0, 0x1p-22},
      {"abs 2^-20", 0, 0x1p-20},
      {"abs 2^-16", 0, 0x1p-16},
      {"abs 2^-10", 0, 0x1p-10}}},
    {"bf16",
     0x1p-7,
     {{"0.5 ulp", 0.5, 0},
      {"1 ulp", 1, 0},
      {"2 ulp", 2, 0},
      {"3 ulp", 3, 0},
      {"abs 2^-7", 0, 0x1p-7},
      {"abs 2^-6", 0, 0x1p-6}}},
    {"f16",
     0x1p-10,
     {{"0.5 ulp", 0.5, 0},
      {"1 ulp", 1, 0},
      {"2 ulp", 2, 0},
      {"3 ulp", 3, 0},
      {"abs 2^-10", 0, 0x1p-10},
      {"abs 2^-8", 0, 0x1p-8},
      {"abs 2^-6", 0, 0x1p-6}}},
};
static const char *const isas[] = {"avx512", "avx2"};

static bool implies(const struct bound *tight, const struct bound *loose, double ulp)
{
    if (loose->ulps > 0) return tight->ulps > 0 && tight->ulps <= loose->ulps;
    return (tight->ulps > 0 ? tight->ulps * ulp : tight->absolute) <= loose->absolute;
}

/* A template's kernels, one per bound. Kernels with equal code are timed once. */
struct kernels {
    const struct bounds *bounds;
    actgen_kernel *list[MOST_BOUNDS]; /* NULL if the bound is refused */
    struct filled_operands operands;
    double ns[MOST_BOUNDS];
};

struct runner {
    const struct kernels *of;
    actgen_fn function;
};

static void run(const void *context)
{
    const struct runner *r = context;
    r->function(r->of->operands.shape.rows, r->of->operands.shape.cols, r->of->operands.list);
}

/* Returns the first kernel with the same code. */
static size_t first_alike(const struct kernels *k, size_t i)
{
    size_t first = 0;
    while (!k->list[first] ||
           strcmp(actgen_kernel_object_hash(k->list[first]), actgen_kernel_object_hash(k->list[i])))
        first++;
    return first;
}

static void time_kernels(struct kernels *k)
{
    struct timed_call calls[MOST_BOUNDS] = {{0}};
    struct runner runners[MOST_BOUNDS];
    struct timing times[MOST_BOUNDS];
    const struct timing_limits limits = {
        .slice_ns = 20e3, .rounds = 4 * USUAL_STACK_PLACES, .least_rounds = 4 * USUAL_STACK_PLACES};
    for (size_t i = 0; i < MOST_BOUNDS; i++) {
        if (!k->list[i] || first_alike(k, i) != i) continue;
        runners[i] = (struct runner){k, actgen_kernel_fn(k->list[i])};
        calls[i] = (struct timed_call){run, &runners[i]};
    }
    if (!time_in_turn(calls, MOST_BOUNDS, &limits, times)) return;
    for (size_t i = 0; i < MOST_BOUNDS; i++)
        if (calls[i].run && (k->ns[i] <= 0 || times[i].min < k->ns[i])) k->ns[i] = times[i].min;
    for (size_t i = 0; i < MOST_BOUNDS; i++)
        if (k->list[i]) k->ns[i] = k->ns[first_alike(k, i)];
}

static double lost(const struct looser_figures *f) { return f->tight_ns > 0 ? f->loose_ns / f->tight_ns : 0; }

/* Finds the bound that loses most, compared with a bound that implies it. Changes nothing if no bound loses
 * more than `out`. */
static void find_most_lost(const struct kernels *k, struct looser_figures *out)
{
    for (size_t loose = 0; loose < MOST_BOUNDS; loose++)
        for (size_t tight = 0; tight < MOST_BOUNDS; tight++) {
            const struct bound *b = k->bounds->list;
            if (tight == loose || !(k->ns[loose] > 0 && k->ns[tight] > 0)) continue;
            if (!implies(&b[tight], &b[loose], k->bounds->ulp)) continue;
            if (k->ns[loose] <= lost(out) * k->ns[tight]) continue;
            out->loose = b[loose].text;
            out->tight = b[tight].text;
            out->loose_ns = k->ns[loose];
            out->tight_ns = k->ns[tight];
        }
}

/* Compares the bounds of a template. Disturbances only make times longer. So if a bound seems to lose, all
 * bounds are timed again, and the least times count. */
static bool compare(struct looser_figures *f, const char *name, const struct bounds *bounds, const char *isa)
{
    enum { RUNS = 10 };
    struct kernels k = {.bounds = bounds};
    *f = (struct looser_figures){.type = bounds->type};
    snprintf(f->kernel, sizeof f->kernel, "%s", name);
    for (size_t i = 0; i < MOST_BOUNDS && bounds->list[i].text; i++) {
        k.list[i] = bench_builtin_typed(name, bounds->type, bounds->list[i].text, isa);
        if (!k.list[i] || actgen_kernel_fn(k.list[i])) continue;
        actgen_kernel_free(k.list[i]); /* a kernel with sums */
        k.list[i] = NULL;
    }
    size_t some = 0;
    while (some < MOST_BOUNDS && !k.list[some]) some++;
    if (some < MOST_BOUNDS &&
        filled_open(&k.operands, k.list[some], (struct call_shape){1, COLUMNS, 0}, NULL))
        for (int n = 0; n < RUNS && (!n || lost(f) > looser_limit); n++) {
            time_kernels(&k);
            f->loose_ns = f->tight_ns = 0;
            find_most_lost(&k, f);
        }
    filled_close(&k.operands);
    for (size_t i = 0; i < MOST_BOUNDS; i++) actgen_kernel_free(k.list[i]);
    return f->tight_ns > 0;
}

struct walk {
    const char *only; /* a list with commas; NULL: all */
    const char *isa;
    const struct bounds *bounds;
    void (*visit)(void *context, const char *isa, const struct looser_figures *figures);
    void *context;
};

static int visit_builtin(void *payload, const actgen_builtin *builtin)
{
    const struct walk *w = payload;
    struct looser_figures figures;
    if (!builtin->alias_of && in_list(w->only, builtin->name) &&
        compare(&figures, builtin->name, w->bounds, w->isa))
        w->visit(w->context, w->isa, &figures);
    return 0;
}

/* -- the table, and its worst row -- */

static void keep_worst(void *context, const char *isa, const struct looser_figures *figures)
{
    struct looser_figures *most = context;
    (void)isa;
    if (lost(figures) > lost(most)) *most = *figures;
}

bool most_lost(struct looser_figures *out, const char *isa)
{
    struct walk w = {.isa = isa, .bounds = &types[0], .visit = keep_worst, .context = out};
    *out = (struct looser_figures){.kernel = ""};
    if (actgen_isa_runs_here(isa) == 1) actgen_builtins(visit_builtin, &w, NULL);
    return out->tight_ns > 0;
}

struct table {
    bool json, first, all_met;
};

static void print_row(void *context, const char *isa, const struct looser_figures *f)
{
    struct table *t = context;
    const bool met = lost(f) <= looser_limit;
    t->all_met &= met;
    if (t->json)
        printf(
            "%s\n {\"kernel\": \"%s\", \"type\": \"%s\", \"isa\": \"%s\", \"bound\": \"%s\", \"ns\": %.5g, "
            "\"tighter\": \"%s\", \"tighter_ns\": %.5g, \"ratio\": %.4g}",
            t->first ? "" : ",", f->kernel, f->type, isa, f->loose, f->loose_ns, f->tight, f->tight_ns,
            lost(f));
    else
        printf("| %s | %s | %s | %s | %.1f | %s | %.1f | %.2f | %s |\n", f->kernel, f->type, isa, f->loose,
               f->loose_ns, f->tight, f->tight_ns, lost(f), met ? "met" : "not met");
    t->first = false;
    fflush(stdout);
}

int bench_looser(const struct plan *plan)
{
    struct table table = {.json = plan->json, .first = true, .all_met = true};
    struct walk w = {.only = plan->only, .visit = print_row, .context = &table};
    if (plan->json) printf("{");
    report_machine(plan->json);
    if (plan->json)
        printf(",\n\"looser\": [");
    else
        printf("\n| kernel | type | isa | bound | ns a call of 4,096 | tighter | ns | ratio | limit %g "
               "|\n|---|---|---|---|--:|---|--:|--:|---|\n",
               looser_limit);
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
            w.isa = isas[i];
            w.bounds = &types[t];
            if (in_list(plan->isas, w.isa) && actgen_isa_runs_here(w.isa) == 1)
                actgen_builtins(visit_builtin, &w, NULL);
        }
    if (plan->json) printf("\n], \"all_met\": %s}\n", table.all_met ? "true" : "false");
    return EXIT_SUCCESS;
}
