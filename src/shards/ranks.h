/* The processes that one verification is shared out among. They talk by MPI, of which the program is built
 * and linked without: what speaks it is a library of its own, libactgen-mpi (mpi/ranks_mpi.c), loaded when it
 * is asked for. */
#ifndef ACTGEN_CLI_RANKS_H
#define ACTGEN_CLI_RANKS_H

#include "cli.h"
#include "file.h"

/* what libactgen-mpi shows, as `actgen_rank_calls`; errors of MPI end all ranks with its message */
struct rank_calls {
    int version; /* RANK_CALLS_VERSION */
    /* NULL, or what is wrong. Calls may come from any thread, one at a time. */
    const char *(*begin)(int *rank, int *count);
    void (*send)(int to, const void *data, size_t size);
    /* The size of a message that waits, and its sender; -1 where none does. */
    long (*waiting)(int *from);
    void (*receive)(int from, void *data, size_t size);
    void (*end)(void);
    void (*abort)(int code); /* ends all ranks */
};
enum { RANK_CALLS_VERSION = 1 };

struct ranks {
    const struct rank_calls *calls; /* NULL: this process alone */
    int rank, count;
};

/* Joins the ranks that mpirun has started; without mpirun, or where `wanted` is false, this process is rank 0
 * of 1. An exit code; a failure is printed. */
int ranks_begin(struct ranks *out, bool wanted);
void ranks_send(const struct ranks *ranks, int to, const char *text);
/* The text of a message that waits, if there is one. The buffer is the caller's to free. */
bool ranks_receive(const struct ranks *ranks, int *from, struct buffer *text);
/* Waits for a message; false after an interrupt. */
bool ranks_wait(const struct ranks *ranks, int *from, struct buffer *text);
/* Every rank comes here, or knows that the others do not: then they are ended, with the code. */
void ranks_end(const struct ranks *ranks, int code, bool all_come);

/* The rank of this process as its starter's environment has it, before MPI is asked; -1 outside mpirun. */
int ranks_from_environment(void);

#endif
