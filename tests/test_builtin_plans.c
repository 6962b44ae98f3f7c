/* Tests of the built-in plans (plans/builtin_plans.txt). There is a plan for every built-in at its default
 * parameters, for each of the bounds below and each instruction set. Gates also have plans for the default
 * bound in bf16 and f16, which asks less of their functions. Each plan is what the planner finds today. A
 * run searches again for one plan in four, and for all of them with ACTGEN_TEST_ALL=1.
 *
 * usage: test_builtin_plans [ISA]   only the plans for that instruction set that no other set has
 *                                   already
 *
 * Only gelu has plans of 0.5 ulp, because each takes a sweep over all inputs. The test compares them only
 * with ACTGEN_PLANS=all. ACTGEN_PLANS=write (scripts/plans) writes the file anew, and ACTGEN_PLANS=add writes
 * what it lacks. ACTGEN_PLANS=sweep plans only for [ISA [NAME]]. It sweeps over all inputs wherever a cheap
 * plan comes so near its bound that a sample cannot tell whether the plan keeps it. A plan found by such a
 * sweep stays in the file as long as the planner finds nothing cheaper without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "builtin.h"
#include "lower.h"
#include "machine_code.h"
#include "part.h"
#include "plan_pack.h"
#include "texts.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const bounds[] = {"3 ulp", "abs 2^-22", "abs 2^-20", "abs 2^-16", "abs 2^-10"};
/* Further built-ins, each with a bound of its own. */
static const struct {
    const char *name, *bound;
} others[] = {{"gelu", "0.5 ulp"}, {"softmax", "0.6 ulp"}, {"rmsnorm_gated", "1.2 ulp"}};
enum { OTHERS = sizeof others / sizeof *others };
enum { BOUNDS = sizeof bounds / sizeof *bounds, THREADS = 2, MOST = 8192 };

static const char default_bound[] = "default";

/* A built-in, a bound, a type and an instruction set. */
struct job {
    const char *name, *bound, *type;
    const struct target_isa *isa;
};

static arena *memory;
static struct job jobs[MOST];
static size_t job_count;
/* The choices of the command line. NULL stands for all. */
static const char *chosen_isa, *swept_isa, *swept_name;
static enum plan_sweeps sweeps;
static bool adds; /* True if the lines that are listed stay. */

/* Returns true if sweeps may find the job's plans. */
static bool is_to_be_swept(const struct job *j)
{
    return sweeps != PLAN_SWEEPS_NONE && (!swept_isa || !strcmp(j->isa->name, swept_isa)) &&
           (!swept_name || !strcmp(j->name, swept_name));
}

static bool is_exact(const struct job *j) { return !strcmp(j->bound, "0.5 ulp"); }

/* Returns true if the set needs plans of its own. A set whose profile belongs to an earlier set has
 * that set's plans. */
static bool is_chosen(const struct target_isa *isa)
{
    return target_profile_find(isa->profile.name) == isa &&
           /* The f32 plans of such a set are those of the set that it extends. */
           !isa->extends && (!chosen_isa || !strcmp(isa->name, chosen_isa));
}

static const struct target_isa *next_isa(size_t *n)
{
    const struct target_isa *isa = target_isa_at((*n)++);
    while (isa && !is_chosen(isa)) isa = target_isa_at((*n)++);
    return isa;
}

static void add_jobs(const char *name, const char *bound, const char *type)
{
    const struct target_isa *isa;
    for (size_t n = 0; (isa = next_isa(&n));) {
        assert_true(job_count < MOST);
        jobs[job_count++] = (struct job){name, bound, type, isa};
    }
}

static int list_jobs(void **state)
{
    const struct spec_builtin_info *list;
    size_t count;
    (void)state;
    memory = test_memory();
    assert_int_equal(spec_builtins(&list, &count, memory, NULL), 0);
    for (size_t i = 0; i < count; i++) {
        for (size_t b = 0; b < BOUNDS && !list[i].alias_of; b++) add_jobs(list[i].name, bounds[b], "f32");
        if (strcmp(list[i].family, "Gates") != 0 || list[i].alias_of) continue;
        add_jobs(list[i].name, default_bound, "bf16");
        add_jobs(list[i].name, default_bound, "f16");
    }
    for (size_t i = 0; i < OTHERS; i++) add_jobs(others[i].name, others[i].bound, "f32");
    return 0;
}

