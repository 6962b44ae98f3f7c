/* An error: a status, a place and a message. The members are the same as in actgen_error
 * (include/actgen.h). */
#ifndef ACTGEN_DIAG_H
#define ACTGEN_DIAG_H

#include "actgen.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The public statuses under their inner names. include/actgen.h explains them. */
enum diag_status {
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
    uint32_t line, column; /* They count from 1. 0 means no place. */
    uint32_t offset;       /* In bytes from the start of the text. */
    uint32_t length;       /* The bytes that the message is about. */
    char message[DIAG_MESSAGE_SIZE];
};

struct span {
    uint32_t offset, length;
};

/* Set the error, unless an earlier one is set, and return `status`. So a caller can write `return
 * diag_set(...)`. `d` may be NULL. */
int diag_set(struct diag *d, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
int diag_at(struct diag *d, int status, const char *text, struct span place, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Sets an error for a lack of memory. It replaces an earlier error, which may only be a consequence. */
int diag_out_of_memory(struct diag *d);

#endif
