/* Inside llvm/: what an emitted object holds. */
#ifndef ACTGEN_OBJECT_H
#define ACTGEN_OBJECT_H

#include "backend.h"

void backend_start(void); /* LLVM's targets, once a process */

/* An object that needs anything from outside would run whatever the host process happens to define. */
int object_check(const struct backend_buffer *object, struct diag *error);

/* The text that a GPU's system assembles (PTX) may not need anything either. */
int object_check_text(const struct backend_buffer *text, struct diag *error);

#endif
