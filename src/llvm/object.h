/* Inside llvm/: what an emitted object holds. */
#ifndef ACTGEN_OBJECT_H
#define ACTGEN_OBJECT_H

#include "backend.h"

void backend_start(void); /* LLVM's targets, once a process */

/* Calls `visit` for each named symbol until it returns non-zero, which object_symbols returns. */
typedef int (*object_visit)(void *context, const char *name, bool defined, size_t bytes);
int object_symbols(const struct backend_buffer *object, object_visit visit, void *context,
                   struct diag *error);

/* An object that needs anything from outside would run whatever the host process happens to define. */
int object_check(const struct backend_buffer *object, struct diag *error);

#endif
