/* Adds up the reports of parts to the report of the whole. */
#ifndef ACTGEN_CLI_VERIFY_MERGE_H
#define ACTGEN_CLI_VERIFY_MERGE_H

#include "cli.h"
#include "verify_record.h"

struct merge;

/* Reads the files that the WHATs name, and adds up the parts of each kernel. Refuses missing and doubled
 * parts, parts that do not belong together, and damaged files, each with a message. Returns an exit code;
 * close in any case. */
int merge_open(struct merge **out, const struct options *options);
/* Shows the sums. Returns EXIT_INPUT if one of them failed. */
int merge_show(const struct merge *m, void (*show)(void *payload, const struct record *whole), void *payload);
void merge_close(struct merge *m);

#endif
