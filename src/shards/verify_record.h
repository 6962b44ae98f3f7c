/* The result of one kernel's verification: written as JSON, and read back. verify_table.h prints it as a
 * row. */
#ifndef ACTGEN_CLI_VERIFY_RECORD_H
#define ACTGEN_CLI_VERIFY_RECORD_H

#include "diagnostics.h"
#include "json_read.h"

#include <actgen.h>

enum verdict { VERDICT_OK, VERDICT_WRONG, VERDICT_SKIPPED, VERDICT_INTERRUPTED, VERDICT_ERROR, VERDICTS };
extern const char *const verdict_names[VERDICTS];

struct record { /* unknown texts are NULL; the texts belong to the code that filled the record */
    const char *name, *isa, *build;
    const char *operands, *accuracy, *plan, *profile, *object_hash; /* known if the kernel compiled */
    double compile_ms;
    actgen_certificate proof; /* the proof for f64; zeros if there is none */
    bool exhaustive;
    uint32_t shard, shards; /* 0 of 0: the whole */
    actgen_report report;
    enum verdict verdict;
    const char *of;                /* the function that was judged in place of the kernel, or NULL */
    const char *place;             /* how the results of that function depend on their places, or NULL */
    const char *message;           /* the error of VERDICT_ERROR, or why it was skipped */
    const struct problem *problem; /* for VERDICT_ERROR, if known */
};

/* Returns false if the record has no errors: nothing was compared. */
bool record_is_measured(const struct record *r);
void record_json(struct json *j, const struct record *r);
/* Adds another part of the same verification: sums the counts, takes the maxima, and sets the verdict. */
void record_add(struct record *sum, const struct record *part);
bool record_same_text(const char *a, const char *b); /* either may be NULL */
/* Returns NULL if both can be parts of one verification. Otherwise returns the difference, such as "different
 * bounds, 3 ulp and 2 ulp", which the caller frees. */
char *record_difference(const struct record *a, const struct record *b);
/* Reads a record. Returns NULL, or what is wrong. The texts belong to the members. */
const char *record_read(struct record *out, const struct json_members *o);

#endif
