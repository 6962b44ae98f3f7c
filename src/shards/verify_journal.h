/* The journal of a verification in parts, so that finished parts are not done again. It is an array of JSON
 * objects without its end. Each part adds two: a note of who begins the part, then its record. */
#ifndef ACTGEN_CLI_VERIFY_JOURNAL_H
#define ACTGEN_CLI_VERIFY_JOURNAL_H

#include "file.h"
#include "json_read.h"
#include "verify_record.h"

struct journal {
    const char *path;   /* NULL: no journal, and nothing is written */
    int descriptor;     /* locked */
    struct buffer text; /* as it was found; journal_next cuts it into members */
    char *next;
    bool is_begun;    /* it has an object */
    bool has_cut_end; /* the file is longer than the text */
};

struct begun { /* the rank that begins a part */
    const char *name, *isa, *host;
    uint32_t shard, shards;
    long rank, process;
};

/* Opens the journal, and makes the file if there is none. An object that was cut off at the end, because its
 * writer died, is removed when the first object is added. By then journal_next has read the whole file, so a
 * file that is no journal is never changed. Returns an exit code; a failure is printed. Close in any case. */
int journal_open(struct journal *out, const char *path);
/* Reads the next object into `record`, or into `begun` if it has no name. Returns false at the end. *code is
 * not 0 if the journal is damaged, which is printed. The texts live as long as the journal. */
bool journal_next(struct journal *j, struct record *record, struct begun *begun, int *code);
/* Both add an object, which is on the disk when they return. They return an exit code; a failure is printed.
 */
int journal_note(struct journal *j, const struct begun *begun);
int journal_add(struct journal *j, const char *record); /* the text of an object */
void journal_close(struct journal *j);

#endif
