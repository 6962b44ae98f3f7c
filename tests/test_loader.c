/* Tests of the loader of objects. Its code and results equal those of LLVM's own linker, no page is both
 * writable and executable, and it refuses every damaged or hostile object. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "elf_object.h"
#include "llvm_subject.h"
#include "orc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void run_subject(const struct subject *s, kernel_fn *run, struct expectation *got)
{
    struct operand operands[MOST_OPERANDS] = {{0}};
    for (uint32_t k = 0; k < s->inputs + s->results; k++) operands[k].data = got->values[k];
    for (uint32_t k = s->inputs; k < s->inputs + s->results; k++)
        memset(got->values[k], 0, sizeof *got->values);
    run(1, MOST_ELEMENTS, operands);
}

/* ---- the second opinion ---- */

/* Sets the bytes that relocations write in the function to zero, in both copies. */
static void blank_relocations(const struct object *o, const Elf64_Sym *function, unsigned char *a,
                              unsigned char *b)
{
    for (unsigned i = 0; i < o->section_count; i++) {
        const Elf64_Shdr *s = &o->sections[i];
        if (s->sh_type != SHT_RELA || s->sh_info != function->st_shndx) continue;
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela r;
            memcpy(&r, o->bytes + s->sh_offset + k * sizeof r, sizeof r);
            if (r.r_offset < function->st_value || r.r_offset >= function->st_value + function->st_size)
                continue;
            memset(a + (r.r_offset - function->st_value), 0, 4);
            memset(b + (r.r_offset - function->st_value), 0, 4);
        }
    }
}

static void compare_code(const struct backend_buffer *object, const void *loaded, const void *linked)
{
    struct object o;
    assert_int_equal(object_read(&o, object->data, object->size, NULL), 0);
    for (size_t i = 1; i < o.symbol_count; i++) {
        const Elf64_Sym symbol = object_symbol(&o, i);
        if (!symbol_is_function(&symbol) || strcmp(object_symbol_name(&o, &symbol), "kernel") != 0) continue;
        unsigned char *a = malloc(symbol.st_size), *b = malloc(symbol.st_size);
        assert_true(a && b && symbol.st_size > 0);
        memcpy(a, loaded, symbol.st_size);
        memcpy(b, linked, symbol.st_size);
        blank_relocations(&o, &symbol, a, b);
        assert_memory_equal(a, b, symbol.st_size);
        free(a);
        free(b);
        return;
    }
    fail_msg("the object has no kernel");
}

static void compare_with_orc(struct subject *s, uint64_t seed)
{
    struct expectation *e = malloc(sizeof *e), *loaded = malloc(sizeof *e), *linked = malloc(sizeof *e);
    kernel_fn *run;
    assert_true(e && loaded && linked);
    compile(s, NULL);
    struct orc *orc = orc_load(s->object.data, s->object.size);
    assert_non_null(orc);
    void *address = orc_symbol(orc, "kernel");
    assert_non_null(address);
    memcpy(&run, &address, sizeof run);
    expect(e, s, seed);
    *loaded = *linked = *e;
    run_subject(s, s->run, loaded);
    run_subject(s, run, linked);
    for (uint32_t k = s->inputs; k < s->inputs + s->results; k++) {
        assert_true(same_floats(loaded->values[k], e->values[k], MOST_ELEMENTS));
        assert_memory_equal(loaded->values[k], linked->values[k], sizeof *e->values);
    }
    compare_code(&s->object, loader_symbol(s->code, "kernel", NULL), address);
    orc_free(orc);
    free(e);
    free(loaded);
    free(linked);
}

static void code_and_results_are_those_of_orc(void **state)
{
    (void)state;
    enum { PROGRAMS = 12 };
    for (size_t i = 0; i < target_isa_count(); i++)
        for (unsigned n = 0; n < PROGRAMS && target_isa_runs_here(target_isa_at(i)); n++) {
            struct subject s;
            prepare(&s, target_isa_at(i), n, 7 * n, 3 * n);
            compare_with_orc(&s, n);
            dispose(&s);
        }
}

/* ---- pages ---- */

/* Finds the rights of the mapping at `address`, such as "r-xp". Returns false if it is not mapped. */
static bool find_rights(const void *address, char rights[5])
{
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (!found && fgets(line, sizeof line, maps)) {
        uint64_t start, end;
        found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, rights) == 3 &&
                (uintptr_t)address >= start && (uintptr_t)address < end;
    }
    fclose(maps);
    return found;
}

