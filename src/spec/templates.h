/* The text of templates/, embedded at build time. */
#ifndef ACTGEN_TEMPLATES_H
#define ACTGEN_TEMPLATES_H

extern const char *const spec_template_lines[]; /* each with its newline; ended by NULL */

#endif
