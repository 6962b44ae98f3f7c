/* Loads libraries of this project when they are first needed. */
#include "library_find.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Opens the library in the folder of this library, else where the system looks. The library stays loaded. */
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
        /* A library that is there but does not open is wrong, or memory ran out. dlerror says which. */
        return library;
    return dlopen(name, FLAGS);
}

/* Returns true if a limit of address space left no room for a library. The loader's text is the only sign,
 * because dlopen does not set errno. Without a limit the text may mean a file system from which nothing may
 * be executed. */
static bool is_short_of_addresses(const char *reason)
{
    struct rlimit addresses;
    if (getrlimit(RLIMIT_AS, &addresses) || addresses.rlim_cur == RLIM_INFINITY) return false;
    return strstr(reason, "map segment") || strstr(reason, "Cannot allocate memory");
}

int library_find(const struct loadable **out, const char *name, const char *function, const char *build,
                 const char *without, struct diag *error)
{
    loadable_function *module;
    void *library = open_library(name), *address = library ? dlsym(library, function) : NULL;
    if (!address) {
        const char *reason = dlerror();
        if (reason && is_short_of_addresses(reason))
            return diag_set(
                error, DIAG_NO_MEMORY,
                "nothing can be %s: memory ran out while %s was loaded; the limit of address space "
                "(ulimit -v) is too low: %.300s",
                without, name, reason);
        return diag_set(error, DIAG_BACKEND,
                        "nothing can be %s without %s, which belongs next to libactgen: %.300s", without,
                        name, reason ? reason : "the loader says no more");
    }
    memcpy(&module, &address, sizeof module); /* ISO C has no cast from object to function pointers. */
    if (strcmp(module()->build, build) != 0)
        return diag_set(error, DIAG_BACKEND, "%s is of another build than libactgen: install both together",
                        name);
    *out = module();
    return DIAG_OK;
}
