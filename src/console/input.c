/* Reads each WHAT: a file, a kernel of a file, a built-in or a formula. Also reads the instruction sets. */
#include "input.h"
#include "diagnostics.h"
#include "nearest.h"
#include "options.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGEST_FILE = 64 << 20 }; /* the library has a lower limit for specs, and a better message */

static bool is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_') return false;
    return true;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

const char *kernel_colon(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon && colon != text && is_identifier(colon + 1) && access(text, F_OK) ? colon : NULL;
}

static bool is_blank(const struct buffer *text)
{
    return !text->size || strspn(text->data, " \t\r\n") == text->size;
}

static int open_file(struct source *s, const char *path)
{
    int code = file_read(&s->text, path, LARGEST_FILE);
    if (code) return code;
    actgen_error error = {0};
    s->file = must_format("%s", strcmp(path, "-") ? path : "<stdin>");
    if (is_blank(&s->text))
        return print_file_error(EXIT_INPUT, s->file, "'%s' is empty: a spec has kernels or functions",
                                s->file);
    if (actgen_spec_parse(&s->spec, s->file, s->text.data, s->text.size, &error))
        return print_diagnostic(s->file, s->text.data, s->text.size, &error);
    if (!s->kernel) return EXIT_GOOD;
    size_t count = actgen_spec_kernel_count(s->spec), i = 0;
    const char **names = must_allocate(count + 1, sizeof *names);
    for (i = 0; i < count; i++) names[i] = actgen_spec_kernel_name(s->spec, i);
    for (i = 0; i < count && strcmp(names[i], s->kernel); i++) continue;
    if (i == count) {
        const char *nearest = nearest_name(s->kernel, names, count);
        char *known = must_join(names);
        print_file_error(EXIT_INPUT, s->file, "'%s' has no kernel '%s'; %s%s%s has %s", s->file, s->kernel,
                         nearest ? "did you mean '" : "", nearest ? nearest : "", nearest ? "'? It" : "it",
                         known);
        free(known);
    }
    free(names);
    return i == count ? EXIT_INPUT : EXIT_GOOD;
}

static int open_builtin(struct source *s, const char *name, const char *type)
{
    actgen_error error = {0};
    s->file = must_format("%s", name);
    if (strpbrk(name, "+-*/^()<>= "))
        return print_error(EXIT_INPUT, "'%s' is no name; give a formula of x as -e '%s'", name, name);
    if (!actgen_spec_builtin_typed(&s->spec, name, type, &error)) return EXIT_GOOD;
    const bool is_file = !access(name, F_OK);
    const bool is_far = !strncmp(error.message, "unknown", 7) && !strstr(error.message, "did you mean");
    char *hint = is_file  ? must_format("the file of that name is './%s'", name)
                 : is_far ? must_format("actgen list prints the built-ins")
                          : NULL;
    const int code = print_problem(
        &(struct problem){.code = exit_of_status(error.status), .message = error.message, .hint = hint});
    if (hint) print_note("%s", hint);
    free(hint);
    return code;
}

static int open_expression(struct source *s, const char *formula, const char *type)
{
    actgen_error error = {0};
    s->file = must_format("expression");
    buffer_write(&s->text, formula, strlen(formula));
    if (!actgen_spec_expression_typed(&s->spec, formula, type, &error)) return EXIT_GOOD;
    return print_diagnostic(s->file, s->text.data, s->text.size, &error);
}

/* Gives a formula without a name, after `unnamed` others, the name expression2, expression3 and so on. */
static int number_expression(struct source *s, const char *formula, const char *type, size_t unnamed)
{
    actgen_error error = {0};
    if (!unnamed) return EXIT_GOOD;
    actgen_spec_free(s->spec);
    char *named = must_format("expression%zu = %s", unnamed + 1, formula);
    const int status = actgen_spec_expression_typed(&s->spec, named, type, &error);
    free(named);
    return status ? print_error(exit_of_status(status), "%s", error.message) : EXIT_GOOD;
}

