/* Runs a parallel loop. Threads take the next index from one counter until none is left. */
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

struct loop {
    atomic_size_t next;
    size_t count;
    void (*task)(void *context, size_t i);
    void *context;
};

static void *take_turns(void *payload)
{
    struct loop *loop = payload;
    for (size_t i; (i = atomic_fetch_add(&loop->next, 1)) < loop->count;) loop->task(loop->context, i);
    return NULL;
}

void parallel_for(void *payload, size_t count, void (*task)(void *context, size_t i), void *context)
{
    enum { MOST = 256 };
    pthread_t threads[MOST];
    struct loop loop = {.count = count, .task = task, .context = context};
    cpu_set_t cpus;
    size_t wanted = 1, started = 0;
    (void)payload;
    if (!sched_getaffinity(0, sizeof cpus, &cpus)) wanted = (size_t)CPU_COUNT(&cpus);
    if (wanted > count) wanted = count;
    if (wanted > MOST) wanted = MOST;
    while (started + 1 < wanted && !pthread_create(&threads[started], NULL, take_turns, &loop)) started++;
    take_turns(&loop); /* this thread works, too; without new threads it does all the work */
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}
