/* The text of templates/, embedded at build time. Only the declarations that a spec asks for are parsed,
 * because it uses one or two of some fifty. */
#ifndef ACTGEN_TEMPLATES_H
#define ACTGEN_TEMPLATES_H

#include "program.h"

extern const char spec_templates[];
extern const size_t spec_templates_size; /* without the 0 after it */

struct template_place {
    const char *name;     /* NULL after the last */
    enum token_kind kind; /* TOKEN_FUNCTION, TOKEN_ALIAS, TOKEN_KERNEL */
    uint32_t begin,
        /* Offsets of the declaration, and of the end of the line in front of its comments. */
        comments;
};
extern const struct template_place spec_template_places[]; /* in the order of the text */

/* Returns a library whose declarations are parsed when they are asked for. */
struct library templates_on_demand(arena *memory);

/* Returns the function or alias of that name, or the kernel if `kernel` is true. Returns NULL if there is
 * none. */
struct declaration *template_find(struct program *p, struct library *templates, const char *name,
                                  bool kernel);

#endif
