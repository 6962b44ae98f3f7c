/* Reads the words after `actgen eval WHAT` as the inputs of a call with one row. */
#include "points.h"
#include "arrays.h"
#include "file.h"
#include "input.h"
#include "markup.h"
#include "operands.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

/* One name of an input; a list has the name of all its values. */
struct input {
    actgen_operand_info info;
    char *name, *text; /* `text`: its numbers, "1,-2.5"; NULL before one is given */
    size_t numbers;    /* in the text */
};

struct inputs {
    const actgen_kernel *kernel;
    const struct command *command;
    struct input *list;
    size_t count, cols;
};

static void find_inputs(struct inputs *in)
{
    in->list = must_allocate(actgen_kernel_operand_count(in->kernel), sizeof *in->list);
    for (size_t i = 0; i < actgen_kernel_operand_count(in->kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(in->kernel, i, &info);
        if (info.is_result || (is_list(&info) && info.part)) continue;
        const size_t length = is_list(&info) ? strcspn(info.name, "[") : strlen(info.name);
        in->list[in->count++] =
            (struct input){.info = info, .name = must_format("%.*s", (int)length, info.name)};
    }
}

/* Returns the names of the inputs, "gate, up" or "gate=1 up=1", as many as fit a message. The caller frees
 * it. */
static char *names_of(const struct inputs *in, const char *after, const char *between)
{
    enum { MOST_TEXT = 100 };
    struct buffer text = {0};
    for (size_t i = 0; i < in->count && text.size < MOST_TEXT; i++)
        put(&text, "%s%s%s", i ? between : "", in->list[i].name, after);
    if (text.size >= MOST_TEXT) put(&text, "%s...", between);
    char *names = must_format("%s", text.size ? text.data : "");
    buffer_free(&text);
    return names;
}

/* Prints "'WORD' <what>; swiglu has the inputs gate, up, as in gate=1 up=1". */
static int say_with_names(const struct inputs *in, const char *word, const char *what)
{
    char *names = names_of(in, "", ", "), *example = names_of(in, "=1", " ");
    const int code = usage_error(in->command, "'%s' %s; %s has the input%s %s, as in %s", word, what,
                                 actgen_kernel_name(in->kernel), in->count == 1 ? "" : "s", names, example);
    free(names);
    free(example);
    return code;
}

/* Prints which word is no number: a short list as a whole, or the first such word of a long one. */
static int refuse_numbers(const struct inputs *in, const char *text)
{
    enum { SHORT = 60 };
    const char **words = split_commas(text);
    size_t i = 0;
    while (words[i] && is_number_word(words[i])) i++;
    const int code = strlen(text) <= SHORT || !words[i]
                         ? say_with_names(in, text, "is no number, and no list of numbers with commas")
                         : say_with_names(in, words[i], "in the list is no number");
    split_free(words);
    return code;
}

/* Adds numbers to those of an input. */
static int add_numbers(const struct inputs *in, struct input *input, const char *text)
{
    size_t count, empty;
    if (!count_numbers(text, &count, &empty) || empty) return refuse_numbers(in, text);
    char *longer = must_format("%s%s%s", input->text ? input->text : "", input->text ? "," : "", text);
    free(input->text);
    input->text = longer;
    input->numbers += count;
    return EXIT_GOOD;
}

static struct input *named(const struct inputs *in, const char *name, size_t length)
{
    for (size_t i = 0; i < in->count; i++)
        if (strlen(in->list[i].name) == length && !memcmp(in->list[i].name, name, length))
            return &in->list[i];
    return NULL;
}

static int add_named(const struct inputs *in, const char *word)
{
    const size_t length = strcspn(word, "=");
    struct input *input = named(in, word, length);
    if (!input) return say_with_names(in, word, "names no input");
    if (input->text) return say_with_names(in, word, "gives an input a second time");
    return add_numbers(in, input, word + length + 1);
}

/* Gives numbers without a name to the only input that has no value by its name. */
static int add_unnamed(const struct inputs *in, const struct what *words, size_t count)
{
    struct input *only = NULL;
    size_t missing = 0;
    for (size_t i = 0; i < in->count; i++)
        if (!in->list[i].text) only = missing++ ? NULL : &in->list[i];
    int code = EXIT_GOOD;
    for (size_t i = 0; i < count && !code; i++) {
        if (strchr(words[i].text, '=')) continue;
        code = only ? add_numbers(in, only, words[i].text)
                    : say_with_names(in, words[i].text,
                                     missing ? "may be for several inputs" : "is for no input");
    }
    for (size_t i = 0; i < in->count && !code; i++)
        if (!in->list[i].text) code = say_with_names(in, in->list[i].name, "has no value");
    return code;
}

static bool is_per_column(const struct input *input)
{
    return input->info.shape == ACTGEN_SHAPE_MATRIX || input->info.shape == ACTGEN_SHAPE_COLS;
}

/* Checks that inputs that vary along the row have equally many numbers, or one for all columns. */
static int check_counts(struct inputs *in)
{
    in->cols = 1;
    for (size_t i = 0; i < in->count; i++)
        if (in->list[i].info.block || in->list[i].info.block_rows)
            return say_with_names(in, in->list[i].name,
                                  in->list[i].info.block
                                      ? "has one value for several columns; `actgen run` takes it"
                                      : "has one value for several rows; `actgen run` takes it");
    for (size_t i = 0; i < in->count; i++)
        if (is_per_column(&in->list[i]) && in->list[i].numbers > 1) in->cols = in->list[i].numbers;
    for (size_t i = 0; i < in->count; i++) {
        const struct input *input = &in->list[i];
        const size_t wanted = is_list(&input->info) ? input->info.parts : is_per_column(input) ? in->cols : 1;
        if (input->numbers == wanted || (is_per_column(input) && input->numbers == 1)) continue;
        return usage_error(in->command, "'%s' has %zu number%s and needs %zu", input->name, input->numbers,
                           input->numbers == 1 ? "" : "s", wanted);
    }
    return EXIT_GOOD;
}

/* Returns the numbers of `parts` inputs that share one operand, in the order of a row. The caller frees it.
 */
static char *join_parts(const struct inputs *in, const struct input *first, size_t parts)
{
    struct buffer text = {0};
    const bool is_packed = first->info.layout == ACTGEN_LAYOUT_PACKED;
    const char ***words = must_allocate(parts, sizeof *words); /* the numbers of each part */
    for (size_t i = 0; i < parts; i++) words[i] = split_commas(first[i].text);
    for (size_t k = 0; k < parts * in->cols; k++) {
        const size_t part = is_packed ? k / in->cols : k % parts;
        const size_t column = is_packed ? k % in->cols : k / parts;
        put(&text, "%s%s", k ? "," : "", words[part][first[part].numbers == 1 ? 0 : column]);
    }
    for (size_t i = 0; i < parts; i++) split_free(words[i]);
    free(words);
    char *joined = must_format("%s", text.data);
    buffer_free(&text);
    return joined;
}

static void join_all(const struct inputs *in, struct points *points)
{
    points->files = must_allocate(in->count, sizeof *points->files);
    for (size_t i = 0; i < in->count;) {
        const struct input *input = &in->list[i];
        const size_t parts = is_list(&input->info) ? 1 : input->info.parts;
        points->files[points->count++] = (struct array_file){
            .path = parts == 1 ? must_format("%s", input->text) : join_parts(in, input, parts)};
        i += parts;
    }
}

int points_open(struct points *points, const actgen_kernel *kernel, const struct command *command,
                const struct what *words, size_t count)
{
    struct inputs in = {.kernel = kernel, .command = command};
    int code = EXIT_GOOD;
    *points = (struct points){0};
    find_inputs(&in);
    for (size_t i = 0; i < count && !code; i++)
        if (strchr(words[i].text, '=')) code = add_named(&in, words[i].text);
    if (!code) code = add_unnamed(&in, words, count);
    if (!code) code = check_counts(&in);
    if (!code) join_all(&in, points);
    for (size_t i = 0; i < in.count; i++) {
        free(in.list[i].name);
        free(in.list[i].text);
    }
    free(in.list);
    return code;
}

void points_close(struct points *points)
{
    for (size_t i = 0; i < points->count; i++) free((void *)(uintptr_t)points->files[i].path);
    free(points->files);
    *points = (struct points){0};
}
