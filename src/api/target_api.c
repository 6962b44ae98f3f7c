/* Instruction sets and cores: which there are, and which one a compilation is for. */
#include "api.h"
#include "border.h"
#include "nearest.h"

#include <stdio.h>
#include <string.h>

const char *actgen_isa_name(size_t i)
{
    for (int extending = 0; extending < 2; extending++)
        for (size_t n = 0; target_isa_at(n); n++)
            if ((target_isa_at(n)->extends != NULL) == extending && i-- == 0) return target_isa_at(n)->name;
    return NULL;
}

const char *actgen_isa_extends(const char *name)
{
    const struct target_isa *isa = name ? target_isa_find(name) : NULL;
    return isa ? isa->extends : NULL;
}

int actgen_isa_runs_here(const char *name)
{
    const struct target_isa *isa = name ? target_isa_find(name) : NULL;
    return isa && target_isa_runs_here(isa);
}

/* Returns the best set that this machine has and ACTGEN_ISA allows. It is the set that ACTGEN_ISA names, or
 * the next set after it that runs here. *unknown becomes true if ACTGEN_ISA names no set. */
static const struct target_isa *host_isa(const struct target_here *here, bool *unknown)
{
    const char *const name = secure_getenv("ACTGEN_ISA");
    const struct target_isa *best = target_here_isa(here);
    const struct target_isa *named = name && *name ? target_isa_find(name) : NULL;
    *unknown = name && *name && !named;
    if (!best || !named || named->architecture != best->architecture) return best;
    for (size_t i = 0; target_isa_at(i); i++) {
        const struct target_isa *isa = target_isa_at(i);
        if (isa >= named && isa >= best && target_here_runs(here, isa)) return isa;
    }
    return best;
}

const char *actgen_host_isa(void)
{
    bool unknown;
    const struct target_here here = target_here();
    const struct target_isa *isa = host_isa(&here, &unknown);
    return isa ? isa->name : "none";
}

const char *actgen_isa_architecture(const char *name)
{
    const bool host = name && !strcmp(name, "host");
    const struct target_isa *isa = name && !host ? target_isa_find(name) : NULL;
    const enum target_architecture here = target_architecture_here();
    if (host && here < ARCHITECTURE_COUNT) return target_architectures[here].name;
    return isa ? target_architectures[isa->architecture].name : NULL;
}

const char *actgen_isa_format(const char *name, size_t i)
{
    const struct target_isa *isa = name ? target_isa_find(name) : NULL;
    const struct target_format *format = isa ? target_format_at(isa, i) : NULL;
    return format ? format->name : NULL;
}

const char *actgen_profile_name(size_t number)
{
    for (size_t i = 0; target_isa_at(i); i++) {
        const char *name = target_isa_at(i)->profile.name;
        if (target_profile_find(name) == target_isa_at(i) && !number--) return name;
    }
    return NULL;
}

int actgen_core_info(size_t i, actgen_core *core)
{
    const struct target_costs *costs = target_core_at(i);
    if (!costs || !core || !size_is_set(core->size)) return ACTGEN_EINVAL;
    const struct target_isa *isa = target_isa_find(costs->isa);
    const char *here = target_core_here();
    const actgen_core all = {.size = core->size,
                             .name = costs->name,
                             .isa = costs->isa,
                             .source = costs->source,
                             .is_default = !strcmp(isa->costs->name, costs->name),
                             .is_here = here && !strcmp(here, costs->name)};
    memcpy(core, &all, core->size < sizeof all ? core->size : sizeof all);
    return ACTGEN_OK;
}

struct host find_host(void)
{
    struct host host = {.here = target_here()};
    host.core = target_here_core(&host.here);
    host.isa = host_isa(&host.here, &host.is_misnamed);
    return host;
}

/* The known names of a kind, for the message about an unknown name. */
struct known {
    const char *names[32];
    size_t count, length;
    char list[260];
};

static void known_add(struct known *k, const char *name)
{
    const char *comma = k->count ? ", " : "";
    if (k->count == sizeof k->names / sizeof *k->names ||
        k->length + strlen(comma) + strlen(name) >= sizeof k->list)
        return;
    k->length += (size_t)snprintf(k->list + k->length, sizeof k->list - k->length, "%s%s", comma, name);
    k->names[k->count++] = name;
}

