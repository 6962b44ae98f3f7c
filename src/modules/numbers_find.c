/* Loads libactgen-numbers. The addresses of its functions belong to this library and not to an engine, as
 * with addresses that the dynamic linker fills in. They are written once, before anyone calls them, and are
 * the same for all engines. */
#include "library_find.h"
#include "numbers.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#pragma weak numbers_list
#pragma weak numbers_count
#pragma weak numbers_imported

static const char name[] = "libactgen-numbers.so." ACTGEN_SOVERSION;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool is_loaded;

static int load(struct diag *error)
{
    const struct loadable *found;
    const int status = library_find(&found, name, "numbers_module", numbers_list, "read or planned", error);
    if (status) return status;
    memcpy(numbers_imported, ((const struct numbers *)found)->functions,
           numbers_count * sizeof *numbers_imported);
    atomic_store_explicit(&is_loaded, true, memory_order_release);
    return DIAG_OK;
}

int need_numbers(struct diag *error)
{
    int status = DIAG_OK;
    if (!numbers_imported || atomic_load_explicit(&is_loaded, memory_order_acquire)) return DIAG_OK;
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&is_loaded, memory_order_relaxed)) status = load(error);
    pthread_mutex_unlock(&lock);
    return status;
}
