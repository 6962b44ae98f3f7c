/* Spellings that people bring from other languages, and what to write instead. */
#ifndef ACTGEN_SPELLINGS_H
#define ACTGEN_SPELLINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Where a spelling stands in a text; the rows of spellings.def are of these kinds. */
enum spelling_kind {
    SPELLING_FUNCTION,  /* a name that is called, or the name of a built-in */
    SPELLING_VALUE,     /* a name that is not called */
    SPELLING_TYPE,      /* the type of an operand */
    SPELLING_PARAMETER, /* "function.parameter"; ".parameter" is that of any function */
    SPELLING_ARGUMENTS, /* a function that is called with a wrong number of arguments */
    SPELLING_SIGN,      /* a sign in ASCII that the language lacks */
    SPELLING_OPERAND,   /* a sign of the language that stands where a formula must begin */
    SPELLING_OPERATOR,  /* a sign of the language that stands where an operator must be */
    SPELLING_WORD,      /* a word in front of a name, such as `def` or `return` */
    SPELLING_MODIFIER,  /* a part of a qualified name that says how a function is computed */
    SPELLING_SUFFIX,    /* letters directly after a number */
    SPELLING_LATEX,     /* a command of LaTeX, without its backslash */
    SPELLING_CHARACTER, /* a character that is not ASCII */
};

/* Returns the advice of the row that has exactly this spelling of `length` bytes, or NULL. */
const char *spelling_advice(enum spelling_kind kind, const char *spelling, size_t length);

/* Returns the length of the longest spelling of this kind that begins the text, and its advice; or 0. */
size_t spelling_prefix(enum spelling_kind kind, const char *text, size_t length, const char **advice);

/* The meaning of a name: one of the known names, or advice. Both are NULL if the name means nothing here. */
struct spelling_meaning {
    const char *known, *advice;
};

/* Finds what `name` means among `count` known names and the rows of a kind. Case, underscores and hyphens do
 * not count. Where nothing has the name, it is tried without affixes such as the `f` of `expf`. */
struct spelling_meaning spelling_find(enum spelling_kind kind, const char *name, size_t length,
                                      const char *const *names, size_t count);

#endif
