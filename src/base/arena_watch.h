/* Lets allocations from an arena ask if the work is to go on. Work that takes long allocates, and can escape
 * there. */
#ifndef ACTGEN_ARENA_WATCH_H
#define ACTGEN_ARENA_WATCH_H

#include "arena.h"

/* Sets the function that the arena asks at every hundredth allocation or so, in the thread that allocates. If
 * it returns false, that thread jumps to the escape point. NULL: the arena does not ask. */
void arena_watch(arena *a, bool (*goes_on)(void *context), void *context);
/* Asks now, for work that takes long between two allocations. Escapes as arena_alloc does. */
void arena_ask(arena *a);
/* Returns true if the function stopped the work. */
bool arena_is_stopped(const arena *a);

#endif
