/* Declarations that the parts of the program `write` share. */
#ifndef ACTGEN_CROSS_WRITE_H
#define ACTGEN_CROSS_WRITE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Opens a new file of the folder. A failure ends the test. */
FILE *cross_create(const char *prefix, const char *name);
void cross_write_number(FILE *file, uint64_t number, size_t bytes);
/* Writes what stands before a kernel's names (check.h). */
void cross_write_head(FILE *file, size_t names, size_t groups, uint32_t random_calls, uint64_t random_hash);

/* Writes an object with every operation for every type, and every table that the set's profile has
 * (ops.c), together with its rows of the table and their data. Fails if an operation that the set may get
 * is in none of them. */
void cross_write_ops(const char *isa, FILE *table, FILE *data);

/* Returns the hash of the interpreter's results for calls of the matrix's kernel on random inputs (many.c).
 */
struct matrix;
uint64_t cross_random_hash(struct matrix *m, uint32_t calls);

#endif
