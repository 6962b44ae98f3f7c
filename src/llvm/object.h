/* Checks of emitted objects. Only for use inside llvm/. */
#ifndef ACTGEN_OBJECT_H
#define ACTGEN_OBJECT_H

#include "backend.h"

/* Makes LLVM's targets known, once per process. */
void backend_start(void);

/* Fails if the object needs a symbol from outside. Such an object would run whatever the host process happens
 * to define. */
int object_check(const struct backend_buffer *object, struct diag *error);

/* Fails if the text that the driver of a GPU assembles (PTX) needs a symbol from outside. */
int object_check_text(const struct backend_buffer *text, struct diag *error);

#endif
