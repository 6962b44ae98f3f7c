/* Tests that plans keep their bounds where samples do not look: at the inputs of promises.txt, and all
 * around the worst inputs that a search of this file's own finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "float_bits.h"
#include "interp.h"
#include "judge.h"
#include "lower.h"
#include "texts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINE = 256, AROUND = 1 << 16, FIRST_BINADE = 100, LAST_BINADE = 160, IN_BINADE = 1 << 8 };
static const char *const isas[] = {"avx512", "avx2"};

struct planned { /* The one piece of the formula. */
    struct plan_search search;
    struct plan_request request;
    const struct plan *plan;
};

static int find(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct planned *p = context;
    const int status = plan_find(out, request, &p->search, error);
    p->request = *request;
    p->plan = *out;
    return status;
}

/* Judges `count` inputs from those bits on, `stride` apart. */
static void judge_run(struct judge *j, interp *run, uint32_t bits, uint32_t stride, uint32_t count,
                      struct tally *t)
{
    float x[JUDGE_BLOCK], y[JUDGE_BLOCK];
    void *operands[2] = {x, y};
    for (uint32_t first = 0; first < count; first += JUDGE_BLOCK) {
        for (uint32_t i = 0; i < JUDGE_BLOCK; i++) x[i] = f32_of_bits(bits + (first + i) * stride);
        interp_run(run, operands, JUDGE_BLOCK);
        judge_block(j, x, y, JUDGE_BLOCK, false, t);
    }
}

/* Judges each input, then all inputs around the worst of a coarse search. */
static struct tally judge_all(const struct planned *p, char *inputs)
{
    struct piece piece = {.written = p->request.piece.written,
                          .simplified = p->request.piece.simplified,
                          .program = p->plan->program,
                          .bound = p->request.piece.bound,
                          .argument = ELEMENT_F32,
                          .result = ELEMENT_F32};
    struct judge *j = malloc(sizeof *j);
    interp *run = interp_create(piece.program);
    struct tally t = {0};
    assert_true(j && run && judge_init(j, &piece));
    for (char *input = strtok(inputs, " \n"); input; input = strtok(NULL, " \n")) {
        const bool is_bits = !strncmp(input, "0x", 2);
        const uint32_t bits = is_bits ? (uint32_t)strtoul(input, NULL, 16) : bits_of_f32(strtof(input, NULL));
        judge_run(j, run, bits - JUDGE_BLOCK / 2, 1, JUDGE_BLOCK, &t);
    }
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t binade = FIRST_BINADE; binade < LAST_BINADE; binade++)
            judge_run(j, run, side << 31 | binade << 23, (1 << 23) / IN_BINADE + 1, IN_BINADE, &t);
    const bool by_abs = piece.bound.kind == BOUND_ABS;
    judge_run(j, run, (uint32_t)(by_abs ? t.max_abs_at : t.max_ulp_at) - AROUND / 2, 1, AROUND, &t);
    judge_clear(j);
    free(j);
    interp_free(run);
    return t;
}

static bool keeps(const char *formula, const char *bound_text, const char *inputs, const char *isa_name)
{
    arena *memory = test_memory();
    const struct spec *s = parse_expression(memory, formula);
    const struct target_isa *isa = target_isa_find(isa_name);
    struct planned p = {.search = {text_new(memory)}};
    struct spec_bound bound;
    struct diag error = {0};
    struct lowered *l;
    char copy[LINE];
    assert_int_equal(spec_parse_bound(&bound, memory, bound_text, strlen(bound_text), &error), DIAG_OK);
    struct lower_request request = {.spec = s,
                                    .kernel = &s->kernels[0],
                                    .bound = bound,
                                    .profile = isa->profile,
                                    .costs = isa->costs,
                                    .planner = {find, &p}};
    if (lower_kernel(&l, &request, &error)) fail_msg("%s, %s: %s", formula, isa_name, error.message);
    snprintf(copy, sizeof copy, "%s", inputs);
    const struct tally t = judge_all(&p, copy);
    const bool right = !t.wrong && !t.undecided;
    if (!right)
        fprintf(stderr, "%s, %s, %s: %llu inputs wrong, %.4g ulp at %.9g, %.4g abs at %.9g\n", formula,
                bound_text, isa_name, (unsigned long long)t.wrong, t.max_ulp,
                tally_place(t.max_ulp_at, ELEMENT_F32), t.max_abs, tally_place(t.max_abs_at, ELEMENT_F32));
    arena_free(memory);
    return right;
}

static void plans_keep_their_bounds(void **state)
{
    (void)state;
    char line[LINE];
    unsigned rows = 0, wrong = 0;
    FILE *file = fopen(TEST_DATA "/promises.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#' || *line == '\n') continue;
        char *bound = strstr(line, " | "), *inputs = bound ? strstr(bound + 3, " |") : NULL;
        if (!inputs) fail_msg("not a row: %s", line);
        *bound = *inputs = 0;
        for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
            wrong += !keeps(line, bound + 3, inputs + 2, isas[i]);
        rows++;
    }
    fclose(file);
    assert_true(rows > 10);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(plans_keep_their_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
