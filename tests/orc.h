/* LLVM's own linker, as a second opinion of what the loader makes of an object. */
#ifndef ACTGEN_TEST_ORC_H
#define ACTGEN_TEST_ORC_H

#include <stddef.h>

struct orc;

/* NULL, with what LLVM says on standard error: it does not link the object. */
struct orc *orc_load(const void *object, size_t size);
void *orc_symbol(struct orc *o, const char *name); /* NULL: there is none */
void orc_free(struct orc *o);

#endif
