/* Makes the formulas of kernels that were found without them. */
#include "compile.h"

/* Compiles the kernel as if no record had been found. Its plans and object may still come from the cache. */
static int compile_whole(actgen_kernel **out, const actgen_kernel *k, struct diag *error)
{
    actgen_spec *spec;
    struct compilation c = {.engine = k->engine, .asked = k->asked};
    int status = spec_make(&spec, &k->ready->source, (struct spec_limits){0}, error);
    if (status) return status;
    status = ask_which(&c, spec, k->asked.kernel, error);
    if (!status) status = compile_unshared(out, &c, error);
    actgen_spec_free(spec);
    return status;
}

static actgen_kernel *made_so_far(const actgen_kernel *k)
{
    pthread_mutex_lock(&k->engine->lock);
    actgen_kernel *whole = k->ready->whole;
    pthread_mutex_unlock(&k->engine->lock);
    return whole;
}

const actgen_kernel *kernel_whole(const actgen_kernel *k, struct diag *error)
{
    actgen_kernel *made;
    if (!k->ready) return k;
    if ((made = made_so_far(k))) return made;
    if (compile_whole(&made, k, error)) return NULL;
    pthread_mutex_lock(&k->engine->lock);
    actgen_kernel *const earlier = k->ready->whole; /* Another thread may have made it. */
    if (!earlier) k->ready->whole = made;
    pthread_mutex_unlock(&k->engine->lock);
    if (!earlier) return made;
    actgen_kernel_free(made);
    return earlier;
}
