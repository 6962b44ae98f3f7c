/* Fuzzes formulas of the command line, and bounds. A bound's printed text is the same bound. */
#include "fuzz.h"
#include "language.h"

static void parse(arena *memory, const uint8_t *data, size_t size)
{
    struct spec *spec;
    struct spec_bound bound, again;
    struct diag error = {0};
    const char *text = (const char *)data;
    if (!spec_parse_expression(&spec, memory, text, size, &error)) fuzz_expect(spec->kernel_count == 1);
    if (spec_parse_bound(&bound, memory, text, size, &error)) return;
    char printed[SPEC_BOUND_TEXT_SIZE];
    spec_bound_text(printed, &bound);
    fuzz_expect(!spec_parse_bound(&again, memory, printed, strlen(printed), &error));
    fuzz_expect(spec_bound_equal(&bound, &again));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_with_arena(parse, data, size);
    return 0;
}
