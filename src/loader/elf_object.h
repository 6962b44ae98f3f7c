/* Headers of an object, for the files of loader/. They check each offset and size against the size of the
 * object before they use it. */
#ifndef ACTGEN_LOADER_OBJECT_H
#define ACTGEN_LOADER_OBJECT_H

#include "loader.h"

#include <elf.h>

enum { MOST_SECTIONS = 64 };

struct object {
    /* Borrowed. They may have any alignment, so everything is read by copies. */
    const char *bytes;
    size_t size;
    unsigned machine; /* EM_* */
    unsigned section_count;
    Elf64_Shdr sections[MOST_SECTIONS];
    const Elf64_Shdr *symbols; /* One of the sections. */
    size_t symbol_count;
    const char *names; /* The names of symbols. They end with a 0. */
    size_t names_size;
    const char *section_names; /* They end with a 0. */
    size_t section_names_size;
};

/* Reads and checks headers, sections and symbols. relocate() checks the relocations. */
int object_read(struct object *o, const void *bytes, size_t size, struct diag *error);

/* Returns true if the section is part of the code in memory. */
bool section_is_mapped(const Elf64_Shdr *s);
/* Returns true for the table for unwinding. It is known by its name, because not every processor has a
 * section type for it. */
bool section_is_unwinding(const struct object *o, const Elf64_Shdr *s);

/* Returns a symbol. `index` is below symbol_count. */
Elf64_Sym object_symbol(const struct object *o, size_t index);
const char *object_symbol_name(const struct object *o, const Elf64_Sym *symbol);
bool symbol_is_function(const Elf64_Sym *symbol);

/* Carries out the relocations of all mapped sections. at[i] is the copy of section i. If `at` is NULL, the
 * function only checks. */
int relocate(const struct object *o, char *const *at, struct diag *error);

/* Returns true if the compiler's runtime can walk the table for unwinding. The functions in it have at most
 * `code_size` bytes. Sizes are in bytes. */
bool unwinding_is_good(const void *table, size_t size, size_t code_size);

#endif
