/* What the fuzz targets share. A target is a function that libFuzzer calls with bytes of its choice. */
#ifndef ACTGEN_FUZZ_H
#define ACTGEN_FUZZ_H

#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process, so that libFuzzer keeps the input. */
static inline void fuzz_expect(bool holds)
{
    if (!holds) abort();
}

/* Calls `work` with an arena of its own. Running out of the arena is no fault: it ends the work. */
static inline void fuzz_with_arena(void (*work)(arena *memory, const uint8_t *data, size_t size),
                                   const uint8_t *data, size_t size)
{
    enum { MOST_BYTES = 256 << 20 };
    arena *memory = arena_create(MOST_BYTES);
    if (!memory) return;
    if (!setjmp(*arena_escape(memory))) work(memory, data, size);
    arena_free(memory);
}

/* Returns the bytes as a terminated text, which the caller frees. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

#endif
