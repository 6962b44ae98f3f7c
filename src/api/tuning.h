/* Choices by time: a plan for each piece of a kernel, and the loop, for one processor. They are bytes under a
 * key, in the disk cache and in plan files.
 *
 * A plan file is text. Its lines are the format, the processor, a record for each kernel in the order of
 * their keys, and the hash of everything before:
 *
 *     actgen plans 1
 *     processor GenuineIntel 6 207
 *     <key> <record in base 64> <label for readers>
 *     hash <32 hexadecimal digits>
 *
 * The hash shows damage, not malice. Each program that is read must pass lane_verify, and each plan is judged
 * like a candidate of a search before it is taken. */
#ifndef ACTGEN_API_TUNING_H
#define ACTGEN_API_TUNING_H

#include "api.h"

/* Checks the form and the hash of a plan file (plan_file.c, like the next three). DIAG_INVALID: they are
 * wrong. */
int plan_file_check(const char *text, struct diag *error);
/* Returns the processor that a checked file is for. The name is in `memory`. */
const char *plan_file_processor(const char *text, arena *memory);
/* Returns the record for a key, in `memory`, or NULL. *line becomes the number of its line. */
const unsigned char *plan_file_find(const char *text, const char key[HASH_TEXT_SIZE], arena *memory,
                                    size_t *size, unsigned *line);
/* Prints a plan file. DIAG_INVALID: a kernel was not tuned, or the kernels were tuned on different
 * processors. */
int plan_file_print(struct text *out, const actgen_kernel *const *kernels, size_t count, struct diag *error);

/* Finds the plans of all pieces, in the kernel's plan file or the cache, by times or by estimates, as the
 * request says. The next step is lower_program. k->loop and k->tuning are set if times chose. Fails with
 * DIAG_STOPPED, DIAG_ACCURACY, or with DIAG_INVALID for a bad plan in the plan file. */
int tuning_plans(struct lowering *l, actgen_kernel *k, struct planning *planning, struct diag *error);

/* Times the plans and loops for the kernel, and takes the fastest (race.c). `loop` becomes the loop that won.
 * Sets k->timings. Fails with DIAG_STOPPED if progress says so. */
int tuning_race(struct lowering *l, actgen_kernel *k, struct planning *planning, struct loop_choice *loop,
                struct diag *error);

#endif
