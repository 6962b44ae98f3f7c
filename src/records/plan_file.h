/* Plan files: records of tuned kernels as text. The lines of a file are the format, the processor, a record
 * for each kernel in the order of their keys, and the hash of everything before:
 *
 *     actgen plans 1
 *     processor GenuineIntel 6 207
 *     <key> <record in base 64> <label for readers>
 *     hash <32 hexadecimal digits>
 *
 * The hash shows damage, not malice. Several files one after another are a file as well, so `cat` joins
 * files. Each part keeps its processor and its hash. */
#ifndef ACTGEN_PLAN_FILE_H
#define ACTGEN_PLAN_FILE_H

#include "kernel.h"

/* One of the files that were joined. */
struct plan_part {
    const char *text;
    unsigned line; /* The number of its first line. */
};

/* Checks the form and the hash of a plan file. DIAG_INVALID: they are wrong. */
int plan_file_check(const char *text, struct diag *error);
/* Moves from a part of a checked file to the next one. Returns false at the end. Begin with {text, 1}. */
bool plan_part_next(struct plan_part *part);
/* Returns the processor that a part is for. The name is in `memory`. */
const char *plan_part_processor(const struct plan_part *part, arena *memory);
/* Returns the record for a key, in `memory`, or NULL. *line becomes the number of its line. */
const unsigned char *plan_part_find(const struct plan_part *part, const char key[HASH_TEXT_SIZE],
                                    arena *memory, size_t *size, unsigned *line);
/* Prints a plan file. DIAG_INVALID: a kernel was not tuned, or the kernels were tuned on different
 * processors. */
int plan_file_print(struct text *out, const actgen_kernel *const *kernels, size_t count, struct diag *error);

#endif
