/* The table that `actgen verify` prints: a row per kernel and instruction set, and below it what was
 * tested. */
#ifndef ACTGEN_CLI_VERIFY_TABLE_H
#define ACTGEN_CLI_VERIFY_TABLE_H

#include "table.h"
#include "verify_record.h"

enum { VERIFY_COLUMNS = 7 };

struct verify_table {
    struct column columns[VERIFY_COLUMNS];
    bool has_details;          /* --details: counts and the plan below each row */
    size_t rows;               /* printed so far */
    size_t verdicts[VERDICTS]; /* rows of each verdict */
    uint64_t inputs, results;  /* compared with the reference, and with the interpreter */
    bool has_whole;            /* a row shows the error of a whole result */
    bool has_foreign;          /* a row is about a function of another library */
    bool has_sample;           /* an f32 kernel was tested on a sample */
    char *reasons[8];          /* why machine code was not tested; freed at the end */
    size_t reason_count;
};

void verify_table_begin(struct verify_table *table, bool has_details);
/* Widens the columns for a row with these texts. NULL stands for a text that is not known yet. */
void verify_table_widen(struct verify_table *table, const char *name, const char *isa, const char *bound);
/* Prints the titles before the first row. Prints sentences below a row that failed. */
void verify_table_row(struct verify_table *table, const struct record *r);
/* Prints what was tested, and how many rows passed. */
void verify_table_end(struct verify_table *table);

#endif
