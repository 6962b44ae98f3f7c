/* Plan files: records of tuned kernels as text. The lines of a file are the format, the processor, a record
 * for each kernel in the order of their keys, and the hash of everything before:
 *
 *     actgen plans 1
 *     processor GenuineIntel 6 207
 *     <key> <record in base 64> <label for readers>
 *     hash <32 hexadecimal digits>
 *
 * The hash shows damage, not malice. */
#ifndef ACTGEN_PLAN_FILE_H
#define ACTGEN_PLAN_FILE_H

#include "kernel.h"

/* Checks the form and the hash of a plan file. DIAG_INVALID: they are wrong. */
int plan_file_check(const char *text, struct diag *error);
/* Returns the processor that a checked file is for. The name is in `memory`. */
const char *plan_file_processor(const char *text, arena *memory);
/* Returns the record for a key, in `memory`, or NULL. *line becomes the number of its line. */
const unsigned char *plan_file_find(const char *text, const char key[HASH_TEXT_SIZE], arena *memory,
                                    size_t *size, unsigned *line);
/* Prints a plan file. DIAG_INVALID: a kernel was not tuned, or the kernels were tuned on different
 * processors. */
int plan_file_print(struct text *out, const actgen_kernel *const *kernels, size_t count, struct diag *error);

#endif