static unsigned functions_seen;

static void assert_is_run(const void *start, size_t bytes, const char *name)
{
    char rights[5];
    assert_true(bytes > 0 && *name);
    for (size_t at = 0; at < bytes; at += 64) {
        assert_true(find_rights((const char *)start + at, rights));
        assert_string_equal(rights, "r-xp");
    }
    functions_seen++;
}

static void no_page_is_written_and_run(void **state)
{
    (void)state;
    struct subject s;
    char rights[5];
    prepare(&s, target_isa_find("host"), 3, 0, 30);
    compile(&s, NULL);
    const char *code = loader_symbol(s.code, "kernel", NULL);
    functions_seen = 0;
    loader_functions(s.code, assert_is_run);
    assert_true(functions_seen > 0);
    loader_free(s.code);
    s.code = NULL;
    assert_false(find_rights(code, rights) && !strcmp(rights, "r-xp"));
    dispose(&s);
}

/* ---- damage ---- */

static struct backend_buffer make_object(void)
{
    struct subject s;
    prepare(&s, target_isa_find("host"), 3, 0, 30);
    assert_int_equal(backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &s.object, NULL), 0);
    const struct backend_buffer object = s.object;
    s.object = (struct backend_buffer){0};
    dispose(&s);
    return object;
}

/* Loads the object or refuses it with a message. The caller can free whatever is loaded. */
static int try_to_load(const char *bytes, size_t size)
{
    struct diag error = {0};
    loader_code *code;
    const int status = loader_load(&code, bytes, size, &error);
    assert_true(status == DIAG_OK || status == DIAG_BACKEND);
    assert_int_equal(status, error.status);
    assert_int_equal(code == NULL, status != DIAG_OK);
    if (status) assert_true(error.message[0] != 0);
    loader_free(code);
    return status;
}

static void cut_objects_are_refused(void **state)
{
    (void)state;
    const struct backend_buffer object = make_object();
    struct object o;
    assert_int_equal(object_read(&o, object.data, object.size, NULL), 0);
    for (size_t size = 0; size < object.size; size++) {
        char *cut = malloc(size + 1); /* The block has exactly this size, so that sanitizers watch its end. */
        assert_non_null(cut);
        cut = realloc(cut, size ? size : 1);
        assert_non_null(cut);
        memcpy(cut, object.data, size);
        assert_int_equal(try_to_load(cut, size), DIAG_BACKEND);
        free(cut);
    }
    free(object.data);
}

static void no_changed_byte_does_harm(void **state)
{
    (void)state;
    struct backend_buffer object = make_object();
    struct object o;
    unsigned refused = 0;
    assert_int_equal(object_read(&o, object.data, object.size, NULL), 0);
    for (size_t at = 0; at < object.size; at++) {
        const char kept = object.data[at];
        const char values[] = {0, (char)-1, (char)(kept ^ 1), (char)(kept ^ 0x80), (char)(kept + 8)};
        for (size_t k = 0; k < sizeof values; k++) {
            object.data[at] = values[k];
            refused += try_to_load(object.data, object.size) != DIAG_OK;
        }
        object.data[at] = kept;
    }
    assert_true(refused > object.size / 4);
    assert_int_equal(try_to_load(object.data, object.size), DIAG_OK);
    free(object.data);
}

/* ---- malice ---- */

/* A copy of the object's headers, which a row changes and the test writes back. */
struct changed {
    Elf64_Ehdr head;
    Elf64_Shdr *code, *constants, *symbols, *relocations, *unwinding, *remark;
    uint16_t constants_index, remark_index, function_index;
    uint32_t names_size;
    Elf64_Sym function;
    Elf64_Rela relocation; /* The first relocation of the code. */
    uint32_t unwinding_length;
};

