/* A function of another library, which `actgen verify --of` judges: a function of one value, of arrays, or of
 * the vector ABI. */
#ifndef ACTGEN_CLI_FOREIGN_H
#define ACTGEN_CLI_FOREIGN_H

#include "cli.h"
#include "vector_calls.h"

struct foreign;
/* A way to call a function for an array. */
typedef void foreign_call(const struct foreign *f, size_t n, const void *x, void *y);

struct foreign {
    const char *text; /* LIBRARY:SYMBOL, as given */
    void *library;
    void (*address)(void);
    foreign_call *call;
    vector_call *vector_call; /* of the vector ABI */
    bool is_of_arrays;
    int type, result_type; /* of the kernel's input and result: ACTGEN_F32 ... */
    /* For functions of arrays: the places of n, x and y among the three arguments. */
    unsigned count_at, input_at, result_at;
};

/* Opens "LIBRARY:SYMBOL". The library is a path, or a name that the system looks up. A symbol _ZGV... has the
 * vector ABI. Arguments in parentheses, as in "libx.so:gelu(n, x, y)", are those of a function of arrays.
 * Returns an exit code. A failure is printed. Close in any case. */
int foreign_open(struct foreign *out, const char *text);
/* Chooses the call for an input and a result of these types. Returns NULL, or why there is none. */
const char *foreign_take_types(struct foreign *f, int type, int result_type);
void foreign_close(struct foreign *f);

/* Calls the function of `foreign`, for actgen_verify_options.judged. */
void foreign_judged(void *foreign, size_t n, const void *x, void *y);

/* The first place where a result of a function of arrays depends on more than its input. */
struct foreign_place {
    bool is_found;
    size_t length, element, offset; /* of the call: its length, the element, and the elements before it */
};
/* Looks for it in calls of 1 to 67 elements at 8 offsets. Functions of one value have none. */
void foreign_find_place(struct foreign_place *out, const struct foreign *f);

#endif