static int forget_jobs(void **state)
{
    (void)state;
    arena_free(memory);
    return 0;
}

/* Lowers the job's kernel with that planner. Returns false if the planner refuses. */
static bool lower_job(arena *m, const struct job *j, struct planner planner)
{
    struct spec *s;
    struct lowered *l;
    struct diag error = {0};
    struct spec_bound bound = {.kind = BOUND_DEFAULT};
    if (spec_builtin(&s, m, j->name, &error) || spec_retype(s, j->type, &error) ||
        (strcmp(j->bound, default_bound) != 0 &&
         spec_parse_bound(&bound, m, j->bound, strlen(j->bound), &error)))
        return false;
    struct lower_request request = {.spec = s,
                                    .kernel = spec_summands(m, s->dag, &s->kernels[0]),
                                    .bound = bound,
                                    .profile = j->isa->profile,
                                    .costs = j->isa->costs,
                                    .planner = planner};
    return !lower_kernel(&l, &request, &error);
}

/* Searches for a plan. Sweeps over all inputs need machine code. */
static int search_plan(struct plan **out, const struct plan_request *request, const struct target_isa *isa,
                       struct plan_search *search, struct diag *error)
{
    struct machine_context context = {NULL, isa, NULL};
    const struct plan_machine machine = machine_of(&context);
    struct plan_request with_machine = *request;
    assert_int_equal(actgen_engine_create(&context.engine, NULL), ACTGEN_OK);
    if (judge_is_exact(&request->piece.bound)) with_machine.machine = &machine;
    with_machine.sweeps = sweeps;
    const int status = plan_find(out, &with_machine, search, error);
    actgen_engine_free(context.engine);
    return status;
}

static struct plan *listed_plan(const struct plan_request *request, const char *key)
{
    size_t size;
    const unsigned char *packed = builtin_plan(key, expr_dag_memory(request->dag), &size);
    return packed ? plan_unpack(request, packed, size) : NULL;
}

/* Returns true if the planner found the plan by a sweep over all inputs that it makes only on request. */
static bool is_by_sweep(const struct plan_request *request, const struct plan *plan)
{
    return plan && plan->swept && request->piece.argument == ELEMENT_F32 &&
           !judge_is_exact(&request->piece.bound);
}

/* Returns true if the file has a line for the key, with a plan or with a refusal. */
static bool is_listed(const char *key)
{
    for (const char *line = builtin_plans; *line; line += strcspn(line, "\n") + 1)
        if (!strncmp(line, key, HASH_TEXT_SIZE - 1)) return true;
    return false;
}

/* ---- writing ---- */

struct writing {
    struct text lines; /* The lines of one job. */
    const struct job *job;
};

static int plan_and_write(void *context, struct plan **out, const struct plan_request *request,
                          struct diag *error)
{
    struct writing *w = context;
    char key[HASH_TEXT_SIZE], label[128];
    struct plan_search search = {text_new(expr_dag_memory(request->dag))};
    struct text packed = text_new(expr_dag_memory(request->dag));
    plan_key(request, request->costs->source, key);
    snprintf(label, sizeof label, "%s, %s, %s, %s", w->job->name, w->job->bound, w->job->type,
             w->job->isa->name);
    struct plan *listed = listed_plan(request, key);
    const bool stays = adds ? is_listed(key) : sweeps != PLAN_SWEEPS_NONE && !is_to_be_swept(w->job);
    int status = stays ? DIAG_ACCURACY : search_plan(out, request, w->job->isa, &search, error);
    if (listed && (stays || is_by_sweep(request, listed)) && (status || listed->cost < (*out)->cost)) {
        *out = listed;
        status = DIAG_OK;
    }
    if (!status) plan_pack(&packed, *out);
    if (!status && is_by_sweep(request, *out))
        fprintf(stderr, "by a sweep: %s, cost %.2f\n", label, (*out)->cost);
    if (status)
        text_add(&w->lines, "%s - %s\n", key, label); /* The line records that the planner refused. */
    else
        builtin_line(&w->lines, key, &packed, label);
    return status;
}

static atomic_size_t next_job;
static char *lines_of_job[MOST];

