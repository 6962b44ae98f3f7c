/* Loads objects into memory. Code has pages of its own. Constants and tables for unwinding are in the pages
 * after it. */
#include "debugger.h"
#include "elf_object.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Functions of the compiler's runtime. They register the tables for unwinding of code that no dynamic linker
 * knows. A table ends with four zero bytes. */
void __register_frame(void *table);
void __deregister_frame(void *table);
enum { TABLE_END = 4 };

struct symbol {
    const char *name; /* In `names`. */
    void *address;
    size_t bytes;
};

struct loader_code {
    char *pages;
    size_t size, code_size; /* The size of all pages, and of the pages with code. */
    char *unwinding;        /* The registered table, or NULL. */
    char *names;
    char *shown; /* The object with addresses that debuggers read, or NULL. */
    struct debugger_entry entry;
    size_t count;
    struct symbol symbols[];
};

/* The places of sections, as offsets from the first page. */
struct layout {
    size_t offsets[MOST_SECTIONS], code_size, size;
    int unwinding; /* The section with the table. -1: none. */
};

static size_t round_up(size_t n, size_t multiple) { return (n + multiple - 1) / multiple * multiple; }

static bool is_code(const Elf64_Shdr *s) { return s->sh_flags & SHF_EXECINSTR; }

static void place_object(struct layout *l, const struct object *o, bool code)
{
    for (unsigned i = 0; i < o->section_count; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (!section_is_mapped(s) || is_code(s) != code) continue;
        if (section_is_unwinding(o, s)) l->unwinding = (int)i;
        l->offsets[i] = round_up(l->size, s->sh_addralign ? s->sh_addralign : 1);
        l->size = l->offsets[i] + s->sh_size + (code ? 0 : TABLE_END);
    }
}

static void lay_out(struct layout *l, const struct object *o)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *l = (struct layout){.unwinding = -1};
    place_object(l, o, true);
    l->code_size = l->size = round_up(l->size, page);
    place_object(l, o, false);
    l->size = round_up(l->size, page);
}

static int refuse_unwinding(struct diag *error)
{
    return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: its table for unwinding is damaged");
}

static int check_unwinding(const struct object *o, struct diag *error)
{
    size_t code_size = 0;
    bool good = true;
    for (unsigned i = 0; i < o->section_count; i++)
        if (section_is_mapped(&o->sections[i]) && is_code(&o->sections[i]))
            code_size += o->sections[i].sh_size;
    for (unsigned i = 0; i < o->section_count && good; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        good =
            !section_is_unwinding(o, s) || unwinding_is_good(o->bytes + s->sh_offset, s->sh_size, code_size);
    }
    return good ? DIAG_OK : refuse_unwinding(error);
}

static int check(struct object *o, const void *bytes, size_t size, struct diag *error)
{
    int status = object_read(o, bytes, size, error);
    if (!status) status = relocate(o, NULL, error);
    return status ? status : check_unwinding(o, error);
}

int loader_check(const void *bytes, size_t size, struct diag *error)
{
    struct object o;
    return check(&o, bytes, size, error);
}

static loader_code *make_code(const struct object *o)
{
    size_t functions = 0;
    for (size_t i = 1; i < o->symbol_count; i++) {
        const Elf64_Sym symbol = object_symbol(o, i);
        functions += symbol_is_function(&symbol);
    }
    loader_code *code = calloc(1, sizeof *code + functions * sizeof *code->symbols);
    if (code) code->names = malloc(o->names_size);
    if (code && code->names) {
        memcpy(code->names, o->names, o->names_size);
        return code;
    }
    free(code);
    return NULL;
}

static void take_symbols(loader_code *code, const struct object *o, const struct layout *l)
{
    for (size_t i = 1; i < o->symbol_count; i++) {
        const Elf64_Sym symbol = object_symbol(o, i);
        if (symbol_is_function(&symbol))
            code->symbols[code->count++] =
                (struct symbol){code->names + symbol.st_name,
                                code->pages + l->offsets[symbol.st_shndx] + symbol.st_value, symbol.st_size};
    }
}

/* Copies and relocates sections while the pages are writable. Then makes the pages of code executable, and
 * the others read-only. */
