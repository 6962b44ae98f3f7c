/* What went wrong: a status, a place, a message. Mirrors actgen_error (include/actgen.h) one to one. */
#ifndef ACTGEN_DIAG_H
#define ACTGEN_DIAG_H

#include "actgen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum diag_status { /* the public statuses by their inner names: include/actgen.h says what they mean */
                   DIAG_OK = ACTGEN_OK,
                   DIAG_NO_MEMORY = ACTGEN_ENOMEM,
                   DIAG_INVALID = ACTGEN_EINVAL,
                   DIAG_SYNTAX = ACTGEN_ESYNTAX,
                   DIAG_ACCURACY = ACTGEN_EACCURACY,
                   DIAG_TARGET = ACTGEN_ETARGET,
                   DIAG_BACKEND = ACTGEN_EBACKEND,
                   DIAG_WRITE = ACTGEN_EWRITE,
                   DIAG_NOT_YET = ACTGEN_ENOTYET,
                   DIAG_STOPPED = ACTGEN_ESTOPPED,
                   DIAG_LIMIT = ACTGEN_ELIMIT,
};

enum { DIAG_MESSAGE_SIZE = 480 };

struct diag {
    int32_t status;
    uint32_t line, column; /* from 1; 0 means no place */
    uint32_t offset;       /* bytes from the start of the text */
    uint32_t length;       /* bytes the message is about, for a caret range */
    char message[DIAG_MESSAGE_SIZE];
};

struct span {
    uint32_t offset, length;
};

/* Both return `status`, so that `return diag_set(...)` reads well. `d` may be NULL. The first error stays. */
int diag_set(struct diag *d, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int diag_at(struct diag *d, int status, const char *text, struct span place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* What was said before may only follow from a lack of memory: replaces it. */
int diag_out_of_memory(struct diag *d);

#endif