static void of_another_processor(struct changed *c) { c->head.e_machine = EM_S390; }
static void a_program(struct changed *c) { c->head.e_type = ET_EXEC; }
static void of_32_bits(struct changed *c) { c->head.e_ident[EI_CLASS] = ELFCLASS32; }
static void big_endian(struct changed *c) { c->head.e_ident[EI_DATA] = ELFDATA2MSB; }
static void many_sections(struct changed *c) { c->head.e_shnum = 60000; }
static void sections_beyond(struct changed *c) { c->head.e_shoff = UINT64_MAX - 8; }
static void writable_code(struct changed *c) { c->code->sh_flags |= SHF_WRITE; }
static void local_to_threads(struct changed *c) { c->constants->sh_flags |= SHF_TLS; }
static void compressed(struct changed *c) { c->constants->sh_flags |= SHF_COMPRESSED; }
static void code_beyond(struct changed *c) { c->code->sh_offset = UINT64_MAX - 4; }
static void huge_code(struct changed *c) { c->code->sh_size = UINT64_MAX / 2; }
static void odd_alignment(struct changed *c) { c->code->sh_addralign = 3; }
static void huge_alignment(struct changed *c) { c->code->sh_addralign = 1ull << 40; }
static void memory_without_bytes(struct changed *c) { c->constants->sh_type = SHT_NOBITS; }
static void run_before_use(struct changed *c) { c->constants->sh_type = SHT_INIT_ARRAY; }
static void names_elsewhere(struct changed *c) { c->symbols->sh_link = 4000; }
static void small_symbols(struct changed *c) { c->symbols->sh_entsize = 8; }
static void a_function_from_outside(struct changed *c) { c->function.st_shndx = SHN_UNDEF; }
static void a_common_function(struct changed *c) { c->function.st_shndx = SHN_COMMON; }
static void a_name_beyond(struct changed *c) { c->function.st_name = UINT32_MAX; }
static void a_function_beyond(struct changed *c) { c->function.st_value = 1u << 30; }
static void a_long_function(struct changed *c) { c->function.st_size = UINT64_MAX; }
static void relocation_beyond(struct changed *c) { c->relocation.r_offset = UINT64_MAX - 2; }
static void relocation_at_the_end(struct changed *c) { c->relocation.r_offset = c->code->sh_size - 3; }
static void unknown_relocation(struct changed *c) { c->relocation.r_info = ELF64_R_INFO(1, R_X86_64_COPY); }
static void relocation_to_nothing(struct changed *c)
{
    c->relocation.r_info = ELF64_R_INFO(1u << 20, R_X86_64_PC32);
}
static void relocation_far_away(struct changed *c) { c->relocation.r_addend = 1ll << 40; }
static void relocations_of_nothing(struct changed *c) { c->relocations->sh_info = 5000; }
static void small_relocations(struct changed *c) { c->relocations->sh_entsize = 1; }
static void endless_unwinding(struct changed *c) { c->unwinding_length = UINT32_MAX; }
static void empty_unwinding(struct changed *c) { c->unwinding_length = 0; }

static void a_section_of_unknown_type(struct changed *c) { c->remark->sh_type = SHT_HASH; }
static void a_section_below_those_of_systems(struct changed *c) { c->remark->sh_type = SHT_LOOS - 1; }
static void a_name_at_the_end(struct changed *c) { c->function.st_name = c->names_size; }
static void in_the_section_after_the_last(struct changed *c) { c->function.st_shndx = c->head.e_shnum; }
static void a_function_of_constants(struct changed *c)
{
    c->function.st_shndx = c->constants_index;
    c->function.st_value = c->function.st_size = 0;
}
/* Changes without harm. */
static void no_change(struct changed *c) { (void)c; }
static void a_note(struct changed *c) { c->remark->sh_type = SHT_NOTE; }
static void a_section_of_the_system(struct changed *c) { c->remark->sh_type = SHT_LOOS; }
static void a_name_of_a_constant(struct changed *c)
{
    a_function_of_constants(c);
    c->function.st_info = ELF64_ST_INFO(STB_LOCAL, STT_OBJECT);
}

static void relocation_to_a_remark(struct changed *c)
{
    a_name_of_a_constant(c);
    c->function.st_shndx = c->remark_index;
    c->relocation.r_info = ELF64_R_INFO(c->function_index, R_X86_64_PC32);
}

