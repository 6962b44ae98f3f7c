/* The text of templates/, embedded at build time, and the parsing of what is asked for by name: a spec uses
 * one or two of some fifty declarations. */
#ifndef ACTGEN_TEMPLATES_H
#define ACTGEN_TEMPLATES_H

#include "program.h"

extern const char spec_templates[];
extern const size_t spec_templates_size; /* without the 0 behind it */

struct template_place {
    const char *name;     /* NULL behind the last */
    enum token_kind kind; /* TOKEN_FUNCTION, TOKEN_ALIAS, TOKEN_KERNEL */
    uint32_t begin,
        comments; /* offsets: of the declaration, of the end of the line in front of its comments */
};
extern const struct template_place spec_template_places[]; /* in the order of the text */

/* Templates whose declarations are parsed when they are asked for. */
struct library templates_on_demand(arena *memory);

/* The function or alias, or else the kernel, of that name; NULL if there is none. */
struct declaration *template_find(struct program *p, struct library *templates, const char *name,
                                  bool kernel);

#endif
