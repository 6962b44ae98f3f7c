/* Fuzzes the language: any bytes are a spec or an error, and a spec's printed text is a spec with the same
 * text. The bytes have no terminator. */
#include "fuzz.h"
#include "language.h"

static void parse(arena *memory, const uint8_t *data, size_t size)
{
    struct spec *spec, *again;
    struct diag error = {0};
    if (spec_parse(&spec, memory, "fuzz.act", (const char *)data, size, &error)) return;
    struct text first = text_new(memory), second = text_new(memory);
    spec_print(&first, spec);
    const int status = spec_parse(&again, memory, "fuzz.act", first.data, first.length, &error);
    if (status) return; /* functions are inlined, so the text may be beyond a limit */
    spec_print(&second, again);
    fuzz_expect(first.length == second.length && !memcmp(first.data, second.data, first.length));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_with_arena(parse, data, size);
    return 0;
}
