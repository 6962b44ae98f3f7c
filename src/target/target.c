/* The table of instruction sets and the questions about it. */
#include "cores.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct target_isa isas[] = {
#define ISA(...) {__VA_ARGS__},
#include "isa.def"
#undef ISA
};

size_t target_isa_count(void) { return sizeof isas / sizeof *isas; }

const struct target_isa *target_isa_at(size_t i) { return i < target_isa_count() ? &isas[i] : NULL; }

const struct target_isa *target_isa_find(const char *name)
{
    bool host = !strcmp(name, "host");
    for (size_t i = 0; i < target_isa_count(); i++)
        if (host ? target_isa_runs_here(&isas[i]) : !strcmp(name, isas[i].name)) return &isas[i];
    return NULL;
}

static const struct target_costs cores[] = {CORE_SKYLAKE_X, CORE_ZEN5, CORE_ZEN4, CORE_GENERIC_AVX2,
                                            CORE_GENERIC};

const struct target_costs *target_core_at(size_t i)
{
    return i < sizeof cores / sizeof *cores ? &cores[i] : NULL;
}

const struct target_costs *target_core_find(const char *name, const struct target_isa *isa)
{
    if (!strcmp(name, "host")) name = target_core_here();
    for (size_t i = 0; name && i < sizeof cores / sizeof *cores; i++)
        if (!strcmp(name, cores[i].name) && !strcmp(cores[i].isa, isa->name)) return &cores[i];
    return NULL;
}

/* The largest cache that the kernel describes for processor 0, where sysconf does not know. */
static size_t cache_from_sysfs(void)
{
    size_t largest = 0;
    for (int i = 0; i < 8; i++) {
        char path[80];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        FILE *f = fopen(path, "r");
        if (!f) break;
        unsigned long size = 0;
        char unit = 0;
        int read = fscanf(f, "%lu%c", &size, &unit);
        fclose(f);
        if (read < 1) continue;
        size_t bytes = (size_t)size * (unit == 'K' ? 1024u : unit == 'M' ? 1024u * 1024u : 1u);
        if (bytes > largest) largest = bytes;
    }
    return largest;
}

size_t target_last_level_cache(void)
{
#ifdef _SC_LEVEL3_CACHE_SIZE
    long size = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (size > 0) return (size_t)size;
#endif
    return cache_from_sysfs();
}
