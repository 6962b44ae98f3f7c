/* Features of processors, and the question which instruction sets this processor and system have (host.h). */
#include "host.h"

#include <string.h>

/* Bits of XCR0. */
enum {
    XCR0_YMM = 0x6, /* The state of SSE and AVX. */
    XCR0_ZMM = 0xe6 /* The state of AVX-512 as well: opmask, upper halves, and zmm16 to 31. */
};

enum { HWPROBE_IMA_EXT_0 = 4 }; /* The key of the extensions in addition to the base. */

const struct target_feature_row target_features[FEATURE_COUNT] = {
#define CPUID(name, leaf, subleaf, reg, bits, saved)                                                         \
    [FEATURE_##name] = {ARCHITECTURE_X86, .cpuid = {leaf, subleaf, REGISTER_##reg, bits, saved}},
#define HWCAP(name, word, bits) [FEATURE_##name] = {ARCHITECTURE_ARM64, .hwcap = {word, bits}},
#define HWPROBE(name, key, bits, hwcap)                                                                      \
    [FEATURE_##name] = {ARCHITECTURE_RISCV64, .hwprobe = {key, bits, hwcap}},
#include "features.def"
};

static bool runs(const struct host_answers *a, const struct target_isa *isa)
{
    return isa->architecture == target_architecture_here() && (a->features & isa->needs) == isa->needs;
}

struct target_here target_here(void)
{
    const struct host_answers a = host_ask();
    struct target_here here = {.family = a.family, .model = a.model};
    for (size_t i = 0; i < target_isa_count(); i++)
        if (runs(&a, target_isa_at(i))) here.isas |= UINT64_C(1) << i;
    return here;
}

bool target_here_runs(const struct target_here *here, const struct target_isa *isa)
{
    for (size_t i = 0; i < target_isa_count(); i++)
        if (isa == target_isa_at(i)) return here->isas >> i & 1;
    return false;
}

const struct target_isa *target_here_isa(const struct target_here *here)
{
    for (size_t i = 0; i < target_isa_count(); i++)
        if (here->isas >> i & 1 && !target_isa_at(i)->extends) return target_isa_at(i);
    return NULL;
}

bool target_isa_runs_here(const struct target_isa *isa)
{
    const struct host_answers a = host_ask();
    return runs(&a, isa);
}

static bool is_core(const struct target_here *here, const struct target_costs *core)
{
    const struct target_family *f = &core->family;
    const bool is_first = here->model >= f->least_model && here->model <= f->most_model,
               is_other = f->most_other && here->model >= f->least_other && here->model <= f->most_other;
    return !f->number || (here->family == f->number && (is_first || is_other));
}

bool target_core_is_here(const struct target_costs *core)
{
    const struct target_here here = target_here();
    const bool is_default = target_isa_find(core->isa)->costs == core;
    return is_core(&here, core) || (is_default && !target_here_core(&here));
}

const char *target_here_core(const struct target_here *here)
{
    const struct target_isa *isa = target_here_isa(here);
    for (size_t i = 0; isa && i < CORE_COUNT; i++)
        if (!strcmp(target_cores[i].isa, isa->name) && is_core(here, &target_cores[i]))
            return target_cores[i].name;
    return NULL;
}

const char *target_core_here(void)
{
    const struct target_here here = target_here();
    return target_here_core(&here);
}
