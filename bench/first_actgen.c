/* Times actgen's first kernels. They come from the disk cache, where an earlier process left them, or are
 * made anew without a cache. */
#include "actgen.h"
#include "first.h"

#include <stdlib.h>

int main(void)
{
    static const char *const names[ASKED] = {"gelu", "silu", "tanh", "gelu"};
    double times[ASKED + 1] = {now_us()};
    actgen_kernel *kernels[ASKED] = {NULL};
    actgen_engine *engine = NULL;
    actgen_error error = {0};
    int status = actgen_engine_create(&engine, &error);
    for (int i = 0; i < ASKED && !status; i++) {
        status = actgen_compile_builtin(&kernels[i], engine, names[i], NULL, NULL, &error);
        times[i + 1] = now_us();
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        print_times(times);
    for (int i = 0; i < ASKED; i++) actgen_kernel_free(kernels[i]);
    actgen_engine_free(engine);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