static int refuse_type(const char *path)
{
    return print_file_error(
        EXIT_USAGE, path, "'%s' names the types of its operands; --type is for built-ins and -e EXPR", path);
}

int source_open(struct source *s, const struct what *what, const char *type)
{
    int code;
    *s = (struct source){0};
    if (what->is_expression) {
        code = open_expression(s, what->text, type);
    } else {
        const char *colon = kernel_colon(what->text);
        size_t length = colon ? (size_t)(colon - what->text) : strlen(what->text);
        char *path = must_format("%.*s", (int)length, what->text);
        if (colon) s->kernel = must_format("%s", colon + 1);
        s->is_file = colon || strchr(path, '/') || ends_with(path, ".act") || !strcmp(path, "-");
        code = !s->is_file ? open_builtin(s, path, type) : type ? refuse_type(path) : open_file(s, path);
        free(path);
    }
    if (code) source_close(s);
    return code;
}

void source_close(struct source *s)
{
    actgen_spec_free(s->spec);
    buffer_free(&s->text);
    free(s->file);
    free(s->kernel);
    *s = (struct source){0};
}

const char **split_commas(const char *text)
{
    size_t count = 1;
    for (const char *c = text; *c; c++) count += *c == ',';
    const char **words = must_allocate(count + 1, sizeof *words);
    char *copy = must_format("%s", text);
    for (size_t i = 0; i < count; i++) {
        words[i] = copy;
        copy += strcspn(copy, ",");
        *copy++ = 0;
    }
    return words;
}

void split_free(const char **words)
{
    if (words) free((void *)(uintptr_t)words[0]);
    free(words);
}

static int check_isa(const char *isa)
{
    const char *names[32] = {"host"};
    for (size_t i = 0; i < 30 && actgen_isa_name(i); i++) names[i + 1] = actgen_isa_name(i);
    for (size_t i = 0; names[i]; i++)
        if (!strcmp(names[i], isa)) return EXIT_GOOD;
    return print_unknown(EXIT_TARGET, "instruction set", isa, names);
}

static bool is_of_this_machine(const char *isa)
{
    const char *here = actgen_isa_architecture("host"), *architecture = actgen_isa_architecture(isa);
    return here && architecture && !strcmp(here, architecture);
}

static void add_isa(struct buffer *all, const char *name)
{
    if (all->size) buffer_write(all, ",", 1);
    buffer_write(all, name, strlen(name));
}

/* Adds the sets of the architecture, separated by commas. */
static void add_isas_of(struct buffer *all, const char *architecture)
{
    for (size_t i = 0; architecture && actgen_isa_name(i); i++) {
        const char *name = actgen_isa_name(i);
        if (actgen_isa_extends(name) || strcmp(actgen_isa_architecture(name), architecture) != 0) continue;
        add_isa(all, name);
    }
}

/* Adds the sets that a word means: "all", an architecture or a set. */
static void add_isa_word(struct buffer *all, const char *word)
{
    const size_t before = all->size;
    const bool is_all = !strcmp(word, "all");
    if (is_all || !actgen_isa_architecture(word))
        add_isas_of(all, is_all ? actgen_isa_architecture("host") : word);
    if (all->size == before) add_isa(all, is_all ? actgen_isa_name(0) : word);
}

/* Replaces "host" by the name of the set, "all" by the sets of this machine's architecture, and "arm64" by
 * the sets of that one. Sets that extend others are left out there. A set that is named twice counts once. */
