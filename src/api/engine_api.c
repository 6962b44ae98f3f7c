/* Engines, as callers see them. */
#include "api.h"
#include "border.h"
#include "perf.h"

#include <string.h>

int actgen_engine_create_with(actgen_engine **out, const actgen_engine_options *options, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0}, why = {0};
    actgen_engine_options o = ACTGEN_ENGINE_OPTIONS_INIT;
    if (!out) return diag_set(&d, DIAG_INVALID, "out is NULL"), error_return(error, &d);
    *out = NULL;
    if (take_options(&o, sizeof o, options, "ACTGEN_ENGINE_OPTIONS_INIT", &d)) return error_return(error, &d);
    actgen_engine *e = engine_make();
    if (!e) return diag_set(&d, DIAG_NO_MEMORY, "out of memory"), error_return(error, &d);
    e->host = find_host();
    e->time = time_in_turn;
    e->perf = perf_wanted(o.perf_map);
    e->cache = cache_open(o.cache_directory, o.cache_limit, &why);
    memcpy(e->no_cache, why.message, sizeof e->no_cache);
    if (why.status == DIAG_NO_MEMORY) {
        actgen_engine_free(e);
        return diag_out_of_memory(&d), error_return(error, &d);
    }
    *out = e;
    return ACTGEN_OK;
}

int actgen_engine_create(actgen_engine **out, actgen_error *error)
{
    return actgen_engine_create_with(out, NULL, error);
}

const char *actgen_engine_cache(const actgen_engine *e, const char **why_not)
{
    if (why_not) *why_not = e ? e->no_cache : "engine is NULL";
    return e && e->cache ? cache_directory(e->cache) : NULL;
}
