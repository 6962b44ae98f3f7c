/* Prints results as Markdown and as JSON. No time is without an error. */
#include "bench.h"
#include "machine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Returns how the process treats subnormals. A library linked with fast-math flushes them for the whole
 * process. Subnormal results, and all errors, then mean nothing. */
static const char *subnormals(void)
{
#if defined(__x86_64__)
    enum { FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 };
    return _mm_getcsr() & (FLUSH_TO_ZERO | DENORMALS_ARE_ZERO) ? "flushed" : "on";
#else
    return "on";
#endif
}

/* Returns true if a peer before the one at `index` is of the same library. */
static bool is_listed(size_t index)
{
    bool found = false;
    for (size_t i = 0; i < index; i++)
        found = found || !strcmp(bench_peers[i]->library, bench_peers[index]->library);
    return found;
}

/* Prints the names of all libraries, with commas between. */
static void print_libraries(void)
{
    const char *separator = "";
    for (size_t i = 0; bench_peers[i]; i++) {
        if (!strcmp(bench_peers[i]->library, "limit") || is_listed(i)) continue;
        printf("%s%s", separator, bench_peers[i]->library);
        separator = ", ";
    }
}

void report_machine(bool json)
{
    char processor[256];
    struct utsname system;
    machine_name(processor, sizeof processor);
    if (uname(&system)) strcpy(system.release, "?");
    printf(
        json ? "\"machine\": {\"processor\": \"%s\", \"kernel\": \"%s\", \"compiler\": \"%s\", \"backend\": "
               "\"%s\", "
             : "%s; Linux %s; %s; %s; ",
        processor, system.release, COMPILER, actgen_backend_version());
    if (json)
        printf("\"actgen\": %u, \"isa\": \"%s\", \"libraries\": \"", actgen_version(), actgen_host_isa());
    print_libraries();
    printf(json ? "\", \"subnormals\": \"%s\"}" : ". One core; subnormals %s.\n", subnormals());
}

/* The size whose time orders a function's rows. */
static size_t order_by;

/* Returns the size that counts: L2 if it was measured, otherwise the first. */
static size_t order(const struct plan *plan)
{
    size_t index = 0;
    for (size_t s = 0; s < plan->size_count; s++)
        if (!strcmp(plan->sizes[s].name, "L2")) index = s;
    return index;
}

static const char best_titles[] =
    "\n| function | isa | bound | actgen, %s ns | the fastest other within the bound | ns | ratio |\n"
    "|---|---|---|--:|---|--:|--:|\n";

void report_titles(const struct plan *plan)
{
    if (plan->best) {
        printf(best_titles, plan->sizes[order(plan)].name);
        return;
    }
    printf("\n| function | by | bound or form | isa |");
    for (size_t s = 0; s < plan->size_count; s++) {
        const struct size *size = &plan->sizes[s];
        if (*size->name)
            printf(" %s ns |", size->name);
        else
            printf(" n=%zu, ns a call |", size->n);
    }
    for (int set = 1; set < INPUT_SETS; set++)
        if (plan->with_set[set]) printf(" %s ns |", input_set_names[set]);
    printf(" max ulp | x < 0 | subnormal | max abs | NaN |\n|---|---|---|---|");
    for (size_t s = 0; s < plan->size_count; s++) printf("--:|");
    for (int set = 1; set < INPUT_SETS; set++)
        if (plan->with_set[set]) printf("--:|");
    printf("--:|--:|--:|--:|---|\n");
}

/* Prints the time per element of `count` elements, and how much more the worst place of the stack takes. */
static void print_time(const struct timing *t, size_t count, const char *format)
{
    if (t->min > 0) {
        printf(format, t->min / (double)count);
        printf(" +%.0f%%", spread_of(t));
    }
    printf(" |");
}

static void print_ulp(double ulp)
{
    if (isinf(ulp))
        printf(" inf |");
    else if (ulp < 1e4)
        printf(" %.3g |", ulp);
    else
        printf(" %.0e |", ulp);
}

static void print_row(const struct contestant *c, const struct plan *plan)
{
    printf("| %s | %s | %s | %s |", c->is_limit ? "" : c->function, c->library, c->form, c->isa);
    for (size_t s = 0; s < plan->size_count; s++) {
        const struct size *size = &plan->sizes[s];
        if (*size->name)
            print_time(&c->times[s], size->n, " %.3f");
        else
            print_time(&c->times[s], 1, " %.1f");
    }
    double max_abs = 0;
    for (int set = 0; set < INPUT_SETS; set++) {
        if (set && plan->with_set[set]) print_time(&c->others[set], SET_SIZE, " %.3f");
        max_abs = fmax(max_abs, c->errors[set].max_abs);
    }
    if (c->is_limit) {
        printf(" | | | | |\n");
        return;
    }
    for (int set = 0; set <= INPUTS_SUBNORMAL; set++) print_ulp(c->errors[set].max_ulp);
    printf(" %.1e | %s |\n", max_abs, c->errors[INPUTS_NAN].not_nan ? "lost" : "kept");
}

