/* Libraries of this project that are loaded when they are first needed. */
#include "library_find.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
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

/* Returns true if the loader found no place for a library in a limited address space. The loader's text is
 * the only sign: dlopen sets no errno. Without a limit the text may mean a file system from which nothing may
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
                        "nothing can be %s without %s, which belongs beside libactgen: %.300s", without, name,
                        reason ? reason : "the loader says no more");
    }
    memcpy(&module, &address, sizeof module); /* ISO C has no cast from object to function pointers */
    if (strcmp(module()->build, build) != 0)
        return diag_set(error, DIAG_BACKEND, "%s is of another build than libactgen: install both together",
                        name);
    *out = module();
    return DIAG_OK;
}
