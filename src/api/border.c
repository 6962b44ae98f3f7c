/* Crosses the border between host and library, in both directions. */
#include "border.h"

#include <string.h>

_Static_assert(sizeof(((actgen_error *)0)->message) == DIAG_MESSAGE_SIZE, "messages fit");

int error_return(actgen_error *out, const struct diag *d)
{
    if (!out) return d->status;
    out->status = d->status;
    out->line = d->line;
    out->column = d->column;
    out->offset = d->offset;
    out->length = d->length;
    memcpy(out->message, d->message, sizeof out->message);
    return d->status;
}

int refuse_no_kernel(actgen_error *error)
{
    struct diag d = {0};
    diag_set(&d, DIAG_INVALID, "kernel is NULL: did actgen_compile fail?");
    return error_return(error, &d);
}

int take_options(void *out, size_t size, const void *given, const char *what, struct diag *error)
{
    size_t given_size;
    if (!given) return DIAG_OK;
    memcpy(&given_size, given, sizeof given_size);
    if (!size_is_set(given_size))
        return diag_set(error, DIAG_INVALID, "options.size is not set: start from %s", what);
    memcpy(out, given, given_size < size ? given_size : size);
    return DIAG_OK;
}

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
