/* The operands of a kernel as text. */
#ifndef ACTGEN_CLI_OPERANDS_H
#define ACTGEN_CLI_OPERANDS_H

#include "file.h"
#include "json.h"

/* "([gate | up]: bf16) -> (y: bf16)". */
void print_operands(struct buffer *text, const actgen_kernel *kernel);
/* The members name, operands, isa, accuracy and plan. */
void json_kernel(struct json *j, const actgen_kernel *kernel);
/* One text after the other. */
void add_text(struct buffer *text, const char *first, const char *second);

#endif
