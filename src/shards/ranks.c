/* Loads libactgen-mpi, and waits for messages without keeping a processor busy, as MPI itself would. */
#include "ranks.h"
#include "diagnostics.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LIBRARY "libactgen-mpi.so.0"

int ranks_from_environment(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i]);
        if (rank && *rank) return atoi(rank);
    }
    return -1;
}

static int load(const struct rank_calls **out)
{
    void *library = dlopen(
        LIBRARY, RTLD_NOW | RTLD_LOCAL); /* it stays loaded, because MPI can be ended but not unloaded */
    if (!library)
        return print_error(EXIT_TARGET,
                           "--mpi needs " LIBRARY ", which is built where CMake finds MPI (ACTGEN_MPI): %s",
                           dlerror());
    *out = dlsym(library, "actgen_rank_calls");
    if (!*out || (*out)->version != RANK_CALLS_VERSION)
        return print_error(EXIT_TARGET, LIBRARY " is of another version of actgen");
    return EXIT_GOOD;
}

int ranks_begin(struct ranks *out, bool wanted)
{
    *out = (struct ranks){.count = 1};
    if (!wanted) return EXIT_GOOD;
    const int code = load(&out->calls);
    if (code) return code;
    const char *problem = out->calls->begin(&out->rank, &out->count);
    return problem ? print_error(EXIT_TARGET, "%s", problem) : EXIT_GOOD;
}

void ranks_send(const struct ranks *ranks, int to, const char *text)
{
    ranks->calls->send(to, text, strlen(text));
}

bool ranks_receive(const struct ranks *ranks, int *from, struct buffer *text)
{
    const long size = ranks->calls ? ranks->calls->waiting(from) : -1;
    if (size < 0) return false;
    *text = (struct buffer){.data = must_allocate((size_t)size + 1, 1), .size = (size_t)size};
    ranks->calls->receive(*from, text->data, text->size);
    return true;
}

bool ranks_wait(const struct ranks *ranks, int *from, struct buffer *text)
{
    static const struct timespec moment = {.tv_nsec = 1000000};
    while (!ranks_receive(ranks, from, text)) {
        if (was_interrupted()) return false;
        nanosleep(&moment, NULL);
    }
    return true;
}

void ranks_end(const struct ranks *ranks, int code, bool all_come)
{
    if (!ranks->calls) return;
    fflush(stdout);
    if (all_come)
        ranks->calls->end();
    else
        ranks->calls->abort(code ? code : EXIT_INTERRUPTED);
}
