/* Messages to stderr. */
#ifndef ACTGEN_CLI_DIAGNOSTICS_H
#define ACTGEN_CLI_DIAGNOSTICS_H

#include "cli.h"

/* "actgen: error: ..." on one line; control characters are shown escaped. */
void print_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "there is no core 'zen6'; did you mean 'zen5'?", or which there are: `names`, NULL at the end. */
void print_unknown(const char *kind, const char *name, const char *const *names);

/* "file:line:column: error: message", the line and a caret range below. `text` is what the error's place is
 * in; without a place or a text, "file: error: message". Returns the exit code that belongs to the error. */
int print_diagnostic(const char *file, const char *text, size_t length, const actgen_error *error);

/* True for a terminal on which colour is welcome. */
bool wants_colour(int descriptor);

#endif
