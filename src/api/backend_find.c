/* The library that compiles: linked in, as in an archive and in the tests, or loaded when it is first needed. */
#include "api.h"
#include "build_id.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* In the same library, or NULL. */
extern __attribute__((weak)) const struct backend *backend_module(void);

typedef const struct backend *module_fn(void);

static const char name[] = "libactgen-llvm.so." ACTGEN_SOVERSION;

/* Where this library lies; else where the system looks. It stays loaded: LLVM cannot be unloaded. */
static void *open_library(void)
{
    enum { FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
    char path[4096];
    Dl_info self;
    void *library = NULL;
    const char *slash = dladdr(name, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    if (slash) {
        const int folder = (int)(slash - self.dli_fname);
        const int length = snprintf(path, sizeof path, "%.*s/%s", folder, self.dli_fname, name);
        if (length > 0 && (size_t)length < sizeof path) library = dlopen(path, FLAGS);
    }
    return library ? library : dlopen(name, FLAGS);
}

static int load(const struct backend **out, struct diag *error)
{
    void *library = open_library(), *address = library ? dlsym(library, "backend_module") : NULL;
    module_fn *module;
    if (!address)
        return diag_set(error, DIAG_BACKEND,
                        "nothing can be compiled without %s, which belongs beside libactgen: %.300s", name,
                        dlerror());
    memcpy(&module, &address, sizeof module); /* ISO C has no cast from object to function pointers */
    if (strcmp(module()->build, build_id) != 0)
        return diag_set(error, DIAG_BACKEND, "%s is of another build than libactgen: install both together",
                        name);
    *out = module();
    return DIAG_OK;
}

static int find_backend(const struct backend **out, actgen_engine *e, struct diag *error)
{
    int status = DIAG_OK;
    pthread_mutex_lock(&e->lock);
    if (!e->backend && backend_module) e->backend = backend_module();
    if (!e->backend) status = load(&e->backend, error);
    *out = e->backend;
    pthread_mutex_unlock(&e->lock);
    return status;
}

int engine_emit(actgen_engine *e, const struct backend_function *functions, size_t count,
                const struct backend_options *options, enum backend_output output, struct backend_buffer *out,
                struct diag *error)
{
    const struct backend *backend;
    *out = (struct backend_buffer){0};
    const int status = find_backend(&backend, e, error);
    return status ? status : backend->emit(functions, count, options, output, out, error);
}

int engine_loops(actgen_engine *e, struct loop_choice *out, size_t *count, const struct backend_function *f,
                 struct diag *error)
{
    const struct backend *backend;
    const int status = find_backend(&backend, e, error);
    *count = status ? 0 : backend->loops(out, f);
    return status || *count ? status : diag_out_of_memory(error);
}
