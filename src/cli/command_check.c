/* Implements actgen check, which parses files and prints their errors. */
#include "input.h"
#include "options.h"

#include <stdlib.h>

static void print_check_object(struct json *j, const struct source *source)
{
    const size_t count = actgen_spec_kernel_count(source->spec);
    const char **names = must_allocate(count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) names[i] = actgen_spec_kernel_name(source->spec, i);
    json_object(j);
    json_text(j, "file", source->file);
    json_texts(j, "kernels", names);
    json_truth(j, "ok", true);
    json_close(j);
    free(names);
}

int command_check(const struct options *options)
{
    if (!options->what_count) return usage_error(options->command, "a FILE is missing");
    int code = EXIT_GOOD;
    for (size_t i = 0; i < options->what_count; i++) {
        struct source source;
        int one = source_open(&source, &options->whats[i], NULL);
        if (!one && json_standard()) print_check_object(json_standard(), &source);
        if (!one) source_close(&source);
        code = worse_exit(code, one);
    }
    return code;
}