static int choose_isas(struct jobs *jobs, const char *text)
{
    const char *const allowed = getenv("ACTGEN_ISA");
    if (allowed && *allowed && check_isa(allowed)) return EXIT_TARGET;
    struct buffer all = {0};
    const char **words = split_commas(text ? text : "host");
    for (size_t i = 0; words[i]; i++) add_isa_word(&all, words[i]);
    split_free(words);
    jobs->isa_words = split_commas(all.data);
    buffer_free(&all);
    size_t kept = 0, count = 0;
    while (jobs->isa_words[count]) count++;
    jobs->isas = must_allocate(count + 1, sizeof *jobs->isas);
    for (size_t i = 0; i < count; i++) {
        const char *isa = jobs->isa_words[i];
        int code = check_isa(isa);
        if (code) return code;
        if (!strcmp(isa, "host")) isa = actgen_host_isa();
        bool known = false;
        for (size_t k = 0; k < kept; k++) known = known || !strcmp(jobs->isas[k], isa);
        if (!known) jobs->isas[kept++] = isa;
    }
    return EXIT_GOOD;
}

/* Checks the architectures before the long work. */
static int check_architectures(const struct jobs *jobs, const struct command *command)
{
    const char *first = jobs->isas[0], *architecture = actgen_isa_architecture(first);
    for (size_t i = 0; jobs->isas[i]; i++) {
        const char *isa = jobs->isas[i], *own = actgen_isa_architecture(isa);
        if (command->code == CODE_RUN && own && !is_of_this_machine(isa))
            return print_error(
                EXIT_TARGET,
                "%s is an instruction set of %s, and '%s' runs code here: `actgen compile --isa %s` "
                "writes an object for it",
                isa, own, command->name, isa);
        if (command->code == CODE_LINKED && own && strcmp(own, architecture) != 0)
            return print_error(
                EXIT_TARGET,
                "one object cannot hold code for both %s (%s) and %s (%s): compile one for each "
                "architecture",
                first, architecture, isa, own);
    }
    return EXIT_GOOD;
}

/* A set that extends another shares its cores. */
bool is_core_of(const char *core_name, const char *isa)
{
    const char *extended = actgen_isa_extends(isa);
    actgen_core core = ACTGEN_CORE_INIT;
    if (!strcmp(core_name, "host")) return true;
    for (size_t i = 0; !actgen_core_info(i, &core); i++)
        if (!strcmp(core.name, core_name) && !strcmp(core.isa, extended ? extended : isa)) return true;
    return false;
}

static int check_tune(struct jobs *jobs, const char *tune)
{
    const char *names[40] = {"host"}, *of = NULL;
    actgen_core core = ACTGEN_CORE_INIT;
    jobs->tune = tune;
    if (!tune) return EXIT_GOOD;
    for (size_t i = 0; jobs->isas[i]; i++)
        if (is_core_of(tune, jobs->isas[i])) return EXIT_GOOD;
    for (size_t i = 0; i < 38 && !actgen_core_info(i, &core); i++) {
        names[i + 1] = core.name;
        if (!strcmp(core.name, tune)) of = core.isa;
    }
    if (!of) return print_unknown(EXIT_TARGET, "core", tune, names);
    return print_error(EXIT_TARGET, "the core '%s' is one of %s, which is not among the instruction sets",
                       tune, of);
}

static int check_profile(struct jobs *jobs, const char *profile)
{
    const char *names[32] = {NULL};
    jobs->profile = profile;
    for (size_t i = 0; profile && i < 31 && actgen_profile_name(i); i++) {
        names[i] = actgen_profile_name(i);
        if (!strcmp(names[i], profile)) return EXIT_GOOD;
    }
    return profile ? print_unknown(EXIT_TARGET, "profile", profile, names) : EXIT_GOOD;
}

/* Finds the number of the word; it is 0 for NULL. Returns false if the word is not in the list. */
static bool choose_word(int32_t *out, const char *word, const char *const *words)
{
    for (*out = 0; word && words[*out] && strcmp(words[*out], word);) ++*out;
    return words[*out];
}

static int choose_tier(struct jobs *jobs, const struct options *options)
{
    static const char *const names[] = {[ACTGEN_TIER_BEST] = "best",
                                        [ACTGEN_TIER_QUICK] = "quick",
                                        [ACTGEN_TIER_INTERPRETER] = "interpreter",
                                        NULL};
    if (choose_word(&jobs->tier, options->tier, names)) return EXIT_GOOD;
    return usage_error(options->command, "--tier is best, quick or interpreter, not '%s'", options->tier);
}

