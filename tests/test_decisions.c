/* Tests what the planner decides for every built-in, bound and instruction set. golden/decisions.txt holds
 * the shape, the cost and the parameters of the winners. The test reads them from the built-in plans, which
 * test_builtin_plans compares with the planner's. Without built-in plans the test compares nothing.
 *
 * ACTGEN_GOLDEN=write rewrites the file. Read the difference before you commit it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtin.h"
#include "lower.h"
#include "plan_pack.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const bounds[] = {"3 ulp", "abs 2^-22", "abs 2^-16", "abs 2^-10"};
enum { BOUNDS = sizeof bounds / sizeof *bounds, LARGEST = 1 << 20 };

struct decision {
    struct text *out;
    unsigned pieces;
    bool missing;
    double cost; /* The cost of all pieces, which is infinite if one is refused. */
};

/* Returns the length without the error of the fit, which says nothing about the decision. */
static size_t parameters_length(const char *description)
{
    static const char *const ends[] = {", fit error", ", error"};
    size_t length = strlen(description);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        const char *end = strstr(description, ends[i]);
        if (end && (size_t)(end - description) < length) length = (size_t)(end - description);
    }
    return length;
}

static bool is_refused(const char *key)
{
    for (const char *line = builtin_plans; *line; line += strcspn(line, "\n") + 1)
        if (!strncmp(line, key, HASH_TEXT_SIZE - 1)) return line[HASH_TEXT_SIZE] == '-';
    return false;
}

static int print_builtin(void *context, struct plan **out, const struct plan_request *request,
                         struct diag *error)
{
    struct decision *d = context;
    char key[HASH_TEXT_SIZE];
    size_t size;
    plan_key(request, request->costs->source, key);
    const unsigned char *packed = builtin_plan(key, expr_dag_memory(request->dag), &size);
    *out = packed ? plan_unpack(request, packed, size) : NULL;
    d->missing |= !*out && !is_refused(key);
    text_add(d->out, d->pieces++ ? "; " : "  ");
    if (!*out) {
        text_add(d->out, "refused");
        d->cost = (double)INFINITY;
        return diag_set(error, DIAG_ACCURACY, "refused");
    }
    const char *what = (*out)->description;
    d->cost += (*out)->cost;
    text_add(d->out, "%s, cost %.2f: %.*s", (*out)->shape, (*out)->cost, (int)parameters_length(what), what);
    return DIAG_OK;
}

/* Prints a line for each. Returns how many plans are missing. */
static unsigned print_builtin_of(struct text *out, const char *name, const char *bound,
                                 const struct target_isa *isa, double *cost)
{
    arena *m = test_memory();
    struct spec *s;
    struct lowered *l;
    struct diag error = {0};
    struct decision d = {.out = out};
    struct lower_request request = {
        .profile = isa->profile, .costs = isa->costs, .planner = {print_builtin, &d}};
    assert_int_equal(spec_builtin(&s, m, name, &error), 0);
    assert_int_equal(spec_parse_bound(&request.bound, m, bound, strlen(bound), &error), 0);
    request.spec = s;
    request.kernel = spec_summands(m, s->dag, &s->kernels[0]);
    text_add(out, "%-14s %-9s %-6s", name, bound, isa->name);
    lower_kernel(&l, &request, &error); /* A refusal is also a decision. */
    text_add(out, d.pieces ? "\n" : "  arithmetic only\n");
    *cost = d.cost;
    arena_free(m);
    return d.missing;
}

static char *read_file(arena *memory, const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    char *text = arena_alloc(memory, LARGEST);
    text[fread(text, 1, LARGEST - 1, f)] = 0;
    fclose(f);
    return text;
}

static void write_file(const char *path, const struct text *text)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text->data, 1, text->length, f), text->length);
    assert_int_equal(fclose(f), 0);
}

/* Prints where the texts differ. Returns how many lines differ. */
static unsigned compare_lines(const char *expected, const char *found)
{
    unsigned differ = 0;
    while (*expected || *found) {
        const size_t e = strcspn(expected, "\n"), f = strcspn(found, "\n");
        if (e != f || memcmp(expected, found, e)) {
            if (differ++ < 20) fprintf(stderr, "- %.*s\n+ %.*s\n", (int)e, expected, (int)f, found);
        }
        expected += e + (expected[e] == '\n');
        found += f + (found[f] == '\n');
    }
    return differ;
}

/* Returns true if the set has its own plans. Other sets have the plans of the first set with
 * their profile. */
static bool has_own_plans(const struct target_isa *isa)
{
    return target_profile_find(isa->profile.name) == isa && !isa->extends;
}

/* Checks that a looser bound of the same kind never costs more, because it accepts every plan that keeps
 * the tighter bound. The first bound is of another kind. */
static void no_looser_bound_costs_more(void **state)
{
    (void)state;
    arena *m = test_memory();
    struct text ignored = text_new(m);
    const struct spec_builtin_info *list;
    size_t count;
    assert_int_equal(spec_builtins(&list, &count, m, NULL), 0);
    for (size_t i = 0; i < count; i++)
        for (size_t n = 0; target_isa_at(n) && !list[i].alias_of; n++) {
            if (!has_own_plans(target_isa_at(n))) continue;
            double tighter = (double)INFINITY, cost;
            for (size_t b = 1; b < BOUNDS; b++, tighter = cost) {
                print_builtin_of(&ignored, list[i].name, bounds[b], target_isa_at(n), &cost);
                if (!(cost <= tighter + 1e-6))
                    fail_msg("%s on %s costs %.2f within %s, and %.2f within %s", list[i].name,
                             target_isa_at(n)->name, cost, bounds[b], tighter, bounds[b - 1]);
            }
        }
    arena_free(m);
}

static void decisions_are_the_golden_ones(void **state)
{
    (void)state;
    static const char path[] = TEST_DATA "/golden/decisions.txt";
    const char *mode = getenv("ACTGEN_GOLDEN");
    arena *m = test_memory();
    struct text found = text_new(m);
    const struct spec_builtin_info *list;
    size_t count;
    unsigned missing = 0;
    assert_int_equal(spec_builtins(&list, &count, m, NULL), 0);
    for (size_t i = 0; i < count; i++)
        for (size_t b = 0; b < BOUNDS && !list[i].alias_of; b++)
            for (size_t n = 0; target_isa_at(n); n++) {
                double cost;
                if (!has_own_plans(target_isa_at(n))) continue;
                missing += print_builtin_of(&found, list[i].name, bounds[b], target_isa_at(n), &cost);
            }
    if (missing) fail_msg("%u built-in plans are missing: run scripts/plans first", missing);
    if (mode && !strcmp(mode, "write")) write_file(path, &found);
    const char *expected = read_file(m, path);
    const unsigned differ = compare_lines(expected ? expected : "", found.data);
    if (differ) fail_msg("%u lines differ from golden/decisions.txt", differ);
    arena_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(decisions_are_the_golden_ones),
                                       cmocka_unit_test(no_looser_bound_costs_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
