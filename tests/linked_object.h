/* Objects as shared libraries that are made of nothing else, in a folder of the test. Include cmocka.h first.
 */
#ifndef ACTGEN_TEST_LINKED_OBJECT_H
#define ACTGEN_TEST_LINKED_OBJECT_H

#include "engine.h"
#include "folder.h"

#include <dlfcn.h>

/* Open the engine and make the folder, and undo both, as the setup and the teardown of a group. */
static inline int start(void **state) { return open_engine(state) || make_folder(state); }
static inline int finish(void **state)
{
    close_engine(state);
    return remove_folder(state);
}

static inline int write_to(void *file, const void *data, size_t size)
{
    return fwrite(data, 1, size, file) != size;
}

/* Emits the kernels as an object and loads it as a shared library. The next one has the same path, so close
 * this one before. `options` may be NULL. */
static inline void *load(actgen_kernel *const *kernels, size_t count, const actgen_emit_options *options)
{
    char path[128], command[512];
    snprintf(path, sizeof path, "%s/k.o", folder);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (actgen_emit_with((const actgen_kernel *const *)kernels, count, ACTGEN_EMIT_OBJECT, options, write_to,
                         file, &error))
        fail_msg("%s", error.message);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "cc -shared -Wl,-z,defs -Wl,-z,text -Wl,--fatal-warnings %s -o %s/k.so",
             path, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "./%s/k.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_msg("%s", dlerror());
    return library;
}

/* Sets the function pointer at `function` to the symbol. ISO C has no cast from object to function pointers.
 */
static inline void find(void *function, void *library, const char *symbol)
{
    void *address = dlsym(library, symbol);
    if (!address) fail_msg("%s", dlerror());
    memcpy(function, &address, sizeof address);
}

#endif
