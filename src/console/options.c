/* Parses the command line by a table of options, and prints help from the same table. */
#include "options.h"
#include "diagnostics.h"
#include "nearest.h"
#include "numbers.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct option_row {
    enum option_id id;
    char letter;          /* 0 = none */
    const char *name;     /* without the dashes; NULL = none */
    const char *argument; /* NULL: a switch */
    const char *help;
};

static const struct option_row option_rows[] = {
    {OPTION_EXPRESSION, 'e', NULL, "EXPR",
     "a formula of x instead of a WHAT: -e 'x/(1+exp(-x)^2)', -e 'name = x*tanh(x)'"},
    {OPTION_ALL, 0, "all", NULL, "every built-in"},
    {OPTION_ACCURACY, 0, "accuracy", "TEXT", "the bound, in place of the spec's: '3 ulp', 'abs 2^-22'"},
    {OPTION_ISA, 0, "isa", "NAME[,NAME...]",
     "instruction sets: avx512, avx2, x86-64, host, all; avx512fp16, avx512vbmi, sve2, sve, neon, armv7, "
     "vsx, s390x, rvv, wasm, "
     "ptx"},
    {OPTION_TYPE, 0, "type", "TYPE",
     "of all operands of a built-in or -e EXPR: f64, f32, f16, bf16, e4m3, e5m2, i8 or u8"},
    {OPTION_TUNE, 0, "tune", "CORE", "the core that plans are made for; actgen list --cores, or host"},
    {OPTION_PROFILE, 0, "profile", "NAME",
     "the same bits on every machine, NaN payloads excepted: portable (with fma), portable-nofma, or a "
     "set's own"},
    {OPTION_PLAN, 0, "plan", "HOW",
     "estimate: by the core's costs (default); measure: by times on this machine"},
    {OPTION_PLANS, 0, "plans", "FILE", "plans that actgen tune --export wrote, for the kernels that it has"},
    {OPTION_EXPORT, 0, "export", "FILE", "the plan file to write"},
    {OPTION_BRIEF, 0, "brief", NULL, "print the estimate and the winner only"},
    {OPTION_PROVE, 0, "prove", NULL,
     "compile only what was shown on all 2^32 inputs of each function of one f32, or proved of one f64"},
    {OPTION_PLAN_LIMIT, 0, "plan-limit", "N",
     "units of work after which a search takes the best plan so far, or the first that it finds"},
    {OPTION_TIME_LIMIT, 0, "time-limit", "SECONDS",
     "seconds that each kernel may take to compile for each set"},
    {OPTION_MEMORY_LIMIT, 0, "memory-limit", "BYTES",
     "bytes that formulas, plans and programs of one kernel may take, as 200M; default 1G"},
    {OPTION_TIER, 0, "tier", "TIER",
     "what runs the kernel here: best code (default), quick, made in a fraction of the time, or interpreter"},
    {OPTION_CORES, 0, "cores", NULL, "the cores that --tune knows, in place of the built-ins"},
    {OPTION_VALUES_OF, 0, "values-of", "OPTION",
     "the words that the option takes, in place of the built-ins"},
    {OPTION_STAGE, 0, "stage", "STAGE", "spec, expr, plan, lane, ir, asm or c"},
    {OPTION_OBJECT, 'o', NULL, "FILE", "the file to write"},
    {OPTION_HEADER, 0, "header", "FILE", "the C header to write"},
    {OPTION_DEPFILE, 0, "depfile", "FILE", "the rule for Make and Ninja to write: what -o depends on"},
    {OPTION_PREFIX, 0, "prefix", "NAME", "what all names of the object and the header begin with"},
    {OPTION_VISIBILITY, 0, "visibility", "WHERE",
     "hidden: in the library that has the object; default: outside it, too"},
    {OPTION_FORMAT, 0, "format", "NAME",
     "of the object: elf (Linux), macho (macOS), coff (Windows); default: the set's own"},
    {OPTION_DISPATCH, 0, "dispatch", "HOW",
     "of several sets the best is chosen: pointer, at the first call; ifunc, by glibc's loader"},
    {OPTION_INTERVAL, 0, "interval", "A,B", "the inputs that are drawn, or fitted at; default -5,5"},
    {OPTION_VARY, 0, "vary", "NAME", "the input that varies; default: the first"},
    {OPTION_VALUE, 0, "value", "NAME=NUMBER", "of an input that does not vary; default 1"},
    {OPTION_PANELS, 0, "panels", "NAME[,NAME...]", "curve, derivative, error; default: all three"},
    {OPTION_TO, 0, "to", "FUNCTION|EXPR", "what to fit to: gelu, or a formula of x"},
    {OPTION_PARAMETER, 0, "parameter", "NAME[=START]", "a free parameter; it starts from its default, or 1"},
    {OPTION_MEASURE, 0, "measure", "NAME", "what becomes least: mse (default), max, or ulp, of --type"},
    {OPTION_POINTS, 0, "points", "X,...|A:B:STEP,...", "the inputs to fit at, in place of an interval"},
    {OPTION_IN, 0, "in", "FILE.npy|NUMBER[,...]", "an input, once for each, in declared order"},
    {OPTION_OUT, 0, "out", "FILE.npy", "a result, once for each, in declared order; default: print"},
    {OPTION_COLUMNS, 0, "columns", "A:B", "of the file before it, only columns A to B - 1"},
    {OPTION_EXHAUSTIVE, 0, "exhaustive", NULL, "all 2^32 inputs of a function of one f32"},
    {OPTION_SHARD, 0, "shard", "I/N", "part I of N of an exhaustive verification, from 1/N to N/N"},
    {OPTION_MERGE, 0, "merge", NULL, "the WHATs are reports of all N parts: add them up"},
    {OPTION_MPI, 0, "mpi", NULL, "share an exhaustive verification out among the ranks of mpirun"},
    {OPTION_RESUME, 0, "resume", "FILE",
     "the journal of its parts: those that it has are not done again; it is made if there is none"},
    {OPTION_REPORT, 0, "report", "FILE", "write the JSON array to a file, too"},
    {OPTION_DETAILS, 0, "details", NULL, "print each kernel's plan and counts, too"},
    {OPTION_SIZES, 'n', NULL, "N[,N...]", "elements; default 2048,32768,1048576,16777216"},
    {OPTION_ROWS, 0, "rows", "R", "rows of a call; with --cols, or of the N elements; default 1"},
    {OPTION_COLS, 0, "cols", "C", "columns of a row"},
    {OPTION_STRIDE, 0, "stride", "S", "columns from one row to the next, of each part; default: no gap"},
    {OPTION_JSON, 0, "json", NULL, "print a JSON array, of what went wrong, too"},
    {OPTION_LATENCY, 0, "latency", NULL, "measure how long compiling takes instead"},
    {OPTION_CACHE, 0, "cache", "DIR", "the directory for plans and code that later runs find ready"},
    {OPTION_NO_CACHE, 0, "no-cache", NULL, "use no such directory"},
    {OPTION_HELP, 'h', "help", NULL, "print help"},
    {OPTION_VERSION, 'V', "version", NULL, "print the version"},
};
enum { OPTION_COUNT = sizeof option_rows / sizeof option_rows[0] };