static int by_time(const void *a, const void *b)
{
    const struct contestant *x = a, *y = b;
    double u = x->times[order_by].min, v = y->times[order_by].min;
    return (u > v) - (u < v);
}

/* Returns true if the errors keep the bound of the kernel. Only the inputs like those of networks count,
 * since most libraries promise nothing about others. */
static bool keeps(const struct contestant *other, const struct contestant *kernel)
{
    bool all = true;
    for (int set = INPUTS_NORMAL; set <= INPUTS_NEGATIVE; set++)
        all = all && other->errors[set].max_ulp <= kernel->bound_ulp &&
              other->errors[set].max_abs <= kernel->bound_abs;
    return all;
}

/* Prints a kernel, and the fastest of the others that keep its bound. A library that chooses its code for the
 * processor competes with the kernels of the processor's best instruction set. */
static void print_best(const struct contest *c, const struct contestant *kernel, const struct plan *plan)
{
    const double count = (double)plan->sizes[order_by].n, time = kernel->times[order_by].min / count;
    const bool widest = !strcmp(kernel->isa, actgen_host_isa());
    const struct contestant *best = NULL;
    for (size_t i = 0; i < c->count && !best; i++) { /* in the order of their times */
        const struct contestant *t = &c->list[i];
        const bool competes = *t->isa ? !strcmp(t->isa, kernel->isa) : widest;
        if (!t->kernel && !t->is_limit && !t->is_plan && competes && keeps(t, kernel)) best = t;
    }
    printf("| %s | %s | %s | %.3f |", kernel->function, kernel->isa, kernel->form, time);
    if (best)
        printf(" %s%s%s | %.3f | %.2f |\n", best->library, *best->form ? ", " : "", best->form,
               best->times[order_by].min / count, time * count / best->times[order_by].min);
    else
        printf(" none | | |\n");
}

void report_function(struct contest *c, const struct plan *plan)
{
    order_by = order(plan);
    qsort(c->list, c->count, sizeof c->list[0], by_time);
    for (size_t i = 0; i < c->count && !plan->best; i++) print_row(&c->list[i], plan);
    for (int pass = 0; pass < 2 && plan->best; pass++) /* the processor's best instruction set first */
        for (size_t i = 0; i < c->count; i++) {
            const struct contestant *t = &c->list[i];
            const bool widest = !strcmp(t->isa, actgen_host_isa());
            if (t->kernel && widest == (pass == 0)) print_best(c, t, plan);
        }
    fflush(stdout);
}

static void json_number(const char *name, double value, const char *end)
{
    if (isfinite(value))
        printf("\"%s\": %.6g%s", name, value, end);
    else
        printf("\"%s\": null%s", name, end);
}

static void json_time(const char *inputs, size_t n, const struct timing *t, bool *first)
{
    if (t->min <= 0) return;
    printf("%s{\"inputs\": \"%s\", \"n\": %zu, ", *first ? "" : ", ", inputs, n);
    json_number("min_ns", t->min, ", ");
    json_number("median_ns", t->median, ", ");
    json_number("worst_ns", t->worst, "}");
    *first = false;
}

void report_json(const struct contest *c, const struct plan *plan, bool first)
{
    for (size_t i = 0; i < c->count; i++) {
        const struct contestant *t = &c->list[i];
        bool first_time = true;
        printf("%s\n {\"function\": \"%s\", \"library\": \"%s\", \"form\": \"%s\", \"isa\": \"%s\", "
               "\"limit\": %s, ",
               first && !i ? "" : ",", t->function, t->library, t->form, t->isa,
               t->is_limit ? "true" : "false");
        if (!t->is_limit) {
            json_number("bound_ulp", t->bound_ulp, ", ");
            json_number("bound_abs", t->bound_abs, ", \"errors\": {");
            for (int set = 0; set < INPUT_SETS; set++) {
                printf("\"%s\": {", input_set_names[set]);
                json_number("max_ulp", t->errors[set].max_ulp, ", ");
                json_number("max_abs", t->errors[set].max_abs, ", ");
                printf("\"nan_lost\": %zu}%s", t->errors[set].not_nan, set + 1 < INPUT_SETS ? ", " : "}, ");
            }
        }
        printf("\"times\": [");
        for (size_t s = 0; s < plan->size_count; s++)
            json_time(input_set_names[0], plan->sizes[s].n, &t->times[s], &first_time);
        for (int set = 1; set < INPUT_SETS; set++)
            json_time(input_set_names[set], SET_SIZE, &t->others[set], &first_time);
        printf("]}");
    }
}
