/* Work that has an arena of its own, with limits of memory and of the stack. */
#ifndef ACTGEN_WORK_H
#define ACTGEN_WORK_H

#include "arena.h"
#include "diag.h"
#include "progress.h"

/* The most bytes that one compilation may take by default. A spec may come from a stranger. */
enum { COMPILATION_MEMORY = 1 << 30 };

/* Calls `work` with an arena of its own. On success *out gets the arena, else NULL. `out` may be NULL, which
 * frees the arena. DIAG_NO_MEMORY: memory ran out. DIAG_LIMIT: `work` needed more than the limit. */
int with_arena(arena **out, int (*work)(arena *memory, void *context, struct diag *error), void *context,
               struct diag *error);

/* Does the same with a limit in bytes. 0: COMPILATION_MEMORY. */
int with_arena_of(arena **out, uint64_t limit, int (*work)(arena *memory, void *context, struct diag *error),
                  void *context, struct diag *error);

/* Makes each allocation from the arena ask `progress` whether to go on. NULL: they do not ask. */
void watch_arena(arena *memory, struct progress *progress);

#endif