static int choose_plan(struct jobs *jobs, const struct options *options)
{
    static const char *const names[] = {
        [ACTGEN_PLAN_ESTIMATE] = "estimate", [ACTGEN_PLAN_MEASURE] = "measure", NULL};
    if (!choose_word(&jobs->plan, options->plan, names))
        return usage_error(options->command, "--plan is estimate or measure, not '%s'", options->plan);
    if (!options->plans) return EXIT_GOOD;
    int code = file_read(&jobs->plans, options->plans, LARGEST_FILE);
    if (!code && strlen(jobs->plans.data) != jobs->plans.size)
        code = print_file_error(EXIT_INPUT, options->plans, "'%s' is no plan file: it is not text",
                                options->plans);
    return code;
}

int choose_type(int *type, const char *name)
{
    const char *names[ACTGEN_U64 + 1] = {NULL}; /* The types of built-ins stand before the type of seeds. */
    for (*type = 0; *type < ACTGEN_U64; ++*type) {
        names[*type] = actgen_type_name(*type);
        if (!strcmp(names[*type], name)) return EXIT_GOOD;
    }
    actgen_error error = {0};
    actgen_spec *spec;
    const int status = actgen_spec_expression_typed(&spec, "x", name, &error);
    actgen_spec_free(spec);
    return status == ACTGEN_ENOTYET ? print_error(EXIT_USAGE, "%s", error.message)
                                    : print_unknown(EXIT_USAGE, "type", name, names);
}

struct builtin_walk {
    struct jobs *jobs;
    const char *type;
    int code;
};

/* Returns true for a built-in that --all leaves out, because it cannot be made of this type. */
static bool is_left_out(const actgen_builtin *builtin, const char *type)
{
    actgen_error error = {0};
    actgen_spec *spec;
    const int status = actgen_spec_builtin_typed(&spec, builtin->name, type, &error);
    actgen_spec_free(spec);
    if (status == ACTGEN_ENOTYET) print_note("left out: %s", error.message);
    return status == ACTGEN_ENOTYET;
}

static int open_each(void *payload, const actgen_builtin *builtin)
{
    struct builtin_walk *walk = payload;
    struct jobs *jobs = walk->jobs;
    if (builtin->alias_of || is_left_out(builtin, walk->type)) return 0; /* an alias has the same kernel */
    jobs->sources = must_grow(jobs->sources, jobs->source_count + 1, sizeof *jobs->sources);
    struct what what = {builtin->name, false};
    walk->code = source_open(&jobs->sources[jobs->source_count], &what, walk->type);
    if (!walk->code) jobs->source_count++;
    return walk->code;
}

static int open_sources(struct jobs *jobs, const struct options *options)
{
    if (options->all) {
        actgen_error error = {0};
        struct builtin_walk walk = {jobs, options->type, EXIT_GOOD};
        int status = actgen_builtins(open_each, &walk, &error);
        if (walk.code || !status) return walk.code;
        return print_error(exit_of_status(status), "%s", error.message);
    }
    jobs->sources = must_allocate(options->what_count, sizeof *jobs->sources);
    int code = EXIT_GOOD;
    size_t unnamed = 0;
    for (size_t i = 0; i < options->what_count; i++) { /* all, so that one run shows all errors */
        const struct what *what = &options->whats[i];
        struct source *source = &jobs->sources[jobs->source_count];
        int one = source_open(source, what, options->type);
        if (!one) jobs->source_count++;
        if (!one && what->is_expression && !strcmp(actgen_spec_kernel_name(source->spec, 0), "expression"))
            one = number_expression(source, what->text, options->type, unnamed++);
        code = worse_exit(code, one);
    }
    return code;
}

