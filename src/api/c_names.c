/* Names that belong to C: a kernel with the name of a function, linked into a program, would be called in its
 * place, and one with the name of a macro could not be declared behind the header that defines it.
 * c_names.txt lists them. */
#include "header.h"

#include <ctype.h>
#include <string.h>

/* Knows the endings that C23 gives to the names of functions, one for each of its types. */
static bool is_type_suffix(const char *text, size_t length)
{
    static const char *const suffixes[] = {"f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strlen(suffixes[i]) == length && !memcmp(suffixes[i], text, length)) return true;
    return false;
}

/* Compares `name` with a word of the list: of `sin*`, the star stands for a type's suffix or nothing. */
static bool is_word(const char *name, const char *word, size_t length)
{
    const size_t name_length = strlen(name);
    if (word[length - 1] != '*') return name_length == length && !memcmp(name, word, length);
    length--;
    return name_length >= length && !memcmp(name, word, length) &&
           (name_length == length || is_type_suffix(name + length, name_length - length));
}

static bool is_listed(const char *name)
{
    for (const char *const *line = c_name_lines; *line; line++) {
        if (**line == '#') continue;
        for (const char *at = *line + strspn(*line, " \n"); *at; at += strspn(at, " \n")) {
            const size_t length = strcspn(at, " \n");
            if (is_word(name, at, length)) return true;
            at += length;
        }
    }
    return false;
}

/* C17, 7.1.3: what begins with an underscore is the implementation's in file scope, as _start and _init are
 * the linker's. POSIX has the types, whose names end in _t; actgen.h what begins with its name. */
static bool is_reserved(const char *name)
{
    const size_t length = strlen(name);
    return *name == '_' || (length > 2 && !strcmp(name + length - 2, "_t")) || !strncmp(name, "actgen_", 7);
}

/* By custom, what has no small letter is a macro, in thousands of headers; <inttypes.h> has others, such as
 * PRId64. */
static bool is_like_macro(const char *name)
{
    if ((!strncmp(name, "PRI", 3) || !strncmp(name, "SCN", 3)) && islower((unsigned char)name[3]))
        return true;
    while (*name && !islower((unsigned char)*name)) name++;
    return !*name;
}

bool is_c_name(const char *name) { return is_reserved(name) || is_like_macro(name) || is_listed(name); }
