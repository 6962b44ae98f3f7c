/* Relocations: which occur in the project's objects, and what each writes. The formulas are those of the processors' ABI
 * supplements to ELF (System V ABI, AMD64, section 4.4.1; ELF for the Arm 64-bit Architecture, section 5.7). */
#include "elf_object.h"

#include <string.h>

enum { PAGE = 4096 }; /* what a pair of AArch64's instructions divides addresses by */

enum what { ADDRESS, DISTANCE, DISTANCE_OF_PAGES, PLACE_IN_PAGE };

/* Bits of the value, from `from` on, that an instruction holds from bit `at` on. */
struct field {
    uint8_t from, count, at;
};

struct relocation {
    uint16_t machine;
    uint32_t type;
    enum what what;
    uint8_t bytes;          /* written */
    struct field fields[2]; /* of an instruction; none: the value is data */
};

/* Calls (PLT32, CALL26, JUMP26) are direct: functions of one object need no table of procedures. */
static const struct relocation relocations[] = {
    {EM_X86_64, R_X86_64_PC32, DISTANCE, 4, {{0}}},
    {EM_X86_64, R_X86_64_PLT32, DISTANCE, 4, {{0}}},
    {EM_X86_64, R_X86_64_PC64, DISTANCE, 8, {{0}}},
    {EM_X86_64, R_X86_64_64, ADDRESS, 8, {{0}}},
    {EM_AARCH64, R_AARCH64_ABS64, ADDRESS, 8, {{0}}},
    {EM_AARCH64, R_AARCH64_PREL64, DISTANCE, 8, {{0}}},
    {EM_AARCH64, R_AARCH64_PREL32, DISTANCE, 4, {{0}}},
    {EM_AARCH64, R_AARCH64_CALL26, DISTANCE, 4, {{2, 26, 0}}},
    {EM_AARCH64, R_AARCH64_JUMP26, DISTANCE, 4, {{2, 26, 0}}},
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, DISTANCE_OF_PAGES, 4, {{12, 2, 29}, {14, 19, 5}}},
    {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{0, 12, 10}}},
    {EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{0, 12, 10}}},
    {EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{1, 11, 10}}},
    {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{2, 10, 10}}},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{3, 9, 10}}},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{4, 8, 10}}},
};

static const struct relocation *find_relocation(const struct object *o, uint64_t info)
{
    for (const struct relocation *r = relocations; r < relocations + sizeof relocations / sizeof *relocations;
         r++)
        if (r->machine == o->machine && r->type == ELF64_R_TYPE(info)) return r;
    return NULL;
}

static uint64_t value_of(const struct relocation *r, uint64_t target, uint64_t place)
{
    const uint64_t pages = ~(uint64_t)(PAGE - 1);
    switch (r->what) {
    case ADDRESS: return target;
    case DISTANCE: return target - place;
    case DISTANCE_OF_PAGES: return (target & pages) - (place & pages);
    case PLACE_IN_PAGE: break;
    }
    return target & ~pages;
}

static bool fits(const struct relocation *r, uint64_t value)
{
    unsigned bits = r->bytes * 8u;
    for (const struct field *f = r->fields; f < r->fields + 2; f++)
        if (f->count) bits = f->from + f->count;
    return bits == 64 || r->what == PLACE_IN_PAGE ||
           value + (UINT64_C(1) << (bits - 1)) < UINT64_C(1) << bits;
}

/* In the order of bytes of all machines above: the low ones come first. */
static void write_value(const struct relocation *r, uint64_t value, char *place)
{
    uint32_t instruction;
    memcpy(&instruction, place, sizeof instruction);
    for (const struct field *f = r->fields; f < r->fields + 2; f++) {
        const uint32_t mask = ((uint32_t)1 << f->count) - 1;
        instruction &= ~(mask << f->at);
        instruction |= (uint32_t)(value >> f->from & mask) << f->at;
    }
    memcpy(place, r->fields[0].count ? (const void *)&instruction : &value, r->bytes);
}

static int relocate_one(const struct object *o, const Elf64_Rela *r, unsigned section, char *const *at,
                        struct diag *error)
{
    const struct relocation *kind = find_relocation(o, r->r_info);
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
    const uint64_t value = value_of(kind, target, (uint64_t)(uintptr_t)place);
    if (!fits(kind, value))
        return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: a relocation is too far");
    write_value(kind, value, place);
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
