/* Inside loader/: an object's headers, of which nothing is believed before it has been compared with the
 * object's size. */
#ifndef ACTGEN_LOADER_OBJECT_H
#define ACTGEN_LOADER_OBJECT_H

#include "loader.h"

#include <elf.h>

enum { MOST_SECTIONS = 64 };

struct object {
    const char *bytes; /* borrowed; of any alignment, so that all is read by copies */
    size_t size;
    unsigned machine; /* EM_... */
    unsigned section_count;
    Elf64_Shdr sections[MOST_SECTIONS];
    const Elf64_Shdr *symbols; /* one of the sections */
    size_t symbol_count;
    const char *names; /* of symbols; ends with a 0 */
    size_t names_size;
    const char *section_names; /* ends with a 0 */
    size_t section_names_size;
};

/* Reads and checks all: headers, sections, symbols; that relocations can be carried out is for relocate() to
 * say. */
int object_read(struct object *o, const void *bytes, size_t size, struct diag *error);

/* Whether the section is part of the code in memory. */
bool section_is_mapped(const Elf64_Shdr *s);
/* Whether it is the table for unwinding, for which not every processor has a type of its own. */
bool section_is_unwinding(const struct object *o, const Elf64_Shdr *s);

Elf64_Sym object_symbol(const struct object *o, size_t index); /* below symbol_count */
const char *object_symbol_name(const struct object *o, const Elf64_Sym *symbol);
bool symbol_is_function(const Elf64_Sym *symbol);

/* Carries out the relocations of all mapped sections. Section i has been copied to `at[i]`. NULL for `at`
 * only checks. */
int relocate(const struct object *o, char *const *at, struct diag *error);

/* Returns true for a table for unwinding that the compiler's runtime can walk, of functions of at most
 * `code_size` bytes. Sizes are in bytes. */
bool unwinding_is_good(const void *table, size_t size, size_t code_size);

#endif
