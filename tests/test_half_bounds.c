/* Functions of one 16-bit operand within looser bounds than correct rounding: every one of the 65,536 results keeps its bound,
 * and costs no more than one of a tighter bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "interp.h"
#include "judge.h"
#include "measure.h"
#include "store.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>

/* Each of the first tightens the next, and so do those in ulps; absolute ones are no looser or tighter than those. */
static const char *const bounds[] = {"0.5 ulp", "1 ulp", "2 ulp", "abs 2^-8"};
enum { BOUNDS = sizeof bounds / sizeof *bounds, FIRST_ABS = 3 };

/* What settles at 0, at other values, at a line; without symmetry; what grows; a wave. */
static const char *const formulas[] = {"gelu(x)", "silu(x)", "softplus(x)",     "elu(x)",
                                       "exp(x)",  "sin(x)",  "diff(silu(x), x)"};

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct planning planning = {.search = {text_new(expr_dag_memory(request->dag))}};
    const struct planner planner = planner_of(&planning);
    (void)context;
    const int status = planner.find(planner.context, out, request, error);
    planning_clear(&planning);
    return status;
}

/* Of all inputs. */
static struct tally errors_of(const struct piece *piece)
{
    float x[JUDGE_BLOCK], y[JUDGE_BLOCK];
    struct judge j;
    struct tally t = {0};
    interp *run = interp_create(piece->program);
    assert_non_null(run);
    assert_true(judge_init(&j, piece));
    for (uint32_t first = 0; first < PLAN_INPUTS; first += JUDGE_BLOCK) {
        void *operands[2] = {x, y};
        for (uint32_t i = 0; i < JUDGE_BLOCK; i++) x[i] = plan_input(piece->argument, first + i);
        interp_run(run, operands, JUDGE_BLOCK);
        judge_block(&j, x, y, JUDGE_BLOCK, false, &t);
    }
    judge_clear(&j);
    interp_free(run);
    return t;
}

/* Returns the cost. */
static double check(const char *formula, const char *bound, enum element_type type,
                    const struct target_isa *isa)
{
    char text[256];
    arena *memory = test_memory();
    struct lowered *l;
    struct diag error = {0};
    const char *name = element_types[type].name;
    snprintf(text, sizeof text, "kernel k(x: %s) -> (y: %s) { accuracy %s; y = %s }", name, name, bound,
             formula);
    const struct spec *s = parse_text(memory, text);
    const struct lower_request request = {.spec = s,
                                          .kernel = &s->kernels[0],
                                          .bound = s->kernels[0].bound,
                                          .profile = isa->profile,
                                          .costs = isa->costs,
                                          .planner = {find, NULL}};
    if (lower_kernel(&l, &request, &error))
        fail_msg("%s, %s, %s, %s: %s", formula, name, bound, isa->name, error.message);
    const struct tally t = errors_of(&l->pieces[0]);
    if (t.wrong || t.undecided)
        fail_msg("%s, %s, %s, %s: %g ulp, %g abs", formula, name, bound, isa->name, t.max_ulp, t.max_abs);
    const double cost = l->pieces[0].plan->cost;
    arena_free(memory);
    return cost;
}

static void bounds_are_kept_and_no_looser_one_costs_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        for (size_t n = 0; target_isa_at(n); n++)
            for (int half = 0; half < 2; half++) {
                const enum element_type type = half ? ELEMENT_F16 : ELEMENT_BF16;
                const double exact = check(formulas[i], bounds[0], type, target_isa_at(n));
                double tighter = exact;
                for (size_t b = 1; b < BOUNDS; b++) {
                    const double cost = check(formulas[i], bounds[b], type, target_isa_at(n));
                    const double most = b < FIRST_ABS ? tighter : exact;
                    if (!(cost <= most + 1e-6))
                        fail_msg("%s of %s on %s costs %.2f within %s, and %.2f within a tighter bound",
                                 formulas[i], element_types[type].name, target_isa_at(n)->name, cost,
                                 bounds[b], most);
                    tighter = cost;
                }
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_are_kept_and_no_looser_one_costs_more)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
