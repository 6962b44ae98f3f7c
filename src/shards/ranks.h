/* The processes that share one verification. They talk through MPI, but the program is built and linked
 * without it. The library libactgen-mpi (mpi/ranks_mpi.c) calls MPI, and is loaded on demand. */
#ifndef ACTGEN_CLI_RANKS_H
#define ACTGEN_CLI_RANKS_H

#include "cli.h"
#include "file.h"

/* The table `actgen_rank_calls` of libactgen-mpi. An error of MPI ends all ranks, with MPI's message. */
struct rank_calls {
    int version; /* RANK_CALLS_VERSION */
    /* Returns NULL, or what is wrong. Calls may come from any thread, one at a time. */
    const char *(*begin)(int *rank, int *count);
    void (*send)(int to, const void *data, size_t size);
    /* Returns the size of a waiting message and its sender, or -1 if none waits. */
    long (*waiting)(int *from);
    void (*receive)(int from, void *data, size_t size);
    void (*end)(void);
    void (*abort)(int code); /* ends all ranks */
};
enum { RANK_CALLS_VERSION = 1 };

struct ranks {
    const struct rank_calls *calls; /* NULL: this process works alone */
    int rank, count;
};

/* Joins the ranks that mpirun started. Without mpirun, or if `wanted` is false, this process is rank 0 of 1.
 * Returns an exit code; a failure is printed. */
int ranks_begin(struct ranks *out, bool wanted);
void ranks_send(const struct ranks *ranks, int to, const char *text);
/* Receives a waiting message. Returns false if none waits. The caller frees the buffer. */
bool ranks_receive(const struct ranks *ranks, int *from, struct buffer *text);
/* Waits for a message. Returns false after an interrupt. */
bool ranks_wait(const struct ranks *ranks, int *from, struct buffer *text);
/* Ends this rank's part. If not all ranks come here, the others are ended with the code. */
void ranks_end(const struct ranks *ranks, int code, bool all_come);

/* Returns the rank of this process by the environment that mpirun set, or -1 without mpirun. MPI need not be
 * loaded. */
int ranks_from_environment(void);

#endif
