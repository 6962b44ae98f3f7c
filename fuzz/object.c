/* Fuzzes the loader: any bytes are refused, or are an object whose functions lie in executable memory. No
 * function is called. */
#include "fuzz.h"
#include "loader.h"

static void visit(const void *start, size_t bytes, const char *name)
{
    /* A byte at each end shows that the memory is there. */
    static volatile uint8_t sink;
    if (bytes) sink = (uint8_t)(((const uint8_t *)start)[0] ^ ((const uint8_t *)start)[bytes - 1]);
    sink = (uint8_t)(sink ^ (uint8_t)strlen(name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    loader_code *code = NULL;
    struct diag error = {0};
    const bool is_taken = !loader_check(data, size, &error);
    const bool is_loaded = !loader_load(&code, data, size, &error);
    fuzz_expect(is_taken || !is_loaded);
    if (is_loaded) {
        loader_functions(code, visit);
        (void)loader_symbol(code, "gelu", &error);
        loader_show(code, data, size);
    }
    loader_free(code);
    return 0;
}
