/* What times chose for a kernel on a processor: a plan for each of its pieces, and the loop. As bytes under a
 * key, for the disk cache and for plan files.
 *
 * A plan file is text: a line that names the format, one that names the processor, one for each kernel in the
 * order of their keys, and the hash of all that stands before it:
 *
 *     actgen plans 1
 *     processor GenuineIntel 6 207
 *     <key> <record in base 64> <what it is, for readers>
 *     hash <32 hexadecimal digits>
 *
 * The hash tells damage, not malice: what is read passes lane_verify, and its plans are judged like
 * candidates of a search before they are taken. */
#ifndef ACTGEN_API_TUNING_H
#define ACTGEN_API_TUNING_H

#include "api.h"

/* plan_file.c */
int plan_file_check(const char *text, struct diag *error); /* form and hash; DIAG_INVALID */
/* Returns the processor that a file is for which was checked. The name is in `memory`. */
const char *plan_file_processor(const char *text, arena *memory);
/* The record for that key in `memory`; NULL if there is none. *line is its number. */
const unsigned char *plan_file_find(const char *text, const char key[HASH_TEXT_SIZE], arena *memory,
                                    size_t *size, unsigned *line);
/* Writes the file of kernels that have a tuning of one processor; else DIAG_INVALID. */
int plan_file_print(struct text *out, const actgen_kernel *const *kernels, size_t count, struct diag *error);

/* The plans of all pieces, from the kernel's plan file, the cache, times or estimates, as it is asked for;
 * lower_program is next. k->loop and k->tuning are set where times chose. DIAG_STOPPED, DIAG_ACCURACY,
 * DIAG_INVALID for a plan file that holds no good plan. */
int tuning_plans(struct lowering *l, actgen_kernel *k, struct planning *planning, struct diag *error);

/* race.c: times the plans and loops that there are for the kernel, and takes the fastest: DIAG_STOPPED if
 * progress says so. `loop` is what won. Sets k->timings. */
int tuning_race(struct lowering *l, actgen_kernel *k, struct planning *planning, struct loop_choice *loop,
                struct diag *error);

#endif
