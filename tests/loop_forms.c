/* Compares the time of the loop that the estimate chooses with the time of all other forms of the loop, and
 * counts the vectors that each form spills. The program is for people who change how the form is chosen
 * (schedule/pipeline.c). scripts/loop_forms runs it. It is no test, because times decide.
 *
 * usage: loop_forms ISA TYPE BOUND...     of all built-ins that take an element by itself */
#include "backend.h"
#include "filled.h"
#include "kernel.h"
#include "machine_code.h"
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 4096, ROUNDS = 2 * USUAL_STACK_PLACES, RUNS = 6 };
static const double near_enough = 1.02;

struct form {
    struct loop_choice loop;
    struct machine_code code;
    /* The moves of vectors to the frame and back, in the whole function. */
    unsigned spills;
    double ns; /* The time of a call. */
};

struct race_of_forms {
    actgen_kernel *kernel;
    struct form forms[LOOP_MOST_CHOICES];
    size_t count; /* The number of forms, of which the first is the estimate's. */
    struct filled_operands operands;
};

/* The times of all kernels as ratios to the time of the fastest form. */
struct summary {
    /* The kernels, and those that spill more than the plain loop of one vector. */
    unsigned kernels, spill_more;
    double chosen, fewest, no_more, worst_chosen; /* Sums of logarithms, except the worst. */
    double more_chosen, more_no_more;             /* Ratios for the kernels that spill more. */
};

static actgen_engine *engine;

static void fail(const char *what, const char *message)
{
    fprintf(stderr, "loop_forms: %s: %s\n", what, message);
    exit(EXIT_FAILURE);
}

/* Counts x86's moves of whole vectors between a register and the frame, because a spill is such a move
 * (test_frames.c). */
static unsigned count_spills(const char *assembly)
{
    static const char *const moves[] = {"movaps", "movapd", "movdqa"};
    unsigned count = 0;
    for (const char *line = assembly, *end; (end = strchr(line, '\n')); line = end + 1) {
        char text[200];
        snprintf(text, sizeof text, "%.*s", (int)(end - line), line);
        if (!strstr(text, "(%rsp") && !strstr(text, "(%rbp")) continue;
        for (size_t i = 0; i < sizeof moves / sizeof *moves; i++)
            if (strstr(text, moves[i])) count++;
    }
    return count;
}

static unsigned spills_of(const struct backend_function *f, const struct backend_options *options)
{
    struct diag error = {0};
    struct backend_buffer assembly = {0};
    if (engine_emit(engine, f, 1, options, BACKEND_ASSEMBLY, &assembly, &error))
        fail(f->symbol, error.message);
    char *text = malloc(assembly.size + 1);
    if (!text) fail(f->symbol, "out of memory");
    memcpy(text, assembly.data, assembly.size);
    text[assembly.size] = 0;
    const unsigned count = count_spills(text);
    free(text);
    backend_buffer_free(&assembly);
    return count;
}

/* Returns true if no form before has the same code. Equal code is timed only once, the estimate's first. */
static bool is_new(const struct race_of_forms *r, const struct machine_code *code)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->forms[i].code.object_hash, code->object_hash)) return false;
    return true;
}

static void make_forms(struct race_of_forms *r)
{
    struct backend_function f = own_function(r->kernel);
    const struct backend_options options = own_object(r->kernel);
    struct loop_choice loops[LOOP_MOST_CHOICES];
    struct diag error = {0};
    size_t count;
    if (engine_loops(engine, loops, &count, &f, &error)) fail(f.symbol, error.message);
    for (size_t i = 0; i < count; i++) {
        struct form *form = &r->forms[r->count];
        *form = (struct form){.loop = loops[i]};
        f.loop = loops[i];
        if (machine_code_make(&form->code, engine, &f, &options, &error)) fail(f.symbol, error.message);
        if (is_new(r, &form->code)) {
            form->spills = spills_of(&f, &options);
            r->count++;
        } else {
            machine_code_clear(&form->code);
        }
    }
}

struct run_of_form {
    const struct race_of_forms *race;
    actgen_fn run;
};

static void run_form(const void *context)
{
    const struct run_of_form *r = context;
    r->run(r->race->operands.shape.rows, r->race->operands.shape.cols, r->race->operands.list);
}

/* Returns the fastest of the forms that spill at most `most_spills` vectors. */
static const struct form *fastest_within(const struct race_of_forms *r, unsigned most_spills)
{
    const struct form *best = NULL;
    for (size_t i = 0; i < r->count; i++)
        if (r->forms[i].spills <= most_spills && (!best || r->forms[i].ns < best->ns)) best = &r->forms[i];
    return best;
}

/* Times all forms. Disturbances only make times longer. Where the estimate seems to lose, the function
 * times all forms again and keeps the least times. */
static void time_forms(struct race_of_forms *r)
{
    struct timed_call calls[LOOP_MOST_CHOICES];
    struct run_of_form runs[LOOP_MOST_CHOICES];
    struct timing times[LOOP_MOST_CHOICES];
    const struct timing_limits limits = {.slice_ns = 20e3, .rounds = ROUNDS, .least_rounds = ROUNDS};
    for (size_t i = 0; i < r->count; i++) {
        runs[i] = (struct run_of_form){r, r->forms[i].code.run};
        calls[i] = (struct timed_call){run_form, &runs[i]};
    }
    if (!filled_open(&r->operands, r->kernel, (struct call_shape){1, COLUMNS, 0}, NULL))
        fail("timing", "out of memory");
    for (int run = 0; run < RUNS && (!run || r->forms[0].ns > near_enough * fastest_within(r, ~0u)->ns);
         run++) {
        if (!time_in_turn(calls, r->count, &limits, times)) fail("timing", "out of memory");
        for (size_t i = 0; i < r->count; i++)
            if (!run || times[i].min < r->forms[i].ns) r->forms[i].ns = times[i].min;
    }
}

