/* The result of one kernel's verification: written as JSON, and read back. verify_table.h prints it as a
 * row. */
#ifndef ACTGEN_CLI_VERIFY_RECORD_H
#define ACTGEN_CLI_VERIFY_RECORD_H

#include "diagnostics.h"
#include "json_read.h"

#include <actgen.h>

enum verdict { VERDICT_OK, VERDICT_WRONG, VERDICT_SKIPPED, VERDICT_INTERRUPTED, VERDICT_ERROR, VERDICTS };
extern const char *const verdict_names[VERDICTS];

struct record { /* texts that are not known are NULL; they belong to whoever filled the record */
    const char *name, *isa, *build;
    const char *operands, *accuracy, *plan, *profile, *object_hash; /* of a kernel that compiled */
    double compile_ms;
    actgen_certificate proof; /* what was proved of it; zeros: nothing */
    bool exhaustive;
    uint32_t shard, shards; /* 0 of 0: all of it */
    actgen_report report;
    enum verdict verdict;
    const char *message;           /* of VERDICT_ERROR, and why it was skipped */
    const struct problem *problem; /* of VERDICT_ERROR, where it is known */
};

/* Returns false if the record has no errors: nothing was compared. */
bool record_is_measured(const struct record *r);
void record_json(struct json *j, const struct record *r);
/* Counts of another part of the same verification are added, maxima taken; the verdict follows. */
void record_add(struct record *sum, const struct record *part);
bool record_same_text(const char *a, const char *b); /* either may be NULL */
/* NULL where both can be parts of one verification; else "different bounds, 3 ulp and 2 ulp", to be freed. */
char *record_difference(const struct record *a, const struct record *b);
/* NULL, or what is wrong. The texts are the members'. */
const char *record_read(struct record *out, const struct json_members *o);

#endif