const struct command *find_command(const char *name)
{
    for (const struct command *c = commands; c->name; c++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

int usage_error(const struct command *command, const char *format, ...)
{
    char message[400];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    char *usage = command ? must_format("usage: actgen %s %s", command->name, command->arguments)
                          : must_format("usage: actgen COMMAND ...");
    const bool has_hint = strstr(message, "did you mean") != NULL;
    print_problem(&(struct problem){.code = EXIT_USAGE, .message = message, .hint = has_hint ? NULL : usage});
    if (command)
        fprintf(stderr, "%s\nactgen help %s says more.\n", usage, command->name);
    else
        fprintf(stderr, "%s\nactgen --help lists the commands.\n", usage);
    free(usage);
    return EXIT_USAGE;
}

int refuse_standard_output(const struct options *options, const char *path)
{
    if (!json_standard() || !path || strcmp(path, "-") != 0) return EXIT_GOOD;
    return usage_error(options->command, "--json has the standard output: '-' cannot be written there, too");
}

int refuse_format(const struct options *options, const char *path, const char *own)
{
    static const char *const others[] = {"png", "pdf",  "jpg", "jpeg", "gif", "webp", "eps", "ps",
                                         "bmp", "tiff", "svg", "html", "htm", "md",   "txt", NULL};
    const char *name = path ? strrchr(path, '/') : NULL, *dot;
    name = name ? name + 1 : path;
    if (!name || !(dot = strrchr(name, '.'))) return EXIT_GOOD;
    const char *ending = dot + 1;
    const size_t length = strlen(ending), whole = strlen(own);
    if (length >= 3 && length <= whole && !strncasecmp(ending, own, length)) return EXIT_GOOD; /* htm, too */
    bool is_other = !strncasecmp(ending, own, whole); /* and goes on, as svgz does */
    for (size_t i = 0; others[i] && !is_other; i++) is_other = !strcasecmp(ending, others[i]);
    if (!is_other) return EXIT_GOOD; /* any other word may be part of the name */
    return usage_error(options->command, "'%s' would be %s by its name: what is written is %s, FILE.%s", path,
                       ending, own, own);
}

int options_interval(const struct options *options, double interval[2])
{
    char end;
    interval[0] = -5, interval[1] = 5;
    if (options->interval && (sscanf(options->interval, "%lf,%lf%c", &interval[0], &interval[1], &end) != 2 ||
                              !(interval[0] < interval[1]) || !isfinite(interval[1] - interval[0])))
        return usage_error(options->command, "--interval wants A,B with A below B, not '%s'",
                           options->interval);
    return EXIT_GOOD;
}

static int unknown_command(const char *name)
{
    const char *names[16];
    size_t count = 0;
    for (const struct command *c = commands; c->name; c++) names[count++] = c->name;
    names[count++] = "help";
    const char *nearest = nearest_name(name, names, count);
    if (nearest) return usage_error(NULL, "there is no command '%s'; did you mean '%s'?", name, nearest);
    return usage_error(NULL, "there is no command '%s'", name);
}

static int unknown_option(const struct command *command, const char *word)
{
    const char *names[OPTION_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].name && (!command || (command->options >> option_rows[i].id & 1u)))
            names[count++] = option_rows[i].name;
    const char *nearest = word[1] == '-' ? nearest_name(word + 2, names, count) : NULL;
    if (nearest) return usage_error(command, "there is no option '%s'; did you mean '--%s'?", word, nearest);
    return usage_error(command, "there is no option '%s'", word);
}

static const struct option_row *find_option(const char *word, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        if (word[1] == '-' && row->name && strlen(row->name) == length &&
            !memcmp(row->name, word + 2, length))
            return row;
        if (word[1] != '-' && row->letter == word[1]) return row;
    }
    return NULL;
}