static void add_job(struct jobs *jobs, size_t source, const char *kernel)
{
    for (size_t i = 0; jobs->isas[i]; i++) {
        jobs->list = must_grow(jobs->list, jobs->count + 1, sizeof *jobs->list);
        jobs->list[jobs->count++] = (struct job){source, kernel, jobs->isas[i]};
    }
}

/* Prints why a cache directory that the user named is not used. The default directory gets no message. */
int engine_open(actgen_engine **out, const struct options *options)
{
    actgen_error error = {0};
    actgen_engine_options engine = ACTGEN_ENGINE_OPTIONS_INIT;
    const char *why_not;
    if (options->cache && options->no_cache)
        return usage_error(options->command, "--cache and --no-cache contradict each other");
    engine.cache_directory = options->no_cache ? "" : options->cache;
    if (actgen_engine_create_with(out, &engine, &error))
        return print_error(exit_of_status(error.status), "%s", error.message);
    if (!actgen_engine_cache(*out, &why_not) && options->cache) print_note("nothing is cached: %s", why_not);
    return EXIT_GOOD;
}

static int write_nothing(void *payload, const void *data, size_t size)
{
    (void)payload, (void)data, (void)size;
    return 0;
}

/* Checks --accuracy once for all jobs: a bound that cannot be read is wrong for each. */
static int check_accuracy(struct jobs *jobs)
{
    actgen_options options;
    actgen_error error = {0};
    if (!jobs->accuracy || !jobs->count) return EXIT_GOOD;
    const struct job *job = &jobs->list[0];
    const actgen_spec *spec = job_options(&options, jobs, job, NULL);
    actgen_explain(spec, job->kernel, &options, ACTGEN_STAGE_SPEC, write_nothing, NULL, &error);
    if (!error.line) return EXIT_GOOD; /* each job reports other errors */
    return print_diagnostic("--accuracy", jobs->accuracy, strlen(jobs->accuracy), &error);
}

int jobs_open(struct jobs *jobs, const struct options *options, const char *default_isas)
{
    *jobs = (struct jobs){.accuracy = options->accuracy};
    if (options->all && options->what_count)
        return usage_error(options->command, "--all already takes every built-in");
    if (!options->all && !options->what_count)
        return usage_error(options->command, "a WHAT is missing: a file, a built-in's name or -e EXPR");
    int code = choose_isas(jobs, options->isa ? options->isa : default_isas);
    if (!code) code = check_architectures(jobs, options->command);
    jobs->prove = options->prove;
    if (!code) code = check_tune(jobs, options->tune);
    if (!code) code = check_profile(jobs, options->profile);
    int type;
    if (!code && options->type) code = choose_type(&type, options->type);
    if (!code) code = choose_plan(jobs, options);
    if (!code) code = choose_tier(jobs, options);
    if (!code) code = choose_limits(jobs, options);
    if (!code) code = open_sources(jobs, options);
    if (!code) code = engine_open(&jobs->engine, options);
    for (size_t s = 0; !code && s < jobs->source_count; s++) {
        const struct source *source = &jobs->sources[s];
        size_t count = actgen_spec_kernel_count(source->spec);
        if (source->kernel) add_job(jobs, s, source->kernel);
        for (size_t k = 0; !source->kernel && k < count; k++)
            add_job(jobs, s, actgen_spec_kernel_name(source->spec, k));
        if (count == 0)
            code = print_file_error(EXIT_INPUT, source->file,
                                    "'%s' has no kernel; functions alone make no code", source->file);
    }
    if (!code) code = check_accuracy(jobs);
    if (code) jobs_close(jobs);
    return code;
}

void jobs_close(struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->source_count; i++) source_close(&jobs->sources[i]);
    free(jobs->sources);
    free(jobs->list);
    free(jobs->isas);
    split_free(jobs->isa_words);
    buffer_free(&jobs->plans);
    actgen_engine_free(jobs->engine);
    *jobs = (struct jobs){0};
}