static void *write_jobs(void *unused)
{
    (void)unused;
    for (size_t i; (i = atomic_fetch_add(&next_job, 1)) < job_count;) {
        arena *m = arena_create(0);
        if (!m || setjmp(*arena_escape(m))) abort();
        struct writing w = {text_new(m), &jobs[i]};
        lower_job(m, &jobs[i], (struct planner){plan_and_write, &w});
        lines_of_job[i] = strdup(w.lines.data);
        arena_free(m);
        if (i % 50 == 0) fprintf(stderr, "%zu of %zu\n", i, job_count);
    }
    return NULL;
}

static int by_key(const void *a, const void *b)
{
    return strncmp(*(char *const *)a, *(char *const *)b, HASH_TEXT_SIZE - 1);
}

/* Keeps the lines of the other instruction sets, where the test writes the plans of one set. */
static size_t keep_others(char **lines)
{
    static char old[8 << 20];
    size_t count = 0;
    if (!chosen_isa || builtin_plans_size >= sizeof old) return 0;
    memcpy(old, builtin_plans, builtin_plans_size);
    for (char *line = strtok(old, "\n"); line; line = strtok(NULL, "\n")) {
        const char *isa = strrchr(line, ' ');
        if (isa && strcmp(isa + 1, chosen_isa) != 0) lines[count++] = line;
    }
    return count;
}

static void write_file(const char *path)
{
    static char *lines[2 * MOST], temporary[600];
    size_t count = keep_others(lines);
    for (size_t i = 0; i < job_count; i++) /* A gate has several pieces, or none. */
        for (char *line = strtok(lines_of_job[i], "\n"); line; line = strtok(NULL, "\n"))
            lines[count++] = line;
    qsort(lines, count, sizeof *lines, by_key);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    FILE *f = fopen(temporary, "w");
    assert_non_null(f);
    for (size_t i = 0; i < count; i++)
        if (!i || by_key(&lines[i - 1], &lines[i])) fprintf(f, "%s\n", lines[i]);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(rename(temporary, path), 0);
}

static void write_all(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_jobs, NULL), 0);
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    write_file(TEST_DATA "/../plans/builtin_plans.txt");
}

/* ---- comparing ---- */

struct comparison {
    const struct job *job;
    bool again; /* True if the planner searches again. */
    unsigned plans, wrong;
};

static const char *program_text(arena *m, const lane_program *p)
{
    struct text t = text_new(m);
    lane_print(&t, lane_canonical(p));
    return t.data;
}

/* Returns true if two errors are equal to some digits. Quick values decide which inputs the reference
 * checks, and their bits depend on the processor. */
static bool is_near(double a, double b) { return fabs(a - b) <= 1e-4 * fabs(b); }

static bool is_same(arena *m, const struct plan *a, const struct plan *b)
{
    return !strcmp(a->shape, b->shape) && !strcmp(a->description, b->description) &&
           is_near(a->cost, b->cost) && is_near(a->measured.max_ulp, b->measured.max_ulp) &&
           is_near(a->measured.max_abs, b->measured.max_abs) &&
           !strcmp(program_text(m, a->program), program_text(m, b->program));
}

/* Returns true if the file lists the key as refused. */
static bool is_refused(const char *key)
{
    for (const char *line = builtin_plans; *line; line += strcspn(line, "\n") + 1)
        if (!strncmp(line, key, HASH_TEXT_SIZE - 1)) return line[HASH_TEXT_SIZE] == '-';
    return false;
}

/* Takes the built-in plan, so that gates find all their pieces. Fails where the file lists a refusal, as
 * the planner does. */
static int compare(void *context, struct plan **out, const struct plan_request *request, struct diag *error)
{
    struct comparison *c = context;
    char key[HASH_TEXT_SIZE];
    arena *m = expr_dag_memory(request->dag);
    plan_key(request, request->costs->source, key);
    *out = listed_plan(request, key);
    bool right = *out || is_refused(key);
    if (c->again && right) {
        struct plan_search search = {text_new(m)};
        struct plan *found = NULL;
        const int status = search_plan(&found, request, c->job->isa, &search, error);
        right = is_by_sweep(request, *out) ? status || found->cost > (*out)->cost
                : *out                     ? !status && is_same(m, found, *out)
                                           : status == DIAG_ACCURACY;
    }
    if (!right)
        fprintf(stderr,
                "%s, %s, %s: not what the planner finds; scripts/plans writes the built-in plans anew\n",
                c->job->name, c->job->bound, c->job->isa->name);
    c->wrong += !right;
    c->plans++;
    return *out ? DIAG_OK : diag_set(error, DIAG_ACCURACY, "refused");
}