int option_named(const char *name)
{
    const size_t dashes = strspn(name, "-");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].name && !strcmp(option_rows[i].name, name + dashes)) return (int)option_rows[i].id;
    return -1;
}

static void add_what(struct options *o, const char *text, bool is_expression)
{
    o->whats[o->what_count++] = (struct what){text, is_expression};
}

static void add_file(struct options *o, struct array_file *file, const char *path)
{
    *file = (struct array_file){.path = path};
    o->last_file = file;
}

/* "NAME=NUMBER", or if that is not needed "NAME". */
static const char *add_named(struct named_value **list, size_t *count, const char *text, bool needs_number)
{
    const char *equals = strchr(text, '=');
    char *end = NULL;
    const size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const double value = equals ? strtod(equals + 1, &end) : NAN;
    if (!length || (needs_number && !equals) || (equals && (end == equals + 1 || *end)))
        return needs_number ? "wants NAME=NUMBER" : "wants NAME or NAME=NUMBER";
    *list = must_grow(*list, *count + 1, sizeof **list);
    (*list)[(*count)++] = (struct named_value){must_format("%.*s", (int)length, text), value};
    return NULL;
}

/* Returns what is wrong with it, or NULL: some options may stand once only. */
static const char *set_option(struct options *o, const struct option_row *row, const char *value)
{
    const char **once = NULL;
    switch (row->id) {
    case OPTION_HELP: o->help = true; break;
    case OPTION_VERSION: o->version = true; break;
    case OPTION_EXPRESSION: add_what(o, value, true); break;
    case OPTION_ACCURACY: once = &o->accuracy; break;
    case OPTION_ISA: once = &o->isa; break;
    case OPTION_TYPE: once = &o->type; break;
    case OPTION_TUNE: once = &o->tune; break;
    case OPTION_PROFILE: once = &o->profile; break;
    case OPTION_PLAN: once = &o->plan; break;
    case OPTION_PLANS: once = &o->plans; break;
    case OPTION_EXPORT: once = &o->export; break;
    case OPTION_BRIEF: o->brief = true; break;
    case OPTION_DETAILS: o->details = true; break;
    case OPTION_CORES: o->cores = true; break;
    case OPTION_VALUES_OF: once = &o->values_of; break;
    case OPTION_STAGE: once = &o->stage; break;
    case OPTION_OBJECT: once = &o->object; break;
    case OPTION_HEADER: once = &o->header; break;
    case OPTION_DEPFILE: once = &o->depfile; break;
    case OPTION_PREFIX: once = &o->prefix; break;
    case OPTION_VISIBILITY: once = &o->visibility; break;
    case OPTION_FORMAT: once = &o->format; break;
    case OPTION_DISPATCH: once = &o->dispatch; break;
    case OPTION_INTERVAL: once = &o->interval; break;
    case OPTION_VARY: once = &o->vary; break;
    case OPTION_VALUE: return add_named(&o->values, &o->value_count, value, true);
    case OPTION_PARAMETER: return add_named(&o->parameters, &o->parameter_count, value, false);
    case OPTION_TO: once = &o->to; break;
    case OPTION_MEASURE: once = &o->measure; break;
    case OPTION_POINTS: once = &o->points; break;
    case OPTION_PANELS: once = &o->panels; break;
    case OPTION_IN: add_file(o, &o->inputs[o->input_count++], value); break;
    case OPTION_OUT: add_file(o, &o->outputs[o->output_count++], value); break;
    case OPTION_COLUMNS: once = &o->last_file->columns; break;
    case OPTION_ALL: o->all = true; break;
    case OPTION_EXHAUSTIVE: o->exhaustive = true; break;
    case OPTION_SHARD: once = &o->shard; break;
    case OPTION_MERGE: o->merge = true; break;
    case OPTION_MPI: o->mpi = true; break;
    case OPTION_RESUME: once = &o->resume; break;
    case OPTION_REPORT: once = &o->report; break;
    case OPTION_SIZES: once = &o->sizes; break;
    case OPTION_ROWS: once = &o->rows; break;
    case OPTION_COLS: once = &o->cols; break;
    case OPTION_STRIDE: once = &o->stride; break;
    case OPTION_JSON: break; /* prepare_json has seen it */
    case OPTION_LATENCY: o->latency = true; break;
    case OPTION_CACHE: once = &o->cache; break;
    case OPTION_NO_CACHE: o->no_cache = true; break;
    case OPTION_PROVE: o->prove = true; break;
    case OPTION_TIER: once = &o->tier; break;
    case OPTION_PLAN_LIMIT: once = &o->plan_limit; break;
    case OPTION_TIME_LIMIT: once = &o->time_limit; break;
    case OPTION_MEMORY_LIMIT: once = &o->memory_limit; break;
    }
    if (!once) return NULL;
    if (*once) return "is given twice";
    *once = value;
    return NULL;
}

