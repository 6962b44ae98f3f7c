/* Carries out relocations. A table lists the kinds that occur in the project's objects, with the bits that
 * each kind writes. The formulas are from the processors' ABI supplements to ELF:
 *
 * - System V ABI, AMD64, section 4.4.1.
 * - ELF for the Arm 64-bit Architecture, section 5.7.
 * - RISC-V ABIs, ELF, relocations. */
#include "elf_object.h"

#include <string.h>

/* The size by which AArch64's pairs of instructions divide addresses. */
enum { PAGE = 4096 };

enum what { ADDRESS, DISTANCE, DISTANCE_OF_PAGES, PLACE_IN_PAGE, DISTANCE_OF_OTHER };

/* Types of RISC-V. The elf.h of the C library may be too old to name them. */
enum { RISCV_CALL_PLT = 19, RISCV_PCREL_HI20 = 23, RISCV_PCREL_LO12_I = 24, RISCV_32_PCREL = 57 };

/* Bits of the value, beginning with bit `from`. One or two instructions hold them, beginning with their bit
 * `at`. */
struct field {
    uint8_t from, count, at;
};

struct relocation {
    uint16_t machine;
    uint32_t type;
    enum what what;
    uint8_t bytes; /* The bytes that are written, 4 or 8. */
    /* The fields of instructions. The field with the high bits comes first. Without fields the value is
     * data. */
    struct field fields[2];
};

/* The relocations that occur. Calls (PLT32, CALL26, JUMP26, CALL_PLT) are direct, because functions of one
 * object need no procedure linkage table. */
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
    {EM_AARCH64, R_AARCH64_ADR_PREL_PG_HI21, DISTANCE_OF_PAGES, 4, {{14, 19, 5}, {12, 2, 29}}},
    {EM_AARCH64, R_AARCH64_ADD_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{0, 12, 10}}},
    {EM_AARCH64, R_AARCH64_LDST8_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{0, 12, 10}}},
    {EM_AARCH64, R_AARCH64_LDST16_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{1, 11, 10}}},
    {EM_AARCH64, R_AARCH64_LDST32_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{2, 10, 10}}},
    {EM_AARCH64, R_AARCH64_LDST64_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{3, 9, 10}}},
    {EM_AARCH64, R_AARCH64_LDST128_ABS_LO12_NC, PLACE_IN_PAGE, 4, {{4, 8, 10}}},
    {EM_RISCV, RISCV_32_PCREL, DISTANCE, 4, {{0}}},
    {EM_RISCV, RISCV_CALL_PLT, DISTANCE, 8, {{12, 20, 12}, {0, 12, 52}}},
    {EM_RISCV, RISCV_PCREL_HI20, DISTANCE, 4, {{12, 20, 12}}},
    {EM_RISCV, RISCV_PCREL_LO12_I, DISTANCE_OF_OTHER, 4, {{0, 12, 20}}},
};

static const struct relocation *find_relocation(const struct object *o, uint64_t info)
{
    for (const struct relocation *r = relocations; r < relocations + sizeof relocations / sizeof *relocations;
         r++)
        if (r->machine == o->machine && r->type == ELF64_R_TYPE(info)) return r;
    return NULL;
}

static uint64_t relocated_value(const struct relocation *r, uint64_t target, uint64_t place)
{
    const uint64_t pages = ~(uint64_t)(PAGE - 1);
    switch (r->what) {
    case ADDRESS: return target;
    case DISTANCE:
    case DISTANCE_OF_OTHER: return target - place;
    case DISTANCE_OF_PAGES: return (target & pages) - (place & pages);
    case PLACE_IN_PAGE: break;
    }
    return target & ~pages;
}

/* Returns the amount to add before the high bits of RISC-V are taken. Another instruction adds the low bits
 * with their sign, so the high bits are rounded. */
static uint64_t rounding_of(const struct relocation *r, const struct field *f)
{
    return r->machine == EM_RISCV && f->from ? UINT64_C(1) << (f->from - 1) : 0;
}

/* Returns true if the value fits into its fields. An instruction with low bits only needs no check, because
 * the instruction with the high bits was checked. */
