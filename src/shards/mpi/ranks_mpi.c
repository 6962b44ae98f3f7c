/* The library libactgen-mpi: implements ranks.h with MPI. No other part of actgen is linked with MPI. */
#include "ranks.h"

#include <mpi.h>

enum { TAG = 1 };

static const char *begin(int *rank, int *count)
{
    int threads;
    MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &threads);
    if (threads < MPI_THREAD_SERIALIZED) return "this MPI can be called from the first thread only";
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, count);
    return NULL;
}

static void send(int to, const void *data, size_t size)
{
    MPI_Send(data, (int)size, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static long waiting(int *from)
{
    int found, size;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &found, &status);
    if (!found) return -1;
    *from = status.MPI_SOURCE;
    MPI_Get_count(&status, MPI_BYTE, &size);
    return size;
}

static void receive(int from, void *data, size_t size)
{
    MPI_Recv(data, (int)size, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void end(void) { MPI_Finalize(); }
static void abort_all(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

extern const struct rank_calls actgen_rank_calls;
__attribute__((visibility("default"))) const struct rank_calls actgen_rank_calls = {
    RANK_CALLS_VERSION, begin, send, waiting, receive, end, abort_all};