/* One option at argv[*i], with its value, which may be in the same word or the next one. */
static int parse_option(struct options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value = NULL;
    const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const struct option_row *row = find_option(word, length);
    if (!row) return unknown_option(o->command, word);
    bool general = row->id == OPTION_HELP || row->id == OPTION_VERSION;
    if (!general && !o->command) return usage_error(NULL, "a command must come before '%s'", word);
    if (!general && !(o->command->options >> row->id & 1u))
        return usage_error(o->command, "'%s' has no option '%s'", o->command->name, word);
    if (word[1] == '-') {
        value = equals ? equals + 1 : NULL;
    } else if (word[2]) {
        value = word + 2;
    }
    if (!row->argument && value) return usage_error(o->command, "the option '%s' takes no value", word);
    if (row->argument && !value) {
        if (*i + 1 >= argc)
            return usage_error(o->command, "the option '%s' needs a value: %s", word, row->argument);
        value = argv[++*i];
    }
    if (row->id == OPTION_COLUMNS && !o->last_file)
        return usage_error(o->command, "'%s' stands behind the --in or --out that it is about", word);
    const char *wrong = set_option(o, row, value);
    if (wrong) return usage_error(o->command, "'%s' %s", word, wrong);
    return EXIT_GOOD;
}

bool is_number_word(const char *word)
{
    const char *end;
    bool is_beyond;
    return read_double(&(double){0}, word, &end, &is_beyond) && (!*end || *end == ',');
}

