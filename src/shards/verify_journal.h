/* The journal of a verification in parts, so that what was done of it need not be done again: an array of
 * JSON objects, open at its end, to which records of parts are appended, and before each one a note of who
 * begins it. */
#ifndef ACTGEN_CLI_VERIFY_JOURNAL_H
#define ACTGEN_CLI_VERIFY_JOURNAL_H

#include "file.h"
#include "json_read.h"
#include "verify_record.h"

struct journal {
    const char *path;   /* NULL: there is none, and nothing is written */
    int descriptor;     /* locked */
    struct buffer text; /* as it was found, cut into members by journal_next */
    char *next;
    bool is_begun;    /* an object is in it */
    bool has_cut_end; /* the file is longer than the text */
};

struct begun { /* who begins a part */
    const char *name, *isa, *host;
    uint32_t shard, shards;
    long rank, process;
};

/* Makes the file if there is none. What its end has of an object that was being written when the writer died
 * goes when the first object is added: by then journal_next has read all of the file, and a file that is no
 * journal is left as it is. An exit code; a failure is printed. Close in any case. */
int journal_open(struct journal *out, const char *path);
/* The next object that was found: `record` or, where that has no name, `begun`. False at the end; *code is
 * that of a damaged journal, which is said. The texts live as long as the journal. */
bool journal_next(struct journal *j, struct record *record, struct begun *begun, int *code);
/* Both are on the disk when they return. An exit code; a failure is printed. */
int journal_note(struct journal *j, const struct begun *begun);
int journal_add(struct journal *j, const char *record); /* the text of an object */
void journal_close(struct journal *j);

#endif
