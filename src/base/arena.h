/* Memory of one compilation: many small allocations, one free.
 *
 * arena_alloc never returns NULL. When memory or the arena's limit runs out it jumps to the escape point
 * that the public call has set, so that the code between need not test every allocation. Code that owns
 * something else than arena memory (an MPFR variable, an LLVM context) must not allocate from an arena
 * while it owns it, unless the arena knows of it as a guest. */
#ifndef ACTGEN_ARENA_H
#define ACTGEN_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct arena arena;

/* NULL when there is no memory. `limit` bounds the bytes handed out; 0 means no bound. */
arena *arena_create(size_t limit);
/* An arena for a part of the outer one's work, which ends before it: it takes from the outer one's limit
 * until it is released, escapes and fails as that one does, and is released with it unless that was done
 * before. It is for the same thread. Never NULL: no memory is an escape. */
arena *arena_create_inner(arena *outer);
void arena_free(arena *a);          /* NULL is fine */
size_t arena_limit(const arena *a); /* in bytes */

/* An arena for a part of the work of `host`, to be freed before the rest: it has for its limit what the
 * host's leaves, and whoever watches the host is asked. NULL when there is no memory. */
arena *arena_create_within(const arena *host);

/* True if the arena's own limit, and not the system's memory, sent somebody to the escape point. */
bool arena_is_exhausted(const arena *a);

/* Where to go when memory runs out; must be set before the first allocation and stay valid for all of them:
 *     if (setjmp(*arena_escape(a))) { ... ENOMEM ... } */
jmp_buf *arena_escape(arena *a);

/* Goes on from the escape point of a part to the host's, for the same reason. The part must be a guest's,
 * which the host releases. */
_Noreturn void arena_escape_to(arena *host, const arena *part);

/* What an object that is no arena memory begins with, so that it is not lost when somebody escapes: it is
 * released with the arena, the youngest first, unless that was done before. For any thread. */
struct arena_guest {
    arena *host; /* NULL: none */
    struct arena_guest *older, *younger;
    void (*release)(struct arena_guest *guest); /* by now it is no guest any more */
};
void arena_host(arena *a, struct arena_guest *guest, void (*release)(struct arena_guest *guest));
void arena_leave(struct arena_guest *guest); /* it is released by its owner; no guest is fine */

/* Memory ran out for something that belongs to the same work and cannot escape: whoever lacks it says so here
 * and goes on as if there were nothing to find. What such work found may be wrong: the owner of the arena
 * asks arena_failed at the end, before a result is kept. For any thread. */
void arena_fail(arena *a);
bool arena_failed(const arena *a);

void *arena_alloc(arena *a, size_t size); /* zeroed, aligned for any type */
void *arena_copy(arena *a, const void *data, size_t size);
/* Returns the list of `count` elements with room for one more, which is zero: it moves where its count is a
 * power of two. For lists that only grow. */
void *arena_with_room(arena *a, void *list, size_t count, size_t element_size);
char *arena_text(arena *a, const char *text, size_t length); /* adds the terminator */

#endif