/* Refuses an unknown name. `of` qualifies the known names, as in " of avx2". */
static int refuse_unknown(const char *kind, const char *name, const struct known *k, const char *of,
                          struct diag *error)
{
    const char *near = nearest_name(name, k->names, k->count);
    return diag_set(error, DIAG_TARGET, "unknown %s `%.64s`%s%s%s; those%s are: %s", kind, name,
                    near ? " (did you mean `" : "", near ? near : "", near ? "`?)" : "", of, k->list);
}

static int refuse_isa(const char *name, struct diag *error)
{
    struct known known = {.count = 0};
    for (size_t i = 0; actgen_isa_name(i); i++) known_add(&known, actgen_isa_name(i));
    return refuse_unknown("instruction set", name, &known, "", error);
}

static int find_isa(const struct target_isa **out, const struct host *here, const char *name,
                    struct diag *error)
{
    const bool host = !name || !strcmp(name, "host");
    *out = host ? here->isa : target_isa_find(name);
    if (host && here->is_misnamed)
        return diag_set(
            error, DIAG_TARGET,
            "ACTGEN_ISA in the environment names no instruction set; actgen_isa_name() lists them");
    if (*out) return DIAG_OK;
    if (host) return diag_set(error, DIAG_TARGET, "no instruction set of this version runs on this machine");
    return refuse_isa(name, error);
}

/* Refuses a core. The message says which instruction set the core is for, or that it is unknown, and which
 * cores the set has. */
static int refuse_core(const char *name, const struct target_isa *isa, struct diag *error)
{
    const char *of = NULL;
    struct known known = {.count = 0};
    for (size_t i = 0; target_core_at(i); i++) {
        const struct target_costs *core = target_core_at(i);
        if (!strcmp(core->name, name)) of = core->isa;
        if (!strcmp(core->isa, isa->name)) known_add(&known, core->name);
    }
    if (of)
        return diag_set(error, DIAG_TARGET, "core `%s` is one of %s; those of %s are: %s", name, of,
                        isa->name, known.list);
    char whose[40];
    snprintf(whose, sizeof whose, " of %s", isa->name);
    return refuse_unknown("core", name, &known, whose, error);
}

static int find_core(const struct target_costs **out, const struct target_isa *isa, const char *here,
                     const char *name, struct diag *error)
{
    const bool host = name && !strcmp(name, "host");
    const char *wanted = host ? here : name;
    const struct target_costs *found = wanted ? target_core_find(wanted, isa) : NULL;
    *out = found ? found : isa->costs;
    return found || host || !name ? DIAG_OK : refuse_core(name, isa, error);
}

static int refuse_profile(const char *name, struct diag *error)
{
    struct known known = {.count = 0};
    for (size_t i = 0; actgen_profile_name(i); i++) known_add(&known, actgen_profile_name(i));
    return refuse_unknown("profile", name, &known, "", error);
}

static int find_profile(const struct target_isa **of, const struct target_isa *isa, const char *name,
                        struct diag *error)
{
    *of = target_profile_find(name);
    if (!*of) return refuse_profile(name, error);
    if (!(*of)->profile.fma || isa->profile.fma) return DIAG_OK;
    return diag_set(error, DIAG_TARGET,
                    "profile %s needs fma, which %s lacks; every instruction set has portable-nofma", name,
                    isa->name);
}

int choose_target(struct asked *out, struct host host, const actgen_options *options, struct diag *error)
{
    const struct target_isa *of;
    int status = find_isa(&out->isa, &host, options->isa, error);
    if (status) return status;
    out->profile = &out->isa->profile;
    if (!options->profile) return find_core(&out->core, out->isa, host.core, options->tune, error);
    if (options->tune)
        return diag_set(
            error, DIAG_INVALID,
            "profile %s has the same plans on every machine, and options.tune asks for those of core "
            "%s: leave one of them out",
            options->profile, options->tune);
    status = find_profile(&of, out->isa, options->profile, error);
    if (status) return status;
    out->profile = &of->profile;
    out->core = of->costs;
    return DIAG_OK;
}
