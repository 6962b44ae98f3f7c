/* Reads what --plan-limit, --time-limit and --memory-limit say. */
#include "input.h"
#include "numbers.h"
#include "options.h"

#include <stdlib.h>
#include <string.h>

static int choose_plan_limit(struct jobs *jobs, const struct options *options)
{
    const char *text = options->plan_limit, *end;
    if (!text || (read_count(&jobs->plan_limit, text, &end) && jobs->plan_limit && !*end)) return EXIT_GOOD;
    return usage_error(options->command, "--plan-limit wants a whole number from 1 to 2^64 - 1, not '%s'",
                       text);
}

static int choose_time_limit(struct jobs *jobs, const struct options *options)
{
    char *end = "";
    const char *text = options->time_limit;
    const bool is_decimal =
        text && !text[strspn(text, "0123456789.eE+-")]; /* strtod reads 0x2 and nan, too */
    if (text) jobs->time_limit = is_decimal ? strtod(text, &end) : 0;
    if (!text || (jobs->time_limit > 0 && jobs->time_limit <= 1e9 && !*end)) return EXIT_GOOD;
    return usage_error(options->command, "--time-limit wants a number of seconds above 0, not '%s'", text);
}

/* Reads a number, and k, M, G or T after it: powers of 1000. */
static int choose_memory_limit(struct jobs *jobs, const struct options *options)
{
    static const char units[] = "kMGT";
    const char *text = options->memory_limit, *end;
    if (!text) return EXIT_GOOD;
    bool is_number = read_count(&jobs->memory_limit, text, &end);
    const char *unit = is_number && *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        is_number &= !__builtin_mul_overflow(jobs->memory_limit, 1000, &jobs->memory_limit);
    if (is_number && jobs->memory_limit && !end[unit != NULL]) return EXIT_GOOD;
    return usage_error(
        options->command,
        "--memory-limit wants a number of bytes above 0 and below 2^64, as in 200M or 1G, not '%s'", text);
}

int choose_limits(struct jobs *jobs, const struct options *options)
{
    int code = choose_plan_limit(jobs, options);
    if (!code) code = choose_time_limit(jobs, options);
    return code ? code : choose_memory_limit(jobs, options);
}
