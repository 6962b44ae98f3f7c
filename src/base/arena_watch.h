/* Asking, while an arena is allocated from, whether the work is to go on: whatever takes long allocates, and
 * can escape there. */
#ifndef ACTGEN_ARENA_WATCH_H
#define ACTGEN_ARENA_WATCH_H

#include "arena.h"

/* From now on `goes_on` is asked at every hundredth allocation or so, by the thread that allocates; if it
 * returns false, that one goes to the escape point. NULL: nobody is asked. */
void arena_watch(arena *a, bool (*goes_on)(void *context), void *context);
/* Asks now, if somebody watches: for work that takes long between two allocations. Escapes as arena_alloc
 * does. */
void arena_ask(arena *a);
/* True if somebody was sent to the escape point so. */
bool arena_is_stopped(const arena *a);

#endif
