/* Gives advice on names that other languages have. Needs no program, so that the lexer can ask. */
#ifndef ACTGEN_ADVICE_H
#define ACTGEN_ADVICE_H

#include <stdbool.h>
#include <stddef.h>

enum { ADVICE_SIZE = 300 };

/* Writes a clause such as "write `max(a, b)`", or "" if the name means nothing here. `argument` stands for x
 * in the call of a function of one argument. */
void advice_on_name(char out[ADVICE_SIZE], const char *name, size_t length, bool is_called,
                    const char *argument, size_t argument_length);

/* Writes the advice on the type of an operand. Returns false if the name means nothing. */
bool advice_on_type(char out[ADVICE_SIZE], const char *name, size_t length);

/* Returns true if the name is a function of the language or a template that formulas may call. */
bool is_known_function(const char *name, size_t length);

#endif
