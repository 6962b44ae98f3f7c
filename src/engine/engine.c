/* The lifetimes of engines, and their back end. */
#include "engine.h"
#include "backend_find.h"

#include <stdlib.h>

enum { LEAST_LISTS = 64 };

actgen_engine *engine_make(void)
{
    actgen_engine *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->lists = LEAST_LISTS;
    e->kernels = calloc(e->lists, sizeof(actgen_kernel *));
    e->references = 1;
    if (e->kernels && !pthread_mutex_init(&e->lock, NULL)) return e;
    free(e->kernels);
    free(e);
    return NULL;
}

/* Loads the back end at the first call. The library stays loaded, because LLVM cannot be unloaded. */
static int find_backend(const struct backend **out, actgen_engine *e, struct diag *error)
{
    int status = DIAG_OK;
    pthread_mutex_lock(&e->lock);
    if (!e->backend) status = backend_find(&e->backend, error);
    *out = e->backend;
    pthread_mutex_unlock(&e->lock);
    return status;
}

int engine_emit(actgen_engine *e, const struct backend_function *functions, size_t count,
                const struct backend_options *options, enum backend_output output, struct backend_buffer *out,
                struct diag *error)
{
    const struct backend *backend;
    struct backend_options own = *options;
    *out = (struct backend_buffer){0};
    own.spare = &e->spare;
    const int status = find_backend(&backend, e, error);
    return status ? status : backend->emit(functions, count, &own, output, out, error);
}

int engine_loops(actgen_engine *e, struct loop_choice *out, size_t *count, const struct backend_function *f,
                 struct diag *error)
{
    const struct backend *backend;
    const int status = find_backend(&backend, e, error);
    *count = status ? 0 : backend->loops(out, f);
    return status || *count ? status : diag_out_of_memory(error);
}

void engine_release(actgen_engine *e)
{
    bool last = --e->references == 0;
    pthread_mutex_unlock(&e->lock);
    if (!last) return;
    if (e->backend) e->backend->spare_clear(&e->spare);
    cache_close(e->cache);
    pthread_mutex_destroy(&e->lock);
    free(e->kernels);
    free(e);
}

void actgen_engine_free(actgen_engine *e)
{
    if (!e) return;
    pthread_mutex_lock(&e->lock);
    engine_release(e);
}
