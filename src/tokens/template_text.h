/* The text of templates/, embedded at build time, with the place of each declaration. */
#ifndef ACTGEN_TEMPLATE_TEXT_H
#define ACTGEN_TEMPLATE_TEXT_H

#include "tokens.h"

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

#endif
