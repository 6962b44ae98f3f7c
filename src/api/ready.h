/* Kernels that are found ready: what an earlier process compiled from an equal text, for the same instruction
 * set, core and options, stands in the disk cache under the text's hash, as a record of the kernel's
 * operands, names and object. Nothing is parsed, planned or lowered then. Such a kernel has all that calls
 * need, and no formulas; what asks for those has them made from the text, once.
 *
 * Records are of one build, as all that the cache holds, and of kernels that nothing but text and options
 * decides: neither times nor plan files, limits of work or proofs. */
#ifndef ACTGEN_API_READY_H
#define ACTGEN_API_READY_H

#include "compile.h"

/* What a kernel that was found ready has besides. */
struct ready {
    struct spec_source source;
    actgen_kernel *whole; /* with formulas; NULL until they are asked for. The engine's lock guards it */
};

/* Returns the kernel of `source` that is named, or its only one, shared through the engine; NULL if there is
 * none: damaged records are dropped. All but which kernel it is has been filled in. */
actgen_kernel *ready_find(struct compilation *c, const struct spec_source *source, const char *name);
/* Leaves a record of the kernel, which was asked for by that name, for later processes. */
void ready_store(const actgen_kernel *k, const char *name);

/* The key of that record in the disk cache, of what else is asked for and of the name, which may be NULL. */
void ready_key(const struct asked *asked, const char *name, char out[HASH_TEXT_SIZE]);

/* Returns the kernel with its formulas, which is `k` unless it was found ready, or NULL with *error. It lives
 * as long as `k`. */
const actgen_kernel *kernel_whole(const actgen_kernel *k, struct diag *error);

/* Returns what kernel_whole has made so far, for the end of `k`: NULL, or a kernel that its caller has to
 * free. */
static inline actgen_kernel *ready_whole(const actgen_kernel *k) { return k->ready ? k->ready->whole : NULL; }

#endif