static const struct {
    void (*change)(struct changed *c);
    const char *message; /* A part of the message. NULL: the object is loaded. */
} malice[] = {
    {of_another_processor, "another processor"},
    {a_program, "no relocatable object"},
    {of_32_bits, "64 bits"},
    {big_endian, "little-endian"},
    {many_sections, "sections"},
    {sections_beyond, "beyond its end"},
    {writable_code, "can be written"},
    {local_to_threads, "can be written"},
    {compressed, "can be written"},
    {code_beyond, "beyond its end"},
    {huge_code, "beyond its end"},
    {odd_alignment, "wrongly aligned"},
    {huge_alignment, "wrongly aligned"},
    {memory_without_bytes, "unknown type"},
    {run_before_use, "unknown type"},
    {names_elsewhere, "symbols"},
    {small_symbols, "symbols"},
    {a_function_from_outside, "from outside"},
    {a_common_function, "in no section"},
    {a_name_beyond, "name"},
    {a_function_beyond, "outside its section"},
    {a_long_function, "outside its section"},
    {relocation_beyond, "outside its section"},
    {relocation_at_the_end, "outside its section"},
    {unknown_relocation, "relocation of type"},
    {relocation_to_nothing, "nothing in memory"},
    {relocation_to_a_remark, "nothing in memory"},
    {relocation_far_away, "too far"},
    {relocations_of_nothing, "another form"},
    {small_relocations, "another form"},
    {endless_unwinding, "unwinding"},
    {empty_unwinding, "unwinding"},
    {a_section_of_unknown_type, "unknown type"},
    {a_section_below_those_of_systems, "unknown type"},
    {a_name_at_the_end, "name"},
    {in_the_section_after_the_last, "in no section"},
    {a_function_of_constants, "outside the code"},
    {no_change, NULL},
    {a_note, NULL},
    {a_section_of_the_system, NULL},
    {a_name_of_a_constant, NULL},
};

static Elf64_Shdr *find_section(struct object *o, uint32_t type, uint64_t flags)
{
    for (unsigned i = 0; i < o->section_count; i++)
        if (o->sections[i].sh_type == type &&
            (o->sections[i].sh_flags & ~(uint64_t)(SHF_MERGE | SHF_STRINGS)) == flags &&
            o->sections[i].sh_size)
            return &o->sections[i];
    fail_msg("no section of type %u", type);
    return NULL;
}

static Elf64_Shdr *find_unwinding(struct object *o)
{
    for (unsigned i = 0; i < o->section_count; i++)
        if (section_is_unwinding(o, &o->sections[i])) return &o->sections[i];
    fail_msg("no table for unwinding");
    return NULL;
}

/* Returns a section that is not in memory, such as a remark on the stack. It may be empty. */
static Elf64_Shdr *find_remark(struct object *o)
{
    for (unsigned i = 0; i < o->section_count; i++)
        if (o->sections[i].sh_type == SHT_PROGBITS && !(o->sections[i].sh_flags & SHF_ALLOC))
            return &o->sections[i];
    fail_msg("no remark");
    return NULL;
}

static size_t find_function(const struct object *o)
{
    for (size_t i = 1; i < o->symbol_count; i++) {
        const Elf64_Sym symbol = object_symbol(o, i);
        if (symbol_is_function(&symbol)) return i;
    }
    fail_msg("no function");
    return 0;
}

static void change(char *bytes, struct object *o, void (*how)(struct changed *c))
{
    struct changed c = {.code = find_section(o, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR),
                        .constants = find_section(o, SHT_PROGBITS, SHF_ALLOC),
                        .symbols = find_section(o, SHT_SYMTAB, 0),
                        .relocations = find_section(o, SHT_RELA, SHF_INFO_LINK),
                        .unwinding = find_unwinding(o),
                        .remark = find_remark(o),
                        .names_size = (uint32_t)o->names_size};
    c.constants_index = (uint16_t)(c.constants - o->sections);
    c.remark_index = (uint16_t)(c.remark - o->sections);
    const size_t function = find_function(o);
    c.function_index = (uint16_t)function;
    char *symbol = bytes + c.symbols->sh_offset + function * sizeof c.function;
    char *relocation = bytes + c.relocations->sh_offset, *unwinding = bytes + c.unwinding->sh_offset;
    memcpy(&c.head, bytes, sizeof c.head);
    char *sections = bytes + c.head.e_shoff;
    memcpy(&c.function, symbol, sizeof c.function);
    memcpy(&c.relocation, relocation, sizeof c.relocation);
    memcpy(&c.unwinding_length, unwinding, sizeof c.unwinding_length);
    how(&c);
    memcpy(bytes, &c.head, sizeof c.head);
    memcpy(sections, o->sections, o->section_count * sizeof *o->sections);
    memcpy(symbol, &c.function, sizeof c.function);
    memcpy(relocation, &c.relocation, sizeof c.relocation);
    memcpy(unwinding, &c.unwinding_length, sizeof c.unwinding_length);
}

