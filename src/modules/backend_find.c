/* Finds the library that compiles. An archive and the tests have it linked in. Else it is loaded when it is
 * first needed. */
#include "backend_find.h"
#include "build_id.h"
#include "library_find.h"

/* The backend if it is linked in, else NULL. */
extern __attribute__((weak)) loadable_function backend_module;

static const char name[] = "libactgen-llvm.so." ACTGEN_SOVERSION;

int backend_find(const struct backend **out, struct diag *error)
{
    const struct loadable *found = NULL;
    int status = DIAG_OK;
    if (backend_module)
        found = backend_module();
    else
        status = library_find(&found, name, "backend_module", build_id, "compiled", error);
    *out = (const struct backend *)found;
    return status;
}
