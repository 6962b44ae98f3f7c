/* Memory of one compilation: many small allocations, and one free.
 *
 * arena_alloc never returns NULL. When memory or the arena's limit runs out, it jumps to the escape point
 * that the public call has set. So the code in between need not test every allocation. Some code owns
 * something other than arena memory, such as an MPFR variable or an LLVM context. While it does, it must not
 * allocate from an arena, unless the arena knows that thing as a guest. */
#ifndef ACTGEN_ARENA_H
#define ACTGEN_ARENA_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct arena arena;

/* Makes an arena. Returns NULL if memory runs out. `limit` bounds the bytes that are handed out, 0 means no
 * bound. */
arena *arena_create(size_t limit);
/* Makes an arena for a part of the work of `outer`, in the same thread. The inner arena counts toward the
 * limit of the outer one until it is freed. It escapes and fails as the outer one does. Freeing the outer
 * arena also frees the inner one. Never returns NULL, because a lack of memory is an escape. */
arena *arena_create_inner(arena *outer);
/* Frees the arena and releases its guests. `a` may be NULL. */
void arena_free(arena *a);
size_t arena_limit(const arena *a); /* Returns the limit in bytes. */

/* Makes an arena for a part of the work of `host`, which is freed before `host`. Its limit is the rest of the
 * host's limit, and it has the host's watcher. Returns NULL if memory runs out. */
arena *arena_create_within(const arena *host);

/* Returns true if the arena's own limit caused an escape, not a lack of the system's memory. */
bool arena_is_exhausted(const arena *a);

/* Returns the place to jump to when memory runs out. The caller sets it before the first allocation, and it
 * stays valid for all of them: `if (setjmp(*arena_escape(a))) { ... ENOMEM ... }`. */
jmp_buf *arena_escape(arena *a);

/* Jumps from the escape point of `part` to the escape point of `host`, for the same reason. `part` must
 * belong to a guest, which the host releases. */
_Noreturn void arena_escape_to(arena *host, const arena *part);

/* The first member of an object that is not arena memory, but must be released after an escape. The arena
 * releases its guests when it is freed, the youngest first, unless their owners did so before. Any thread may
 * add a guest. */
struct arena_guest {
    arena *host; /* NULL: it is no guest. */
    struct arena_guest *older, *younger;
    void (*release)(struct arena_guest *guest); /* When this is called, the object is no guest any more. */
};
void arena_host(arena *a, struct arena_guest *guest, void (*release)(struct arena_guest *guest));
/* Removes a guest, whose owner then releases it. It need not be a guest. */
void arena_leave(struct arena_guest *guest);

/* Notes that memory ran out for work that cannot escape. Such work then goes on as if there were nothing to
 * find, so its result may be wrong. The owner of the arena calls arena_failed before it keeps a result. Any
 * thread may call this. */
void arena_fail(arena *a);
bool arena_failed(const arena *a);

void *arena_alloc(arena *a, size_t size); /* Returns zeroed memory that is aligned for any type. */
void *arena_copy(arena *a, const void *data, size_t size);
/* Returns the list of `count` elements with room for one more, which is zero. It moves the list if the count
 * is a power of two. For lists that only grow. */
void *arena_with_room(arena *a, void *list, size_t count, size_t element_size);
/* Returns a copy of the text with a terminator. */
char *arena_text(arena *a, const char *text, size_t length);
/* Copies a text. Returns NULL for NULL. */
char *arena_copied(arena *a, const char *text);

#endif
