/* The built-in plans, and plans as lines of text: <key> <packed plan in base 64> <label for readers>. */
#ifndef ACTGEN_BUILTIN_H
#define ACTGEN_BUILTIN_H

#include "hash.h"
#include "text.h"

/* Returns the built-in packed plan for a key of plan_key, in the arena, or NULL. */
const unsigned char *builtin_plan(const char key[HASH_TEXT_SIZE], arena *memory, size_t *size);
/* Returns the bytes for a key in lines that are sorted by key, as in builtin_plans.txt. *at becomes the
 * line. */
const unsigned char *packed_line(const char *lines, size_t length, const char key[HASH_TEXT_SIZE],
                                 arena *memory, size_t *size, const char **at);
/* Prints such a line for a packed plan. `label` tells readers which plan it is. */
void builtin_line(struct text *out, const char key[HASH_TEXT_SIZE], const struct text *packed,
                  const char *label);
/* The text of builtin_plans.txt when this library was built. */
extern const char builtin_plans[];
extern const size_t builtin_plans_size;

#endif
