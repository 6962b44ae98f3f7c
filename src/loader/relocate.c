/* Relocations: which occur in the project's objects, and what each writes. The formulas are those of the processors' ABI
 * supplements to ELF (System V ABI, AMD64, section 4.4.1). */
#include "elf_object.h"

#include <string.h>

struct relocation {
    uint32_t machine_type;
    uint8_t bytes; /* written */
    bool relative; /* to the place that is written */
};

static const struct relocation relocations[] = {
    {R_X86_64_PC32, 4, true},
    {R_X86_64_PLT32, 4, true}, /* a call: functions of one object need no table of procedures */
    {R_X86_64_PC64, 8, true},
    {R_X86_64_64, 8, false},
};

static const struct relocation *find_relocation(uint64_t info)
{
    for (size_t i = 0; i < sizeof relocations / sizeof *relocations; i++)
        if (relocations[i].machine_type == ELF64_R_TYPE(info)) return &relocations[i];
    return NULL;
}

static bool fits_32_bits(int64_t value) { return value >= INT32_MIN && value <= INT32_MAX; }

static int relocate_one(const struct object *o, const Elf64_Rela *r, unsigned section, char *const *at,
                        struct diag *error)
{
    const struct relocation *kind = find_relocation(r->r_info);
    const uint64_t size = o->sections[section].sh_size, index = ELF64_R_SYM(r->r_info);
    if (!kind)
        return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: it has a relocation of type %u",
                        (unsigned)ELF64_R_TYPE(r->r_info));
    if (r->r_offset > size || kind->bytes > size - r->r_offset)
        return diag_set(error, DIAG_BACKEND,
                        "the object cannot be loaded: a relocation lies outside its section");
    const Elf64_Sym symbol = index && index < o->symbol_count ? object_symbol(o, index) : (Elf64_Sym){0};
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= o->section_count ||
        !section_is_mapped(&o->sections[symbol.st_shndx]))
        return diag_set(error, DIAG_BACKEND,
                        "the object cannot be loaded: a relocation is to nothing in memory");
    if (!at) return DIAG_OK;
    char *place = at[section] + r->r_offset;
    const uint64_t target =
        (uint64_t)(uintptr_t)at[symbol.st_shndx] + symbol.st_value + (uint64_t)r->r_addend;
    const uint64_t value = kind->relative ? target - (uint64_t)(uintptr_t)place : target;
    if (kind->bytes == 4 && !fits_32_bits((int64_t)value))
        return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: a relocation is too far");
    memcpy(place, &value, kind->bytes); /* the low bytes: little-endian */
    return DIAG_OK;
}

int relocate(const struct object *o, char *const *at, struct diag *error)
{
    int status = DIAG_OK;
    for (unsigned i = 0; i < o->section_count && !status; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_RELA) continue;
        if (s->sh_info >= o->section_count || s->sh_entsize != sizeof(Elf64_Rela) ||
            &o->sections[s->sh_link < o->section_count ? s->sh_link : 0] != o->symbols)
            return diag_set(error, DIAG_BACKEND,
                            "the object cannot be loaded: its relocations are of another form");
        if (!section_is_mapped(&o->sections[s->sh_info])) continue; /* of remarks */
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Rela) && !status; k++) {
            Elf64_Rela r;
            memcpy(&r, o->bytes + s->sh_offset + k * sizeof r, sizeof r);
            status = relocate_one(o, &r, s->sh_info, at, error);
        }
    }
    return status;
}
