/* A text of PTX, decoded (ptx_text.c), as ptx_machine.c runs it. */
#ifndef ACTGEN_CROSS_PTX_TEXT_H
#define ACTGEN_CROSS_PTX_TEXT_H

#include "ptx.h"

typedef uint64_t u64;

enum {
    KINDS = 7,
    MOST_OF_KIND = 8192,
    MOST_REGISTERS = KINDS * MOST_OF_KIND,
    MOST_PARAMETERS = 64,
    MOST_WORDS = 80
};
enum what {
    COMPUTE,
    SPLIT,
    JOIN,
    LOAD,
    STORE,
    LOAD_PARAMETER,
    STORE_PARAMETER,
    CALL,
    BRANCH,
    RETURN,
    TRAP,
    EXCHANGE, /* the threads of a warp wait for each other, and read a register of another one */
    MEET      /* the threads of a warp wait for each other */
};
enum special {
    TID_X = MOST_REGISTERS,
    TID_Y,
    NTID_X,
    NTID_Y,
    CTAID_X,
    CTAID_Y,
    NCTAID_X,
    NCTAID_Y,
    NOWHERE, /* "_", a result that nothing reads */
    SPECIAL_END
};

struct value { /* A register, or a constant if `at` is negative. */
    int at;
    u64 bits;
};

struct instruction {
    enum what what;
    ptx_compute *compute;
    int condition; /* A register, or -1 for always. */
    int negated;
    /* The number of values in memory, or of those that are split or joined, and the size of each. */
    unsigned count, bytes;
    int is_signed; /* A load repeats the sign of each value in the register's high bits. */
    int to[4];     /* The registers that are written. */
    struct value from[4], address;
    u64 offset; /* An offset to the address, or into the parameters. */
    /* The instruction of a branch, or the function of a call. */
    size_t target;
    char label[32]; /* The label of a branch, until the function ends. */
};

struct function {
    char name[96];
    struct instruction *code;
    size_t count;
};

/* Ends the program with a message. */
__attribute__((format(printf, 1, 2), noreturn)) void ptx_give_up(const char *format, ...);

/* Finds a function or entry by its name. Functions stay where they are after all texts are loaded. */
const struct function *ptx_function(const char *name);
const struct function *ptx_function_at(size_t number);

#endif