/* Returns true if words such as -0.1 are inputs of the command. */
static bool takes_numbers(const struct options *o) { return o->command && o->command->run == command_eval; }

/* What is wrong with the command line is said in JSON, too, wherever --json stands in it. */
static void prepare_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--json")) json_standard_begin();
}

int options_parse(struct options *o, int argc, char **argv)
{
    size_t most = (size_t)argc + 1;
    *o = (struct options){0};
    o->whats = must_allocate(most, sizeof *o->whats);
    o->inputs = must_allocate(most, sizeof *o->inputs);
    o->outputs = must_allocate(most, sizeof *o->outputs);
    bool only_words = false; /* after "--" */
    prepare_json(argc, argv);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (!only_words && !strcmp(word, "--")) {
            only_words = true;
        } else if (!only_words && word[0] == '-' && word[1] && !(takes_numbers(o) && is_number_word(word))) {
            int code = parse_option(o, argc, argv, &i);
            if (code) return code;
        } else if (!o->command && !strcmp(word, "help")) {
            o->help = true;
            if (i + 1 == argc || argv[i + 1][0] == '-') continue;
            o->language = !strcmp(argv[++i], "language");
            if (!o->language && !(o->command = find_command(argv[i]))) return unknown_command(argv[i]);
        } else if (!o->command) {
            o->command = find_command(word);
            if (!o->command) return unknown_command(word);
        } else {
            add_what(o, word, false);
        }
    }
    if (!o->command && !o->help && !o->version) return usage_error(NULL, "a command is missing");
    return EXIT_GOOD;
}

static void named_free(struct named_value *list, size_t count)
{
    for (size_t i = 0; i < count; i++) free(list[i].name);
    free(list);
}

void options_free(struct options *o)
{
    free(o->whats);
    free(o->inputs);
    free(o->outputs);
    named_free(o->values, o->value_count);
    named_free(o->parameters, o->parameter_count);
    *o = (struct options){0};
}

/* Where help names a file of examples/: says where that folder is, unless it is here. */
static void print_examples(void)
{
    static const char *const places[] = {"../share/doc/actgen/examples",
                                         "../../examples"}; /* installed; built */
    char program[PATH_MAX], path[2 * PATH_MAX], real[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0 || !access("examples/ffn.act", R_OK)) return;
    program[length] = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, sizeof path, "%.*s/%s", (int)(strrchr(program, '/') - program), program, places[i]);
        if (!realpath(path, real)) continue;
        printf("\nThe folder examples is %s.\n", real);
        return;
    }
}

void print_usage(void)
{
    puts("actgen compiles neural-network activations to vector machine code and checks what it made.\n\n"
         "  actgen list\n"
         "  actgen verify gelu --accuracy 'abs 2^-22'\n"
         "  actgen bench -e 'x/(1+exp(-x)^2)'\n"
         "  actgen compile examples/ffn.act -o ffn.o --header ffn.h\n\n"
         "usage: actgen COMMAND ...\n");
    for (const struct command *c = commands; c->name; c++) printf("  %-8s %s\n", c->name, c->summary);
    puts("  help     Help on a command, actgen help verify, or on the language, actgen help language\n\n"
         "WHAT is FILE, FILE:KERNEL, the name of a built-in, or -e EXPR. A FILE has a '/' in it or ends in\n"
         "'.act'; '-' is the standard input. The manual pages actgen(1) and act(5) say more.");
    print_examples();
}

void print_language(void)
{
    for (const char *const *line = language_lines; *line; line++) fputs(*line, stdout);
}

void print_command_help(const struct command *command)
{
    printf("usage: actgen %s %s\n\n%s.\n%s\n", command->name, command->arguments, command->summary,
           command->details);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];
        if (row->id == OPTION_VERSION || !((command->options | WITH(HELP)) >> row->id & 1u)) continue;
        char text[64];
        const char *dashes = row->name ? "--" : "", *name = row->name ? row->name : "";
        char letter[8] = "";
        if (row->letter) snprintf(letter, sizeof letter, "-%c%s", row->letter, row->name ? ", " : "");
        snprintf(text, sizeof text, "%s%s%s%s%s", letter, dashes, name, row->argument ? " " : "",
                 row->argument ? row->argument : "");
        printf("  %-24s %s\n", text, row->help);
    }
    if (strstr(command->details, "examples/")) print_examples();
}
