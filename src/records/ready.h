/* Kernels that are found ready. An earlier process compiled them from an equal text, for the same instruction
 * set, core and options. The disk cache has a record with the operands, names and object of the kernel, under
 * the hash of the text. Such a kernel needs no parsing, planning or lowering. It has everything that a call
 * needs, but no formulas. The first function that needs formulas makes them from the text.
 *
 * Records belong to one build, like everything in the cache. There are records only for kernels that depend
 * on nothing but text and options. So there are none for kernels with times, plan files, limits of work or
 * proofs. */
#ifndef ACTGEN_READY_H
#define ACTGEN_READY_H

#include "kernel.h"

/* Returns the named kernel of `source`, or its only kernel, and shares it through the engine. Returns NULL if
 * there is no record. Drops damaged records. `asked` has everything except the kernel. */
actgen_kernel *ready_find(actgen_engine *e, const struct asked *asked, const struct spec_source *source,
                          const char *name);
/* Writes a record of the kernel for later processes. `name` is the name that the caller asked for, or
 * NULL. */
void ready_store(const actgen_kernel *k, const char *name);

/* Computes the key of that record in the disk cache from the request, the core of this processor, which
 * decides the loops, and the name. The last two may be NULL. */
void ready_key(const struct asked *asked, const char *here, const char *name, char out[HASH_TEXT_SIZE]);

#endif
