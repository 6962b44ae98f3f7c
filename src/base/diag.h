/* What went wrong: a status, a place, a message. Mirrors actgen_error (include/actgen.h) one to one. */
#ifndef ACTGEN_DIAG_H
#define ACTGEN_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The values are those of the public ACTGEN_* statuses and never change meaning; api/ asserts that they agree. */
enum diag_status {
    DIAG_OK = 0,
    DIAG_NO_MEMORY = -1,
    DIAG_INVALID = -2,  /* a wrong argument of a call */
    DIAG_SYNTAX = -3,   /* the spec's text */
    DIAG_ACCURACY = -4, /* no plan keeps the bound */
    DIAG_TARGET = -5,   /* instruction set unknown, or not on this machine */
    DIAG_BACKEND = -6,  /* LLVM refused */
    DIAG_WRITE = -7,    /* the caller's write function failed */
    DIAG_NOT_YET = -8,  /* part of the language, not of this version */
    DIAG_STOPPED = -9,  /* the caller's progress function asked to stop */
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

/* The name in `names` (count of them) that is nearest to `name`, or NULL if none is near: for "did you mean". */
const char *diag_nearest(const char *name, const char *const *names, size_t count);

#endif
