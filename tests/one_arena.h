/* An arena that all tests of a group share. */
#ifndef ACTGEN_TEST_ONE_ARENA_H
#define ACTGEN_TEST_ONE_ARENA_H

#include "arena.h"

static arena *memory;

/* Make and free the arena, as the setup and the teardown of a group. */
static inline int set_up(void **state)
{
    (void)state;
    memory = arena_create(0);
    return memory ? 0 : -1;
}
static inline int tear_down(void **state)
{
    (void)state;
    arena_free(memory);
    return 0;
}

#endif