static int fill_pages(loader_code *code, const struct object *o, const struct layout *l, struct diag *error)
{
    char *at[MOST_SECTIONS] = {0};
    for (unsigned i = 0; i < o->section_count; i++) {
        if (!section_is_mapped(&o->sections[i])) continue;
        at[i] = code->pages + l->offsets[i];
        memcpy(at[i], o->bytes + o->sections[i].sh_offset, o->sections[i].sh_size);
    }
    const int status = relocate(o, at, error);
    if (status) return status;
    if ((l->code_size && mprotect(code->pages, l->code_size, PROT_READ | PROT_EXEC)) ||
        (l->size > l->code_size && mprotect(code->pages + l->code_size, l->size - l->code_size, PROT_READ)))
        return errno == ENOMEM ? diag_out_of_memory(error)
                               : diag_set(error, DIAG_BACKEND,
                                          "this system lets no process make memory executable (SELinux "
                                          "execmem or a sandbox); kernels can still be interpreted");
    __builtin___clear_cache(code->pages, code->pages + l->code_size);
    return DIAG_OK;
}

static int map_object(loader_code *code, const struct object *o, struct diag *error)
{
    struct layout l;
    lay_out(&l, o);
    if (!l.size) return diag_set(error, DIAG_BACKEND, "the object cannot be loaded: it holds no code");
    code->pages =
        mmap(NULL, l.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (code->pages == MAP_FAILED) {
        code->pages = NULL;
        return diag_out_of_memory(error);
    }
    code->size = l.size;
    code->code_size = l.code_size;
    const int status = fill_pages(code, o, &l, error);
    if (status) return status;
    take_symbols(code, o, &l);
    if (l.unwinding >= 0) {
        char *table = code->pages + l.offsets[l.unwinding];
        /* Relocations may have changed the table since the first check. */
        if (!unwinding_is_good(table, o->sections[l.unwinding].sh_size, l.code_size))
            return refuse_unwinding(error);
        code->unwinding = table;
        __register_frame(table);
    }
    return DIAG_OK;
}

int loader_load(loader_code **out, const void *bytes, size_t size, struct diag *error)
{
    struct object o;
    *out = NULL;
    int status = check(&o, bytes, size, error);
    if (status) return status;
    loader_code *code = make_code(&o);
    if (!code) return diag_out_of_memory(error);
    status = map_object(code, &o, error);
    if (status)
        loader_free(code);
    else
        *out = code;
    return status;
}

void *loader_symbol(const loader_code *code, const char *name, struct diag *error)
{
    for (size_t i = 0; i < code->count; i++)
        if (!strcmp(code->symbols[i].name, name)) return code->symbols[i].address;
    diag_set(error, DIAG_BACKEND, "the object has no function '%s'", name);
    return NULL;
}

void loader_functions(const loader_code *code,
                      void (*visit)(const void *start, size_t bytes, const char *name))
{
    for (size_t i = 0; i < code->count; i++)
        visit(code->symbols[i].address, code->symbols[i].bytes, code->symbols[i].name);
}

/* Writes an address into the header of a section in `object`, which may have any alignment. */
static void write_address(char *object, unsigned section, const char *address)
{
    Elf64_Ehdr head;
    const Elf64_Addr value = (Elf64_Addr)(uintptr_t)address;
    memcpy(&head, object, sizeof head);
    memcpy(object + head.e_shoff + section * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_addr), &value,
           sizeof value);
}

void loader_show(loader_code *code, const void *bytes, size_t size)
{
    struct object o;
    struct layout l;
    if (code->shown || object_read(&o, bytes, size, NULL)) return;
    code->shown = malloc(size);
    if (!code->shown) return;
    memcpy(code->shown, bytes, size);
    lay_out(&l, &o);
    for (unsigned i = 0; i < o.section_count; i++)
        if (section_is_mapped(&o.sections[i])) write_address(code->shown, i, code->pages + l.offsets[i]);
    code->entry = (struct debugger_entry){.object = code->shown, .size = size};
    debugger_add(&code->entry);
}

void loader_free(loader_code *code)
{
    if (!code) return;
    if (code->shown) debugger_remove(&code->entry);
    free(code->shown);
    if (code->unwinding) __deregister_frame(code->unwinding);
    if (code->pages) munmap(code->pages, code->size);
    free(code->names);
    free(code);
}