/* Returns how many jobs of the chosen instruction set are wrong. If `again` is true, the planner searches
 * again for one in four of those that take no sweep, another one each day. */
static unsigned compare_jobs(bool again)
{
    const char *mode = getenv("ACTGEN_PLANS");
    const bool exact_too = mode && !strcmp(mode, "all");
    unsigned wrong = 0, plans = 0;
    for (size_t i = 0; i < job_count; i++) {
        arena *m = test_memory();
        const bool searches = again && is_row_of_today(i, 4) && (exact_too || !is_exact(&jobs[i]));
        struct comparison c = {&jobs[i], searches, 0, 0};
        lower_job(m, &jobs[i], (struct planner){compare, &c});
        wrong += c.wrong;
        plans += c.plans;
        arena_free(m);
    }
    assert_true(plans > 100);
    return wrong;
}

static void every_plan_is_there(void **state)
{
    (void)state;
    assert_int_equal(compare_jobs(false), 0);
}

static void the_planner_finds_the_same(void **state)
{
    (void)state;
    assert_int_equal(compare_jobs(true), 0);
}

/* Checks that a binary search finds each line, and nothing between or beyond the lines. */
static void lines_are_sorted_and_found(void **state)
{
    (void)state;
    char last[HASH_TEXT_SIZE] = "", key[HASH_TEXT_SIZE];
    size_t size;
    arena *m = test_memory();
    for (const char *line = builtin_plans; *line; line += strcspn(line, "\n") + 1) {
        memcpy(key, line, HASH_TEXT_SIZE - 1);
        key[HASH_TEXT_SIZE - 1] = 0;
        assert_true(strcmp(last, key) < 0);
        assert_int_equal(!builtin_plan(key, m, &size), line[HASH_TEXT_SIZE] == '-');
        strcpy(last, key);
        key[HASH_TEXT_SIZE - 2] = key[HASH_TEXT_SIZE - 2] == 'f' ? '0' : 'f';
        assert_true(!builtin_plan(key, m, &size) || is_listed(key));
    }
    assert_null(builtin_plan("00000000000000000000000000000000", m, &size));
    assert_null(builtin_plan("ffffffffffffffffffffffffffffffff", m, &size));
    arena_free(m);
}

static void base_64_is_what_others_write(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *text;
    } pairs[] = {{"", ""},        {"f", "Zg"},        {"fo", "Zm8"},
                 {"foo", "Zm9v"}, {"foob", "Zm9vYg"}, {"\377\376\375", "//79"}};
    /* The test vectors are those of RFC 4648, section 10, without padding. */
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        arena *m = test_memory();
        struct text line = text_new(m), bytes = text_new(m), expected = text_new(m);
        text_add(&bytes, "%s", pairs[i].bytes);
        builtin_line(&line, "00000000000000000000000000000000", &bytes, "label");
        text_add(&expected, "00000000000000000000000000000000 %s label\n", pairs[i].text);
        assert_string_equal(line.data, expected.data);
        arena_free(m);
    }
}

int main(int argc, char **argv)
{
    const char *mode = getenv("ACTGEN_PLANS");
    chosen_isa = argc > 1 ? argv[1] : NULL;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_64_is_what_others_write),
        cmocka_unit_test(lines_are_sorted_and_found),
        cmocka_unit_test(every_plan_is_there),
        cmocka_unit_test(the_planner_finds_the_same),
    };
    adds = mode && !strcmp(mode, "add");
    if (mode && (adds || !strcmp(mode, "write") || !strcmp(mode, "sweep"))) {
        sweeps = strcmp(mode, "sweep") ? PLAN_SWEEPS_NONE : PLAN_SWEEPS_DOUBTFUL;
        swept_isa = chosen_isa;
        swept_name = argc > 2 ? argv[2] : NULL;
        chosen_isa = NULL; /* The file has the plans of all sets. */
        list_jobs(NULL);
        write_all();
        return 0;
    }
    return cmocka_run_group_tests(tests, list_jobs, forget_jobs);
}