static bool fits_fields(const struct relocation *r, uint64_t value)
{
    const struct field *high = &r->fields[0];
    const unsigned bits = high->count ? high->from + high->count : r->bytes * 8u;
    return bits == 64 || r->what == PLACE_IN_PAGE || r->what == DISTANCE_OF_OTHER ||
           value + rounding_of(r, high) + (UINT64_C(1) << (bits - 1)) < UINT64_C(1) << bits;
}

/* Writes the value. All machines in the table store the low bytes first. */
static void write_value(const struct relocation *r, uint64_t value, char *place)
{
    uint64_t instructions = 0;
    memcpy(&instructions, place, r->bytes);
    for (const struct field *f = r->fields; f < r->fields + 2; f++) {
        const uint64_t mask = (UINT64_C(1) << f->count) - 1;
        instructions &= ~(mask << f->at);
        instructions |= ((value + rounding_of(r, f)) >> f->from & mask) << f->at;
    }
    memcpy(place, r->fields[0].count ? &instructions : &value, r->bytes);
}

static Elf64_Rela relocation_at(const struct object *o, const Elf64_Shdr *s, uint64_t k)
{
    Elf64_Rela r;
    memcpy(&r, o->bytes + s->sh_offset + k * sizeof r, sizeof r);
    return r;
}

/* Finds the symbol that a relocation points to. It must be in the memory of the process. */
static int find_symbol(const struct object *o, const Elf64_Rela *r, Elf64_Sym *out, struct diag *error)
{
    const uint64_t index = ELF64_R_SYM(r->r_info);
    *out = index && index < o->symbol_count ? object_symbol(o, index) : (Elf64_Sym){0};
    if (out->st_shndx != SHN_UNDEF && out->st_shndx < o->section_count &&
        section_is_mapped(&o->sections[out->st_shndx]))
        return DIAG_OK;
    return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: a relocation is to nothing in memory");
}

/* Replaces *r, a relocation of low bits on RISC-V, by the relocation of the high bits. The symbol of the low
 * bits is the instruction that has the high bits. Both are bits of the distance from that instruction. Its
 * relocation comes first. */
static int find_other(const struct object *o, const Elf64_Shdr *s, uint64_t k, Elf64_Rela *r,
                      struct diag *error)
{
    Elf64_Sym symbol;
    const int status = find_symbol(o, r, &symbol, error);
    if (status) return status;
    while (symbol.st_shndx == s->sh_info && k-- > 0) {
        const Elf64_Rela other = relocation_at(o, s, k);
        if (other.r_offset != symbol.st_value || ELF64_R_TYPE(other.r_info) != RISCV_PCREL_HI20) continue;
        *r = other;
        return DIAG_OK;
    }
    return diag_set(error, DIAG_BACKEND,
                    "the object cannot be loaded: a relocation of low bits has none of high bits before it");
}

static int relocate_one(const struct object *o, const Elf64_Shdr *s, uint64_t k, char *const *at,
                        struct diag *error)
{
    Elf64_Rela r = relocation_at(o, s, k);
    const struct relocation *kind = find_relocation(o, r.r_info);
    const uint64_t size = o->sections[s->sh_info].sh_size, offset = r.r_offset;
    if (!kind)
        return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: it has a relocation of type %u",
                        (unsigned)ELF64_R_TYPE(r.r_info));
    if (offset > size || kind->bytes > size - offset)
        return diag_set(error, DIAG_BACKEND,
                        "the object cannot be loaded: a relocation lies outside its section");
    Elf64_Sym symbol;
    int status = kind->what == DISTANCE_OF_OTHER ? find_other(o, s, k, &r, error) : DIAG_OK;
    if (!status) status = find_symbol(o, &r, &symbol, error);
    if (status || !at) return status;
    const uint64_t target = (uint64_t)(uintptr_t)at[symbol.st_shndx] + symbol.st_value + (uint64_t)r.r_addend,
                   place = (uint64_t)(uintptr_t)at[s->sh_info] + r.r_offset,
                   value = relocated_value(kind, target, place);
    if (!fits_fields(kind, value))
        return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: a relocation is too far");
    write_value(kind, value, at[s->sh_info] + offset);
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
        if (!section_is_mapped(&o->sections[s->sh_info])) continue; /* It is not in memory. */
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Rela) && !status; k++)
            status = relocate_one(o, s, k, at, error);
    }
    return status;
}
