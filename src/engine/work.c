/* Runs work that may run out of memory, time or stack. */
#include "work.h"
#include "arena_watch.h"
#include "stack.h"

#include <setjmp.h>

int with_arena(arena **out, int (*work)(arena *memory, void *context, struct diag *error), void *context,
               struct diag *error)
{
    return with_arena_of(out, 0, work, context, error);
}

/* Frees the arena after an escape, and sets the error that explains it. It replaces any earlier message,
 * which may only be a consequence of the lack of memory. */
static int escaped(arena *memory, struct diag *error)
{
    const size_t limit = arena_limit(memory);
    const bool is_exhausted = arena_is_exhausted(memory), is_stopped = arena_is_stopped(memory);
    arena_free(memory);
    if (is_stopped && error) *error = (struct diag){0};
    if (is_stopped) return diag_set(error, DIAG_STOPPED, "stopped while a kernel was compiled");
    if (!is_exhausted) return diag_out_of_memory(error);
    if (error) *error = (struct diag){0};
    return diag_set(error, DIAG_LIMIT,
                    "it takes more than %zu bytes of memory, the limit of one kernel (options.memory_limit, "
                    "--memory-limit)",
                    limit);
}

/* The least stack that must be left. The formulas with SPEC_MAX_NESTING levels take the most, 218 KiB to read
 * them. Planning and LLVM take 140 KiB. */
enum { LEAST_STACK = 224 << 10 };

static int check_stack(struct diag *error)
{
    const size_t left = stack_left();
    if (left >= LEAST_STACK) return DIAG_OK;
    return diag_set(
        error, DIAG_NO_MEMORY,
        "the thread has %zu KiB of stack left, and this may take %d: threads that call actgen need "
        "256 KiB (pthread_attr_setstacksize; ulimit -s for the first)",
        left >> 10, LEAST_STACK >> 10);
}

static size_t memory_bound(uint64_t limit)
{
    if (!limit) return COMPILATION_MEMORY;
    return limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

static bool parsing_goes_on(void *progress) { return progress_goes_on(progress); }

void watch_arena(arena *memory, struct progress *progress)
{
    arena_watch(memory, progress ? parsing_goes_on : NULL, progress);
}

int with_arena_of(arena **out, uint64_t limit, int (*work)(arena *memory, void *context, struct diag *error),
                  void *context, struct diag *error)
{
    if (out) *out = NULL;
    if (check_stack(error)) return DIAG_NO_MEMORY;
    arena *memory = arena_create(memory_bound(limit));
    if (!memory) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    if (setjmp(*arena_escape(memory))) return escaped(memory, error);
    int status = work(memory, context, error);
    if (arena_failed(memory)) status = diag_out_of_memory(error);
    if (status || !out)
        arena_free(memory);
    else
        *out = memory;
    return status;
}
