/* The tables of instruction sets and of cores, and functions to look things up in them. */
#include "target.h"

#include <limits.h>
#include <string.h>

enum { ANY_MODEL = INT_MAX };

const struct target_costs target_cores[CORE_COUNT] = {
#define CORE(enumerator, ...) [CORE_##enumerator] = {__VA_ARGS__},
#include "cores.def"
#undef CORE
};

const struct target_architecture_row target_architectures[ARCHITECTURE_COUNT] = {
#define ARCHITECTURE(enumerator, back_end, asks, ...) [enumerator] = {__VA_ARGS__},
#include "architectures.def"
#undef ARCHITECTURE
};

/* Features by name, and those of the x86-64 levels. */
#define NEEDS(name) (UINT64_C(1) << FEATURE_##name)
#define X86_64_V3   (NEEDS(AVX_FMA) | NEEDS(LZCNT) | NEEDS(AVX2_BMI))
#define X86_64_V4   (X86_64_V3 | NEEDS(AVX512))

/* Profiles that many sets have. Tables of 8 f32 entries are one or two instructions on all of these sets. */
#define PORTABLE                                                                                             \
    {                                                                                                        \
        "portable", .fma = true, .lookup_f32 = 8, .lookup_f64 = 0                                            \
    }
#define PORTABLE_NOFMA                                                                                       \
    {                                                                                                        \
        "portable-nofma", .fma = false, .lookup_f32 = 0, .lookup_f64 = 0                                     \
    }

/* The immediate operand of vgetmantps for significands in [1, 2), and NaN below 0. */
enum { NAN_BELOW_0 = 8 };

/* The immediate operand of vrangeps for the smaller of two values, without its sign. */
enum { WITHOUT_SIGN = 8 };

static const struct target_isa isas[] = {
#define ISA(...) {__VA_ARGS__},
#include "isa.def"
#undef ISA
};

static const struct target_vector_abi vector_abis[] = {
#define VECTOR_ABI(...) {__VA_ARGS__},
#include "vector_abi.def"
#undef VECTOR_ABI
};

const struct target_vector_abi *target_vector_abi_at(size_t i)
{
    return i < sizeof vector_abis / sizeof *vector_abis ? &vector_abis[i] : NULL;
}

size_t target_isa_count(void) { return sizeof isas / sizeof *isas; }

const struct target_isa *target_isa_at(size_t i) { return i < target_isa_count() ? &isas[i] : NULL; }

const struct target_isa *target_isa_find(const char *name)
{
    if (!strcmp(name, "host")) {
        const struct target_here here = target_here();
        return target_here_isa(&here);
    }
    for (size_t i = 0; i < target_isa_count(); i++)
        if (!strcmp(name, isas[i].name)) return &isas[i];
    return NULL;
}

const struct target_isa *target_profile_find(const char *name)
{
    for (size_t i = 0; i < target_isa_count(); i++)
        if (!strcmp(name, isas[i].profile.name)) return &isas[i];
    return NULL;
}

const struct target_isa *target_isa_baseline(const struct target_isa *isa)
{
    if (isa->grid.access_bytes) return isa;
    size_t i = target_isa_count() - 1;
    while (i && isas[i].architecture != isa->architecture) i--;
    return &isas[i];
}

static const struct {
    enum target_architecture architecture;
    struct target_format format;
} formats[] = {
#define FORMAT(architecture, ...) {architecture, {__VA_ARGS__}},
#include "formats.def"
#undef FORMAT
};

const struct target_format *target_format_at(const struct target_isa *isa, size_t i)
{
    for (size_t k = 0; k < sizeof formats / sizeof *formats; k++)
        if (formats[k].architecture == isa->architecture && formats[k].format.scalable >= isa->scalable &&
            !i--)
            return &formats[k].format;
    return NULL;
}

const struct target_format *target_format_find(const struct target_isa *isa, const char *name)
{
    const struct target_format *format;
    for (size_t i = 0; (format = target_format_at(isa, i)); i++)
        if (!name || !strcmp(format->name, name)) return format;
    return NULL;
}

const char *target_triple(const struct target_isa *isa, const struct target_format *format)
{
    return format->triple ? format->triple : isa->triple;
}

const struct target_isa *target_isa_extended(const struct target_isa *isa)
{
    return isa->extends ? target_isa_find(isa->extends) : isa;
}

const struct target_isa *target_isa_flushing(const struct target_isa *isa)
{
    const struct target_isa *row;
    isa = target_isa_extended(isa);
    for (size_t i = 0; (row = target_isa_at(i)); i++)
        if (row->flushes && target_isa_extended(row) == isa) return row;
    return NULL;
}

struct target_profile target_profile_plain(const struct target_profile *p)
{
    struct target_profile plain = *p;
    if (!p->plain) return plain;
    plain.name = p->plain;
    plain.lookup_f16 = 0;
    plain.lookup_i8 = 0;
    plain.plain = NULL;
    return plain;
}

const struct target_costs *target_core_at(size_t i) { return i < CORE_COUNT ? &target_cores[i] : NULL; }

const struct target_costs *target_core_find(const char *name, const struct target_isa *isa)
{
    if (!strcmp(name, "host")) name = target_core_here();
    isa = target_isa_extended(isa);
    for (size_t i = 0; name && i < CORE_COUNT; i++)
        if (!strcmp(name, target_cores[i].name) && !strcmp(target_cores[i].isa, isa->name))
            return &target_cores[i];
    return NULL;
}
