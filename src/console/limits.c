/* What --plan-limit, --time-limit and --memory-limit say. */
#include "input.h"
#include "options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int choose_plan_limit(struct jobs *jobs, const struct options *options)
{
    char *end = "";
    const char *text = options->plan_limit;
    if (text) jobs->plan_limit = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    if (!text || (jobs->plan_limit && !*end)) return EXIT_GOOD;
    return usage_error(options->command, "--plan-limit wants a whole number from 1 on, not '%s'", text);
}

static int choose_time_limit(struct jobs *jobs, const struct options *options)
{
    char *end = "";
    const char *text = options->time_limit;
    if (text) jobs->time_limit = isdigit((unsigned char)*text) || *text == '.' ? strtod(text, &end) : 0;
    if (!text || (jobs->time_limit > 0 && jobs->time_limit <= 1e9 && !*end)) return EXIT_GOOD;
    return usage_error(options->command, "--time-limit wants a number of seconds above 0, not '%s'", text);
}

/* A number, and k, M or G of it: powers of 1000. */
static int choose_memory_limit(struct jobs *jobs, const struct options *options)
{
    static const char units[] = "kMG";
    char *end = "";
    const char *text = options->memory_limit;
    if (text) jobs->memory_limit = isdigit((unsigned char)*text) ? strtoull(text, &end, 10) : 0;
    const char *unit = text && *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++)
        jobs->memory_limit *= jobs->memory_limit <= UINT64_MAX / 1000 ? 1000 : 0; /* too large is no number */
    if (!text || (jobs->memory_limit && !end[unit != NULL])) return EXIT_GOOD;
    return usage_error(options->command,
                       "--memory-limit wants a number of bytes above 0, as in 200M or 1G, not '%s'", text);
}

int choose_limits(struct jobs *jobs, const struct options *options)
{
    int code = choose_plan_limit(jobs, options);
    if (!code) code = choose_time_limit(jobs, options);
    return code ? code : choose_memory_limit(jobs, options);
}
