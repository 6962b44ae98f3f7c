/* Fuzzes plan files. The hash in the last line is made right, so that the records behind it are read. The
 * kernel's bound holds whatever the file says, because each plan is judged. */
#include "fuzz.h"
#include "actgen.h"
#include "hash.h"

#include <stdio.h>

static const char hash_word[] = "hash ";

/* Returns the text with the right hash, which the caller frees. A text without a line of a hash gets one. */
static char *with_hash(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *line = text, *last = NULL;
    for (char *at = text; (at = strstr(at, hash_word)); at++)
        if (at == text || at[-1] == '\n') last = at;
    line = last ? last : text + strlen(text);
    const size_t before = (size_t)(line - text), room = before + sizeof hash_word + HASH_TEXT_SIZE + 2;
    char *out = malloc(room), hash[HASH_TEXT_SIZE];
    if (!out) abort();
    hash_text(text, before, hash);
    snprintf(out, room, "%.*s%s%s\n", (int)before, text, hash_word, hash);
    free(text);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static actgen_engine *engine;
    actgen_error error;
    actgen_engine_options own = ACTGEN_ENGINE_OPTIONS_INIT;
    own.cache_directory = ""; /* nothing is found but what the file has */
    if (!engine && actgen_engine_create_with(&engine, &own, &error)) abort();
    char *text = with_hash(data, size);
    actgen_options options = ACTGEN_OPTIONS_INIT;
    options.isa = "avx2";
    options.tier = ACTGEN_TIER_INTERPRETER;
    options.plans = text;
    options.time_limit = 5;
    actgen_kernel *kernel = NULL;
    actgen_spec *spec = NULL;
    if (actgen_spec_builtin(&spec, "silu", &error)) abort();
    (void)actgen_compile(&kernel, engine, spec, NULL, &options, &error);
    actgen_kernel_free(kernel);
    actgen_spec_free(spec);
    free(text);
    return 0;
}
