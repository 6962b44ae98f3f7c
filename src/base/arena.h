/* Memory of one compilation: many small allocations, one free.
 *
 * arena_alloc never returns NULL. When memory or the arena's limit runs out it jumps to the escape point
 * that the public call has set, so that the code between need not test every allocation. Code that owns
 * something else than arena memory (an MPFR variable, an LLVM context) must not allocate from an arena
 * while it owns it. */
#ifndef ACTGEN_ARENA_H
#define ACTGEN_ARENA_H

#include <setjmp.h>
#include <stddef.h>

typedef struct arena arena;

/* NULL when there is no memory. `limit` bounds the bytes handed out; 0 means no bound. */
arena *arena_create(size_t limit);
void arena_free(arena *a); /* NULL is fine */

/* Where to go when memory runs out; must be set before the first allocation and stay valid for all of them:
 *     if (setjmp(*arena_escape(a))) { ... ENOMEM ... } */
jmp_buf *arena_escape(arena *a);

void *arena_alloc(arena *a, size_t size); /* zeroed, aligned for any type */
void *arena_copy(arena *a, const void *data, size_t size);
char *arena_text(arena *a, const char *text, size_t length); /* adds the terminator */

#endif
