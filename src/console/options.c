/* Parses the command line by the rows of options.def. */
#include "options.h"
#include "diagnostics.h"
#include "nearest.h"
#include "numbers.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define IN(command) (1u << COMMAND_##command)
#define EVERY       ((1u << COMMAND_COUNT) - 1)
#define COMPILING                                                                                            \
    (IN(eval) | IN(verify) | IN(compile) | IN(run) | IN(bench) | IN(show) | IN(tune) | IN(plot) | IN(report))

const struct option_row option_rows[OPTION_COUNT] = {
#define CHOICE(id, group, commands, letter, name, argument, field, words, help)                              \
    {GROUP_##group, commands,  letter,                                                                       \
     name,          argument,  words,                                                                        \
     help,          KIND_TEXT, offsetof(struct options, field)},
#define TEXT(id, group, commands, letter, name, argument, field, help)                                       \
    {GROUP_##group, commands, letter, name, argument, NULL, help, KIND_TEXT, offsetof(struct options, field)},
#define SWITCH(id, group, commands, letter, name, field, help)                                               \
    {GROUP_##group, commands, letter, name, NULL, NULL, help, KIND_SWITCH, offsetof(struct options, field)},
#define OTHER(id, group, commands, letter, name, argument, help)                                             \
    {GROUP_##group, commands, letter, name, argument, NULL, help, KIND_OTHER, 0},
#include "options.def"
};

static enum option_id id_of(const struct option_row *row) { return (enum option_id)(row - option_rows); }

bool command_has(const struct command *command, enum option_id option)
{
    return option_rows[option].commands >> (command - commands) & 1;
}

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
    return usage_error(options->command, "--json prints to the standard output, so no file can be '-'");
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
    bool is_other = !strncasecmp(ending, own, whole); /* or a longer ending, such as svgz */
    for (size_t i = 0; others[i] && !is_other; i++) is_other = !strcasecmp(ending, others[i]);
    if (!is_other) return EXIT_GOOD; /* any other word may be part of the name */
    return usage_error(options->command,
                       "the name '%s' is for %s, but actgen writes %s here: name it FILE.%s", path, ending,
                       own, own);
}

int options_interval(const struct options *options, double interval[2])
{
    char end;
    interval[0] = -5, interval[1] = 5;
    if (!options->interval) return EXIT_GOOD;
    if (sscanf(options->interval, "%lf,%lf%c", &interval[0], &interval[1], &end) != 2 ||
        !(interval[0] < interval[1]))
        return usage_error(options->command, "--interval wants A,B with A below B, not '%s'",
                           options->interval);
    if (!isfinite(interval[1] - interval[0]))
        return usage_error(options->command, "--interval wants A,B with B - A of at most 1.7e308, not '%s'",
                           options->interval);
    return EXIT_GOOD;
}

static int unknown_command(const char *name)
{
    const char *names[COMMAND_COUNT + 1];
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
        if (option_rows[i].name && (!command || command_has(command, (enum option_id)i)))
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
        if (option_rows[i].name && !strcmp(option_rows[i].name, name + dashes)) return (int)i;
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

/* Adds "NAME=NUMBER", or only "NAME" if no number is needed. Returns NULL, or what is wrong. */
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

static const char *set_once(const char **field, const char *value)
{
    if (*field) return "is given twice";
    *field = value;
    return NULL;
}

/* Sets the option's field. Returns NULL, or what is wrong. */
static const char *set_option(struct options *o, const struct option_row *row, const char *value)
{
    void *field = (char *)o + row->offset;
    if (row->kind == KIND_TEXT) return set_once(field, value);
    if (row->kind == KIND_SWITCH) *(bool *)field = true;
    switch ((int)id_of(row)) {
    case OPTION_EXPRESSION: add_what(o, value, true); break;
    case OPTION_OBJECT: return set_once(&o->object, value);
    case OPTION_VALUE: return add_named(&o->values, &o->value_count, value, true);
    case OPTION_PARAMETER: return add_named(&o->parameters, &o->parameter_count, value, false);
    case OPTION_IN: add_file(o, &o->inputs[o->input_count++], value); break;
    case OPTION_OUT: add_file(o, &o->outputs[o->output_count++], value); break;
    case OPTION_COLUMNS: return set_once(&o->last_file->columns, value);
    default: break; /* prepare_json has seen --json */
    }
    return NULL;
}

/* Reads the option at argv[*i]. Its value may be in the same word or the next one. */
static int parse_option(struct options *o, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *value = NULL;
    const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
    size_t length = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
    const struct option_row *row = find_option(word, length);
    if (!row) return unknown_option(o->command, word);
    bool general = id_of(row) == OPTION_HELP || id_of(row) == OPTION_VERSION;
    if (!general && !o->command) return usage_error(NULL, "a command must come before '%s'", word);
    if (!general && !command_has(o->command, id_of(row)))
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
    if (id_of(row) == OPTION_COLUMNS && !o->last_file)
        return usage_error(o->command, "'%s' must follow the --in or --out that it is about", word);
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

/* Begins the JSON array if --json stands anywhere, so that errors of the command line are in it, too. */
static void prepare_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--json")) json_standard_begin();
}

/* Reads "help", and after it "verify", "verify options", "options", "language", "help" or nothing. */
static int parse_help(struct options *o, int argc, char **argv, int *i)
{
    o->help = true;
    if (*i + 1 == argc || argv[*i + 1][0] == '-') return EXIT_GOOD;
    const char *word = argv[++*i];
    o->language = !strcmp(word, "language");
    o->shared_options = !strcmp(word, "options");
    if (o->language || o->shared_options || !strcmp(word, "help")) return EXIT_GOOD;
    if (!(o->command = find_command(word))) return unknown_command(word);
    if (*i + 1 < argc && !strcmp(argv[*i + 1], "options")) o->shared_options = ++*i;
    return EXIT_GOOD;
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
            const int code = parse_help(o, argc, argv, &i);
            if (code) return code;
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
