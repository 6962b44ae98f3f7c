/* LLVM's own linker, as a second opinion on how the loader handles an object. */
#ifndef ACTGEN_TEST_ORC_H
#define ACTGEN_TEST_ORC_H

#include <stddef.h>

struct orc;

/* Loads the object. Returns NULL, with LLVM's message on standard error, if LLVM does not link it. */
struct orc *orc_load(const void *object, size_t size);
/* Returns NULL if there is no such symbol. */
void *orc_symbol(struct orc *o, const char *name);
void orc_free(struct orc *o);

#endif
