/* Crosses the border between host and library, in both directions. */
#include "border.h"

int host_write(const struct host_sink *sink, const void *data, size_t size, struct diag *error)
{
    THREAD_STATE_IN_BLOCK(own, sink->host);
    return sink->write(sink->payload, data, size) ? diag_set(error, DIAG_WRITE, "the write function failed")
                                                  : DIAG_OK;
}

int host_progress(void *context, double done, double max_ulp)
{
    const struct host_progress *p = context;
    THREAD_STATE_IN_BLOCK(own, p->host);
    return p->progress(p->payload, done, max_ulp);
}

struct shared_task {
    void (*run)(void *context, size_t i);
    void *context;
};

static void run_task(void *context, size_t i)
{
    const struct shared_task *task = context;
    ENTER_LIBRARY(host);
    task->run(task->context, i);
}

void host_parallel(void *context, size_t count, void (*task)(void *context, size_t i), void *task_context)
{
    const struct host_parallel *p = context;
    struct shared_task shared = {task, task_context};
    THREAD_STATE_IN_BLOCK(own, p->host);
    p->parallel(p->payload, count, run_task, &shared);
}

static int report_planning(void *context, double done, const char *what)
{
    const struct host_planning *p = context;
    THREAD_STATE_IN_BLOCK(own, p->host);
    return p->progress(p->payload, done, what);
}

struct progress progress_of(struct host_planning *out, const actgen_options *options,
                            const struct thread_state *host)
{
    *out = (struct host_planning){.parallel = {host, options->parallel, options->parallel_payload},
                                  .host = host,
                                  .progress = options->progress,
                                  .payload = options->progress_payload};
    return (struct progress){.parallel = options->parallel ? host_parallel : NULL,
                             .parallel_payload = &out->parallel,
                             .report = options->progress ? report_planning : NULL,
                             .report_payload = out};
}
