/* actgen check: parses files, so that their errors are seen. */
#include "input.h"
#include "options.h"

int command_check(const struct options *options)
{
    if (!options->what_count) return usage_error(options->command, "a FILE is missing");
    int code = EXIT_GOOD;
    for (size_t i = 0; i < options->what_count; i++) {
        struct source source;
        int one = source_open(&source, &options->whats[i], NULL);
        if (!one) source_close(&source);
        code = worse_exit(code, one);
    }
    return code;
}
