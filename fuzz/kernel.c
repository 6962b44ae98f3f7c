/* Fuzzes random kernels: machine code equals the interpreter at every length, between guard pages. The first
 * bytes choose the kernel, and the next one the instruction set and the tier. Searches for plans are short,
 * because each input is to take less than a second. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fuzz.h"
#include "isas.h"
#include "matrix.h"
#include "random_kernel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static actgen_engine *engine;
    static struct matrix matrix;
    static struct random_kernel text;
    actgen_error error;
    if (!engine) {
        matrix_open(&matrix);
        if (actgen_engine_create(&engine, &error)) abort();
    }
    uint64_t bytes[2] = {0};
    memcpy(bytes, data, size < sizeof bytes ? size : sizeof bytes);
    struct randomness random = {bytes[0]};
    random_kernel(&text, &random);
    actgen_spec *spec = NULL;
    if (actgen_spec_parse(&spec, "random.act", text.text, text.length, &error)) return 0;
    size_t sets = 0;
    while (own_isa_here(sets)) sets++;
    for (size_t k = 0; k < actgen_spec_kernel_count(spec); k++) {
        actgen_options options = ACTGEN_OPTIONS_INIT;
        options.isa = own_isa_here(bytes[1] / 2 % sets);
        options.tier = bytes[1] % 2 ? ACTGEN_TIER_QUICK : ACTGEN_TIER_BEST;
        options.plan_limit = 1 << 16;
        options.time_limit = 1;
        actgen_kernel *kernel;
        if (actgen_compile(&kernel, engine, spec, actgen_spec_kernel_name(spec, k), &options, &error))
            continue;
        matrix_take(&matrix, kernel, text.text);
        matrix_check_lengths(&matrix);
        actgen_kernel_free(kernel);
    }
    actgen_spec_free(spec);
    return 0;
}