static unsigned fewest_spills(const struct race_of_forms *r)
{
    unsigned fewest = r->forms[0].spills;
    for (size_t i = 1; i < r->count; i++)
        if (r->forms[i].spills < fewest) fewest = r->forms[i].spills;
    return fewest;
}

/* Returns how many vectors the plain loop of one vector spills, which is what the kernel cannot avoid. */
static unsigned spills_of_plain(const struct race_of_forms *r)
{
    unsigned spills = fewest_spills(r);
    bool found = false;
    for (size_t i = 0; i < r->count; i++) {
        const struct form *f = &r->forms[i];
        if (f->loop.stages != 1 || f->loop.unroll != 1 || (found && f->spills >= spills)) continue;
        spills = f->spills;
        found = true;
    }
    return spills;
}

static const char *form_text(const struct form *f, char text[40])
{
    snprintf(text, 40, "%u x %u %s", f->loop.stages, f->loop.unroll,
             f->loop.constants == CONSTANTS_IN_MEMORY ? "memory" : "registers");
    return text;
}

static void report(const struct race_of_forms *r, const char *bound, struct summary *s)
{
    char text[2][40];
    const struct form *chosen = &r->forms[0], *best = fastest_within(r, ~0u);
    const unsigned plain = spills_of_plain(r);
    const struct form *no_more = fastest_within(r, plain);
    const double ratio = chosen->ns / best->ns, ratio_no_more = no_more->ns / best->ns;
    printf("%-20s %-10s %-16s %8.1f %6u   %-16s %8.1f %6u %6.3f %6u %6.3f\n", actgen_kernel_name(r->kernel),
           bound, form_text(chosen, text[0]), chosen->ns, chosen->spills, form_text(best, text[1]), best->ns,
           best->spills, ratio, plain, ratio_no_more);
    fflush(stdout);
    s->kernels++;
    s->chosen += log(ratio);
    s->worst_chosen = fmax(s->worst_chosen, ratio);
    s->no_more += log(ratio_no_more);
    s->fewest += log(fastest_within(r, fewest_spills(r))->ns / best->ns);
    if (chosen->spills <= plain) return;
    s->spill_more++;
    s->more_chosen += log(ratio);
    s->more_no_more += log(ratio_no_more);
}

struct walk {
    const char *isa, *type, *bound;
    struct summary *summary;
};

static int visit(void *payload, const actgen_builtin *builtin)
{
    const struct walk *w = payload;
    actgen_spec *spec;
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_error error;
    options.isa = w->isa;
    options.accuracy = w->bound;
    if (builtin->alias_of) return 0;
    struct race_of_forms *r = calloc(1, sizeof *r);
    if (!r) fail(builtin->name, "out of memory");
    if (actgen_spec_builtin_typed(&spec, builtin->name, w->type, &error)) fail(builtin->name, error.message);
    if (!actgen_compile(&r->kernel, engine, spec, NULL, &options, &error) &&
        actgen_kernel_fn(r->kernel)) { /* The bound can be kept, and the kernel has no sums. */
        make_forms(r);
        if (r->count > 1) {
            time_forms(r);
            report(r, w->bound, w->summary);
        }
    }
    filled_close(&r->operands);
    for (size_t i = 0; i < r->count; i++) machine_code_clear(&r->forms[i].code);
    actgen_kernel_free(r->kernel);
    actgen_spec_free(spec);
    free(r);
    return 0;
}

static double mean(double sum_of_logarithms, unsigned count)
{
    return count ? exp(sum_of_logarithms / count) : 1;
}

int main(int argc, char **argv)
{
    struct summary s = {0};
    actgen_error error;
    if (argc < 4 || actgen_isa_runs_here(argv[1]) != 1) {
        fputs("usage: loop_forms ISA TYPE BOUND...     such as avx2 f32 '3 ulp' 'abs 2^-22'; ISA runs here\n",
              stderr);
        return 2;
    }
    if (actgen_engine_create(&engine, &error)) fail("engine", error.message);
    pin_to_a_core();
    printf("%-20s %-10s %-16s %8s %6s   %-16s %8s %6s %6s %6s %6s\n", "kernel", "bound", "estimate's form",
           "ns", "spills", "fastest form", "ns", "spills", "ratio", "plain", "ratio");
    for (int i = 3; i < argc; i++) {
        struct walk w = {argv[1], argv[2], argv[i], &s};
        actgen_builtins(visit, &w, NULL);
    }
    printf("%u kernels: the estimate's form takes %.3f of the fastest's time, %.3f at most; the fastest of "
           "those that spill no more "
           "than the plain loop of one vector %.3f, of those that spill least %.3f\n",
           s.kernels, mean(s.chosen, s.kernels), s.worst_chosen, mean(s.no_more, s.kernels),
           mean(s.fewest, s.kernels));
    printf("%u of them spill more than that plain loop: they take %.3f, the fastest that does not spill more "
           "%.3f\n",
           s.spill_more, mean(s.more_chosen, s.spill_more), mean(s.more_no_more, s.spill_more));
    actgen_engine_free(engine);
    return EXIT_SUCCESS;
}
