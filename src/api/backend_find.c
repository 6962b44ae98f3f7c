/* Finds the library that compiles. An archive and the tests have it linked in. Else it is loaded when it is
 * first needed. */
#include "api.h"
#include "build_id.h"
#include "library_find.h"

/* The backend if it is linked in, else NULL. */
extern __attribute__((weak)) loadable_function backend_module;

static const char name[] = "libactgen-llvm.so." ACTGEN_SOVERSION;

static int find_backend(const struct backend **out, actgen_engine *e, struct diag *error)
{
    const struct loadable *found = NULL;
    int status = DIAG_OK;
    pthread_mutex_lock(&e->lock);
    if (!e->backend) {
        if (backend_module)
            found = backend_module();
        else
            status = library_find(&found, name, "backend_module", build_id, "compiled", error);
        e->backend =
            (const struct backend *)found; /* The library stays loaded, because LLVM cannot be unloaded. */
    }
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

void engine_leave_backend(actgen_engine *e)
{
    if (e->backend) e->backend->spare_clear(&e->spare);
}

int engine_loops(actgen_engine *e, struct loop_choice *out, size_t *count, const struct backend_function *f,
                 struct diag *error)
{
    const struct backend *backend;
    const int status = find_backend(&backend, e, error);
    *count = status ? 0 : backend->loops(out, f);
    return status || *count ? status : diag_out_of_memory(error);
}
