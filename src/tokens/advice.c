/* Gives advice on a name that another language has. Asks the language's own names first, then the table in
 * words/. */
#include "advice.h"
#include "nearest.h"
#include "spellings.h"
#include "template_text.h"
#include "vocabulary.h"

#include <stdio.h>
#include <string.h>

enum { NAMES_MAX = VOCABULARY_MAX + 256 };

static size_t known_functions(const char **names)
{
    size_t count = vocabulary_functions(names);
    for (const struct template_place *t = spec_template_places; t->name && count < NAMES_MAX; t++)
        names[count++] = t->name;
    return count;
}

static bool is_in(const char *name, size_t length, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], name, length)) return true;
    return false;
}

bool is_known_function(const char *name, size_t length)
{
    const char *names[NAMES_MAX];
    return is_in(name, length, names, known_functions(names));
}

static const struct template_place *template_named(const char *name)
{
    for (const struct template_place *t = spec_template_places; t->name; t++)
        if (!strcmp(t->name, name)) return t;
    return NULL;
}

/* Writes how a formula calls the function, as in "write `gelu(x)`". Writes only the name of a kernel. */
static void write_call(char out[ADVICE_SIZE], const char *name, const char *argument, size_t length)
{
    const struct template_place *t = template_named(name);
    const char *use = special_use(special_of(name));
    if (use) {
        snprintf(out, ADVICE_SIZE, "write `%s`", use);
    } else if (t && t->kind == TOKEN_KERNEL) {
        snprintf(out, ADVICE_SIZE, "the built-in kernel is `%s`", name);
    } else if (t && t->kind == TOKEN_FUNCTION) {
        const char *open = spec_templates + t->begin + strcspn(spec_templates + t->begin, "(") + 1;
        const size_t arguments = strcspn(open, ";)");
        const bool one = !memchr(open, ',', arguments);
        snprintf(out, ADVICE_SIZE, "write `%s(%.*s)`", name, (int)(one ? length : arguments),
                 one ? argument : open);
    } else {
        snprintf(out, ADVICE_SIZE, "write `%s(%.*s)`", name, (int)length, argument);
    }
}

/* Writes the cast to a type that a row names, as "write `f16`" does, or the advice of the row. */
static void write_cast(char out[ADVICE_SIZE], const struct spelling_meaning *type)
{
    static const char write[] = "write `";
    const size_t start = sizeof write - 1;
    const char *name = type->known ? type->known : type->advice + start;
    if (type->known || !strncmp(type->advice, write, start))
        snprintf(out, ADVICE_SIZE, "a cast is written `%.*s(x)`", (int)strcspn(name, "`"), name);
    else
        snprintf(out, ADVICE_SIZE, "%s", type->advice);
}

bool advice_on_type(char out[ADVICE_SIZE], const char *name, size_t length)
{
    out[0] = 0;
    const char *types[ELEMENT_TYPE_COUNT];
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) types[i] = element_types[i].name;
    const struct spelling_meaning type =
        spelling_find(SPELLING_TYPE, name, length, types, ELEMENT_TYPE_COUNT);
    const char *near = type.known || type.advice ? type.known : nearest_name(name, types, ELEMENT_TYPE_COUNT);
    if (near)
        snprintf(out, ADVICE_SIZE, "did you mean `%s`?", near);
    else if (type.advice)
        snprintf(out, ADVICE_SIZE, "%s", type.advice);
    return near || type.advice;
}

void advice_on_name(char out[ADVICE_SIZE], const char *name, size_t length, bool is_called,
                    const char *argument, size_t argument_length)
{
    const char *names[NAMES_MAX], *constants[VOCABULARY_MAX], *types[ELEMENT_TYPE_COUNT];
    const size_t functions = known_functions(names), constant_count = vocabulary_constants(constants);
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++) types[i] = element_types[i].name;
    const struct spelling_meaning function = spelling_find(SPELLING_FUNCTION, name, length, names, functions),
                                  value =
                                      spelling_find(SPELLING_VALUE, name, length, constants, constant_count),
                                  type =
                                      spelling_find(SPELLING_TYPE, name, length, types, ELEMENT_TYPE_COUNT);
    const bool is_value = value.known || value.advice, is_function = function.known || function.advice;
    out[0] = 0;
    if (is_value && !(is_called && is_function))
        snprintf(out, ADVICE_SIZE, value.known ? "write `%s`" : "%s",
                 value.known ? value.known : value.advice);
    else if (function.known)
        write_call(out, function.known, argument, argument_length);
    else if (is_called && function.advice)
        snprintf(out, ADVICE_SIZE, "%s", function.advice);
    else if (is_called && (type.known || type.advice))
        write_cast(out, &type);
}
