/* Finds the processor's name, and the day, for reports of times. */
#include "machine.h"

#include <actgen.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Reads the model name. Linux has it for x86-64 processors, but not for Arm's. */
static int read_model(char *name, size_t size)
{
    char line[256];
    int found = 0;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) || !colon) continue;
        line[strcspn(line, "\n")] = 0;
        found = snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " ")) > 0;
    }
    if (file) fclose(file);
    return found;
}

void machine_name(char *name, size_t size)
{
    actgen_core core = ACTGEN_CORE_INIT;
    if (read_model(name, size)) return;
    snprintf(name, size, "unknown processor");
    for (size_t i = 0; !actgen_core_info(i, &core); i++)
        if (core.is_here) snprintf(name, size, "%s", core.name);
}

void date_of_today(char date[DATE_SIZE])
{
    const time_t now = time(NULL);
    struct tm day;
    if (!gmtime_r(&now, &day) || !strftime(date, DATE_SIZE, "%Y-%m-%d", &day)) date[0] = 0;
}
