/* The operands of a kernel as text. */
#ifndef ACTGEN_CLI_OPERANDS_H
#define ACTGEN_CLI_OPERANDS_H

#include "file.h"
#include "json.h"

/* Returns true for a value of a list: of `c: f32[6]`, one of the names c[0] to c[5]. */
bool is_list(const actgen_operand_info *info);
/* Writes a text such as "([gate | up]: bf16) -> (y: bf16)". */
void print_operands(struct buffer *text, const actgen_kernel *kernel);
/* Writes the result of the analysis of functions of one f64: the members proved_ulp or proved_abs,
 * proved_seen and proved_intervals. Writes nothing if there was none. */
void json_proof(struct json *j, const actgen_certificate *certificate);
/* Returns a text such as "proved: at most 0.888 ulp, by analysis of 5863 intervals (0.872 were seen)", which
 * the caller frees. Returns NULL for a kernel that was only measured. */
char *proof_text(const actgen_certificate *certificate);
/* Writes the members name, operands, isa, accuracy and plan. */
void json_kernel(struct json *j, const actgen_kernel *kernel);
/* Adds both texts. */
void add_text(struct buffer *text, const char *first, const char *second);

#endif
