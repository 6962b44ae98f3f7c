/* The operands of a kernel as text. */
#ifndef ACTGEN_CLI_OPERANDS_H
#define ACTGEN_CLI_OPERANDS_H

#include "file.h"
#include "json.h"

/* Whether it is a value of a list, `c: f32[6]`: one of its names c[0] to c[5]. */
bool is_list(const actgen_operand_info *info);
/* "([gate | up]: bf16) -> (y: bf16)". */
void print_operands(struct buffer *text, const actgen_kernel *kernel);
/* What an analysis of functions of one f64 has shown: the members proved_ulp or proved_abs, proved_seen and
 * proved_intervals, or none. */
void json_proof(struct json *j, const actgen_certificate *certificate);
/* "proved: at most 0.888 ulp, by analysis of 5863 intervals (0.872 were seen)", to be freed; NULL of what is
 * only measured. */
char *proof_text(const actgen_certificate *certificate);
/* The members name, operands, isa, accuracy and plan. */
void json_kernel(struct json *j, const actgen_kernel *kernel);
/* One text after the other. */
void add_text(struct buffer *text, const char *first, const char *second);

#endif
