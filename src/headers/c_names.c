/* Finds names that belong to C, which c_names.txt lists. If a kernel had the name of a C function, a program
 * would call the kernel in its place. If it had the name of a macro, it could not be declared after the
 * macro's header. */
#include "header.h"

#include <ctype.h>
#include <string.h>

/* Returns true for an ending that C23 gives to names of functions, one for each of its types. */
static bool is_type_suffix(const char *text, size_t length)
{
    static const char *const suffixes[] = {"f", "l", "f16", "f32", "f64", "f128", "f32x", "f64x"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strlen(suffixes[i]) == length && !memcmp(suffixes[i], text, length)) return true;
    return false;
}

/* Returns true if `name` matches a word of the list. The star in `sin*` stands for a type's suffix or
 * nothing. */
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

/* Returns true for reserved names. C17, 7.1.3 reserves names with an underscore in front at file scope. The
 * linker uses _start and _init. POSIX reserves types, whose names end in _t. actgen.h uses names that begin
 * with actgen_. */
static bool is_reserved(const char *name)
{
    const size_t length = strlen(name);
    return *name == '_' || (length > 2 && !strcmp(name + length - 2, "_t")) || !strncmp(name, "actgen_", 7);
}

/* Returns true for names that are macros by custom. Thousands of headers define macros without small letters.
 * <inttypes.h> also has names such as PRId64. */
static bool is_like_macro(const char *name)
{
    if ((!strncmp(name, "PRI", 3) || !strncmp(name, "SCN", 3)) && islower((unsigned char)name[3]))
        return true;
    while (*name && !islower((unsigned char)*name)) name++;
    return !*name;
}

bool is_c_name(const char *name) { return is_reserved(name) || is_like_macro(name) || is_listed(name); }