static void hostile_objects_are_refused(void **state)
{
    (void)state;
    const struct backend_buffer object = make_object();
    char *bytes = malloc(object.size);
    assert_non_null(bytes);
    for (size_t i = 0; i < sizeof malice / sizeof *malice; i++) {
        struct object o;
        struct diag error = {0};
        loader_code *code;
        memcpy(bytes, object.data, object.size);
        assert_int_equal(object_read(&o, bytes, object.size, NULL), 0);
        change(bytes, &o, malice[i].change);
        const int status = loader_load(&code, bytes, object.size, &error);
        if (!malice[i].message) {
            if (status) fail_msg("row %zu: \"%s\"", i, error.message);
            loader_free(code);
            continue;
        }
        assert_int_equal(status, DIAG_BACKEND);
        assert_null(code);
        if (!strstr(error.message, malice[i].message))
            fail_msg("row %zu: \"%s\" says nothing of \"%s\"", i, error.message, malice[i].message);
    }
    free(bytes);
    free(object.data);
}

/* ---- tables for unwinding ---- */

/* A common record of the least size, and a record of a function of 16 bytes. */
static const unsigned char good_table[] = {
    0x0d, 0,   0,   0, 0,  0,    0,  0,       /* length, zero */
    1,    'z', 'R', 0, 1,  0x78, 16, 1, 0x1b, /* version, "zR", factors, register, encoding */
    0x0c, 0,   0,   0, 21, 0,    0,  0, 4,    0, 0, 0, 0x10, 0, 0, 0}; /* length, distance, start, size */
enum { COMMON_SIZE = 17, CODE_SIZE = 16 };

static const struct {
    unsigned at;
    unsigned char byte;
    bool is_good;
} changed_tables[] = {
    {0, 0x0d, true},   {0, 0x0c, false},  {0, 0x03, false},  {4, 1, false},     {8, 0, false},
    {8, 2, false},     {9, 'y', false},   {10, 'S', false},  {11, 'P', false},  {12, 0x81, false},
    {15, 0, false},    {15, 2, false},    {16, 0x13, true},  {16, 0x0b, false}, {16, 0x1c, false},
    {16, 0x9b, false}, {17, 0x0b, false}, {17, 0x0d, false}, {17, 3, false},    {21, 20, false},
    {21, 22, false},   {21, 0, false},    {29, 0, false},    {29, 0x11, false}, {29, 0x0f, true},
    {29, 1, true},     {32, 1, false},
};

static void tables_for_unwinding(void **state)
{
    unsigned char table[sizeof good_table];
    /* A number of two bytes, and numbers that leave no room for a register. */
    static const unsigned char longer[] = {0x0e, 0,   0, 0,    0, 0,    0,  0, 1,
                                           'z',  'R', 0, 0x81, 1, 0x78, 16, 1, 0x1b},
                               no_room[] = {0x0d, 0,   0, 0,    0,    0,    0, 0, 1,
                                            'z',  'R', 0, 0x80, 0x80, 0x80, 1, 1},
                               no_end[] = {0x0d, 0,   0, 0,    0,    0,    0,    0,   1,
                                           'z',  'R', 0, 0x80, 0x80, 0x80, 0x80, 0x80};
    (void)state;
    for (size_t size = 0; size <= sizeof good_table; size++) {
        const bool is_whole = !size || size == COMMON_SIZE || size == sizeof good_table;
        assert_int_equal(unwinding_is_good(good_table, size, CODE_SIZE), is_whole);
    }
    assert_true(unwinding_is_good(longer, sizeof longer, CODE_SIZE));
    assert_false(unwinding_is_good(no_room, sizeof no_room, CODE_SIZE));
    assert_false(unwinding_is_good(no_end, sizeof no_end, CODE_SIZE));
    /* A function's record without a common record in front. */
    assert_false(unwinding_is_good(good_table + COMMON_SIZE, sizeof good_table - COMMON_SIZE, CODE_SIZE));
    for (size_t i = 0; i < sizeof changed_tables / sizeof *changed_tables; i++) {
        memcpy(table, good_table, sizeof table);
        table[changed_tables[i].at] = changed_tables[i].byte;
        if (unwinding_is_good(table, sizeof table, CODE_SIZE) != changed_tables[i].is_good)
            fail_msg("byte %u = %#x", changed_tables[i].at, changed_tables[i].byte);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_and_results_are_those_of_orc), cmocka_unit_test(no_page_is_written_and_run),
        cmocka_unit_test(cut_objects_are_refused),           cmocka_unit_test(no_changed_byte_does_harm),
        cmocka_unit_test(hostile_objects_are_refused),       cmocka_unit_test(tables_for_unwinding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
