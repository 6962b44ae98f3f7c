/* Makes the function of one value of a kernel, as machine code of its own. It is made when it is first asked
 * for, because most kernels need none. */
#include "border.h"
#include "compile.h"
#include "header.h"
#include "perf.h"

#include <string.h>

struct scalar_work {
    const actgen_kernel *kernel; /* With formulas. */
    struct scalar_code made;
};

static int load_scalar(struct scalar_work *w, const struct backend_buffer *object, const char *symbol,
                       struct diag *error)
{
    int status = loader_load(&w->made.code, object->data, object->size, error);
    void *address = status ? NULL : loader_symbol(w->made.code, symbol, error);
    if (!address) return error->status;
    /* ISO C has no cast from object to function pointers. */
    memcpy(&w->made.function, &address, sizeof address);
    perf_name(w->kernel->engine->perf, w->made.code, object->data, object->size);
    return DIAG_OK;
}

static int make_scalar(arena *memory, void *context, struct diag *error)
{
    struct scalar_work *w = context;
    const actgen_kernel *k = w->kernel;
    const struct emission e = {.kernels = &k, .count = 1, .prefix = "", .abi = ABI_SCALAR};
    const struct backend_function f = own_function(k);
    struct backend_options options = own_object(k);
    struct backend_buffer object;
    struct text symbol = text_new(memory);
    char key[HASH_TEXT_SIZE];
    text_add(&symbol, "%s_scalar", k->symbol);
    const struct backend_call call = {symbol.data, k->lowered->kernel.name, CALL_VALUES, {0}};
    options.calls = &call;
    options.call_count = 1;
    options.values_only = true;
    int status = check_values(&e, k, error);
    if (status) return status;
    object_key(&f, &options, memory, key);
    status = object_find(&object, k->engine, key, &f, &options, false, error);
    if (status) return status;
    status = load_scalar(w, &object, symbol.data, error);
    backend_buffer_free(&object);
    if (status) loader_free(w->made.code);
    return status;
}

static actgen_scalar_fn scalar_so_far(const actgen_kernel *k)
{
    pthread_mutex_lock(&k->engine->lock);
    const actgen_scalar_fn function = k->scalar->function;
    pthread_mutex_unlock(&k->engine->lock);
    return function;
}

/* Keeps the code, unless another thread was quicker. Returns the function that is kept. */
static actgen_scalar_fn keep_scalar(const actgen_kernel *k, struct scalar_code made)
{
    pthread_mutex_lock(&k->engine->lock);
    const bool is_first = !k->scalar->function;
    if (is_first) *k->scalar = made;
    const actgen_scalar_fn function = k->scalar->function;
    pthread_mutex_unlock(&k->engine->lock);
    if (!is_first) loader_free(made.code);
    return function;
}

int actgen_kernel_scalar(actgen_scalar_fn *out, const actgen_kernel *kernel, actgen_error *error)
{
    struct diag d = {0};
    ENTER_LIBRARY(host);
    if (!kernel) return refuse_no_kernel(error);
    if (!out) return diag_set(&d, DIAG_INVALID, "out is NULL"), error_return(error, &d);
    *out = scalar_so_far(kernel);
    if (*out) return ACTGEN_OK;
    struct scalar_work w = {.kernel = kernel_whole(kernel, &d)};
    if (w.kernel && !kernel->code)
        diag_set(&d, DIAG_TARGET, "`%s` has no machine code, so it has no function of one value; %s",
                 kernel->called.name, kernel->backend);
    else if (w.kernel && !with_arena(NULL, make_scalar, &w, &d))
        *out = keep_scalar(kernel, w.made);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
