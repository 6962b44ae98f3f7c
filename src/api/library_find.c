/* Libraries of this project that are loaded when they are first needed. */
#include "library_find.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where this library lies; else where the system looks. What is loaded stays. */
static void *open_library(const char *name)
{
    enum { FLAGS = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE };
    static const char here[] = "";
    char path[4096] = "";
    Dl_info self;
    void *library = NULL;
    const char *slash = dladdr(here, &self) && self.dli_fname ? strrchr(self.dli_fname, '/') : NULL;
    if (slash) {
        const int folder = (int)(slash - self.dli_fname);
        const int length = snprintf(path, sizeof path, "%.*s/%s", folder, self.dli_fname, name);
        if (length > 0 && (size_t)length < sizeof path) library = dlopen(path, FLAGS);
    }
    if (library || !access(path, F_OK))
        return library; /* one that is there is wrong, or has no memory: dlerror says so */
    return dlopen(name, FLAGS);
}

int library_find(const struct loadable **out, const char *name, const char *function, const char *build,
                 const char *without, struct diag *error)
{
    loadable_function *module;
    void *library = open_library(name), *address = library ? dlsym(library, function) : NULL;
    if (!address)
        return diag_set(error, DIAG_BACKEND,
                        "nothing can be %s without %s, which belongs beside libactgen: %.300s", without, name,
                        dlerror());
    memcpy(&module, &address, sizeof module); /* ISO C has no cast from object to function pointers */
    if (strcmp(module()->build, build) != 0)
        return diag_set(error, DIAG_BACKEND, "%s is of another build than libactgen: install both together",
                        name);
    *out = module();
    return DIAG_OK;
}
