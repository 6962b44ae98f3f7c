/* The templates as declarations. Only those that a spec asks for are parsed, because it uses one or two of
 * some fifty. */
#ifndef ACTGEN_TEMPLATES_H
#define ACTGEN_TEMPLATES_H

#include "program.h"
#include "template_text.h"

/* Returns a library whose declarations are parsed when they are asked for. */
struct library templates_on_demand(arena *memory);

/* Returns the function or alias of that name, or the kernel if `kernel` is true. Returns NULL if there is
 * none. */
struct declaration *template_find(struct program *p, struct library *templates, const char *name,
                                  bool kernel);

#endif
