/* Reads an ELF object. It refuses everything that the project's own backend would not write. */
#include "elf_object.h"

#include <string.h>

/* The header of the library or program that this code was linked into. The linker defines it. An object for
 * this process must be for the same processor. */
extern const Elf64_Ehdr __ehdr_start __attribute__((visibility("hidden")));

enum { LARGEST_ALIGNMENT = 4096, LARGEST_SECTION = 1 << 26 };

static int refuse_object(struct diag *error, const char *what)
{
    return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: %s", what);
}

static bool lies_within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* Returns true if the section is part of the code in memory. Notes tell linkers and loaders which processors
 * suit. Nobody reads them here. */
bool section_is_mapped(const Elf64_Shdr *s)
{
    return (s->sh_flags & SHF_ALLOC) && s->sh_size && s->sh_type != SHT_NOTE;
}

static int read_head(struct object *o, struct diag *error)
{
    Elf64_Ehdr head;
    if (o->size < sizeof head) return refuse_object(error, "it is shorter than a header");
    memcpy(&head, o->bytes, sizeof head);
    if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return refuse_object(error, "it is no ELF file");
    if (head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB)
        return refuse_object(error, "it is not of 64 bits in little-endian order");
    if (head.e_type != ET_REL) return refuse_object(error, "it is no relocatable object");
    if (head.e_machine != __ehdr_start.e_machine) return refuse_object(error, "it is for another processor");
    if (head.e_shentsize != sizeof *o->sections || !head.e_shnum || head.e_shnum > MOST_SECTIONS)
        return refuse_object(error, "it has too many sections, or of another form");
    o->machine = head.e_machine;
    o->section_count = head.e_shnum;
    const size_t bytes = o->section_count * sizeof *o->sections;
    if (!lies_within(head.e_shoff, bytes, o->size))
        return refuse_object(error, "its sections lie beyond its end");
    memcpy(o->sections, o->bytes + head.e_shoff, bytes);
    return DIAG_OK;
}

/* Checks a section of code, constants or tables for unwinding. */
static int check_mapped(const Elf64_Shdr *s, struct diag *error)
{
    const bool has_bytes = s->sh_type == SHT_PROGBITS || s->sh_type == SHT_X86_64_UNWIND;
    if (!has_bytes) return refuse_object(error, "a section that is to be in memory has an unknown type");
    if (s->sh_flags & (SHF_WRITE | SHF_TLS | SHF_COMPRESSED))
        return refuse_object(error, "it has data that can be written");
    if (s->sh_size > LARGEST_SECTION || s->sh_addralign > LARGEST_ALIGNMENT ||
        (s->sh_addralign & (s->sh_addralign - 1)))
        return refuse_object(error, "a section is too large or wrongly aligned");
    return DIAG_OK;
}

/* Returns true for sections that are not in memory and that loading need not know. */
static bool is_remark(const Elf64_Shdr *s)
{
    return s->sh_type == SHT_NULL || s->sh_type == SHT_PROGBITS || s->sh_type == SHT_NOTE ||
           s->sh_type >= SHT_LOOS;
}

static int check_section(struct object *o, const Elf64_Shdr *s, struct diag *error)
{
    if (s->sh_type != SHT_NULL && s->sh_type != SHT_NOBITS && !lies_within(s->sh_offset, s->sh_size, o->size))
        return refuse_object(error, "a section lies beyond its end");
    if (s->sh_type == SHT_SYMTAB) {
        if (o->symbols || s->sh_entsize != sizeof(Elf64_Sym) || s->sh_link >= o->section_count)
            return refuse_object(error, "its symbols are of another form");
        o->symbols = s;
        o->symbol_count = s->sh_size / sizeof(Elf64_Sym);
        return DIAG_OK;
    }
    if (section_is_mapped(s)) return check_mapped(s, error);
    if (s->sh_flags & SHF_ALLOC || s->sh_type == SHT_STRTAB || s->sh_type == SHT_RELA || is_remark(s))
        return DIAG_OK;
    return refuse_object(error, "a section has an unknown type");
}

/* Finds the texts that section `index` holds. */
static int read_texts(const struct object *o, unsigned index, const char **out, size_t *size,
                      struct diag *error)
{
    const Elf64_Shdr *s = index < o->section_count ? &o->sections[index] : NULL;
    if (!s || s->sh_type != SHT_STRTAB || !s->sh_size || o->bytes[s->sh_offset + s->sh_size - 1])
        return refuse_object(error, "the names in it have no end");
    *out = o->bytes + s->sh_offset;
    *size = s->sh_size;
    return DIAG_OK;
}

static int read_names(struct object *o, struct diag *error)
{
    Elf64_Ehdr head;
    memcpy(&head, o->bytes, sizeof head);
    if (!o->symbols) return refuse_object(error, "it has no symbols");
    const int status = read_texts(o, o->symbols->sh_link, &o->names, &o->names_size, error);
    return status ? status : read_texts(o, head.e_shstrndx, &o->section_names, &o->section_names_size, error);
}

bool section_is_unwinding(const struct object *o, const Elf64_Shdr *s)
{
    return section_is_mapped(s) && !(s->sh_flags & SHF_EXECINSTR) && s->sh_name < o->section_names_size &&
           !strcmp(o->section_names + s->sh_name, ".eh_frame");
}

Elf64_Sym object_symbol(const struct object *o, size_t index)
{
    Elf64_Sym symbol;
    memcpy(&symbol, o->bytes + o->symbols->sh_offset + index * sizeof symbol, sizeof symbol);
    return symbol;
}

const char *object_symbol_name(const struct object *o, const Elf64_Sym *symbol)
{
    return o->names + symbol->st_name;
}

bool symbol_is_function(const Elf64_Sym *symbol) { return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC; }

/* Checks a symbol. If an object could need anything from outside, it would run whatever the process happens
 * to define. */
static int check_symbol(const struct object *o, const Elf64_Sym *symbol, struct diag *error)
{
    if (symbol->st_name >= o->names_size) return refuse_object(error, "a symbol's name lies beyond its end");
    if (symbol->st_shndx == SHN_ABS && ELF64_ST_TYPE(symbol->st_info) == STT_FILE) return DIAG_OK;
    if (symbol->st_shndx == SHN_UNDEF)
        return diag_set(error, DIAG_BACKEND, "the object needs '%.200s' from outside, which must not be",
                        object_symbol_name(o, symbol));
    if (symbol->st_shndx >= o->section_count) return refuse_object(error, "a symbol lies in no section");
    const Elf64_Shdr *s = &o->sections[symbol->st_shndx];
    if (!lies_within(symbol->st_value, symbol->st_size, s->sh_size))
        return refuse_object(error, "a symbol lies outside its section");
    if (symbol_is_function(symbol) && !(section_is_mapped(s) && s->sh_flags & SHF_EXECINSTR))
        return refuse_object(error, "a function lies outside the code");
    return DIAG_OK;
}

int object_read(struct object *o, const void *bytes, size_t size, struct diag *error)
{
    *o = (struct object){.bytes = bytes, .size = size};
    int status = read_head(o, error);
    for (unsigned i = 0; i < o->section_count && !status; i++)
        status = check_section(o, &o->sections[i], error);
    if (!status) status = read_names(o, error);
    for (size_t i = 1; i < o->symbol_count && !status; i++) { /* Symbol 0 stands for none. */
        const Elf64_Sym symbol = object_symbol(o, i);
        status = check_symbol(o, &symbol, error);
    }
    return status;
}
