/* Tests that every op for every type, every table and every element type in memory becomes an object for
 * every instruction set, whatever this machine is. The back end refuses by name what a set cannot do. LLVM
 * ends the process where it cannot lower something. So the test tries each set in a process of its own,
 * which notes what it is doing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "llvm_subject.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 12 /* The length of a program in ops, and the size of a note. */, NOTE_SIZE = 600 };

static char *note; /* The memory for the note, shared with the children. */

/* Returns true if the object is emitted. If `formats` is more than 1, the function also emits the other
 * formats, which differ in how functions are called. */
static bool emits(const struct subject *s, size_t formats)
{
    const struct target_format *format;
    for (size_t i = 0; i < formats && (format = target_format_at(s->function.isa, i)); i++) {
        const struct backend_options options = {.format = format->name};
        struct backend_buffer object;
        struct diag error = {0};
        if (backend_emit(&s->function, 1, &options, BACKEND_OBJECT, &object, &error)) {
            const size_t length = strlen(note);
            snprintf(note + length, NOTE_SIZE - length, " (%s): %.300s", format->name, error.message);
            return false;
        }
        backend_buffer_free(&object);
    }
    return true;
}

/* Emits the ops in turn, narrow ones first: program `number` of a series that has each op twice for both
 * widths (random_program). With another LLVM, the series has each op once. */
static bool emits_ops(const struct target_isa *isa, uint32_t number)
{
    struct subject s;
    const uint32_t first = number * LENGTH;
    snprintf(note, NOTE_SIZE, "%s, %u ops from %s on", isa->name, (unsigned)LENGTH,
             lane_ops[(first + 1) % LANE_OP_COUNT].name);
    prepare(&s, isa, number, first, LENGTH);
    const bool good = emits(&s, 1);
    arena_free(s.memory);
    return good;
}

/* Returns the entry of an f32 or an i32 table as an i32. */
static lane_value entry(lane_program *p, enum lane_type type, unsigned log2_size, lane_value index)
{
    uint64_t bits[1 << LANE_LARGEST_LOG2_TABLE];
    for (unsigned i = 0; i >> log2_size == 0; i++) bits[i] = i * 0x01234567u & 0x7fffffu;
    const lane_value found = lane_lookup(p, lane_table_add(p, type, log2_size, bits), index);
    switch (type) {
    case LANE_F32: return lane_unary(p, LANE_BITCAST, found);
    case LANE_F64: return lane_unary(p, LANE_BITCAST, lane_unary(p, LANE_NARROW, found));
    case LANE_I64: return lane_unary(p, LANE_INARROW, found);
    default: return found;
    }
}

/* Emits the tables of a type, of every size, in one program. */
static bool emits_tables(const struct target_isa *isa, enum lane_type type)
{
    struct subject s = {.memory = arena_create(0)};
    assert_non_null(s.memory);
    if (setjmp(*arena_escape(s.memory))) fail();
    snprintf(note, NOTE_SIZE, "%s, tables of entries of %u bytes", isa->name, lane_type_bytes(type));
    s.program = lane_create(s.memory, &isa->profile);
    const lane_value index = lane_unary(s.program, LANE_BITCAST, lane_load(s.program, LANE_F32, 0));
    lane_value all = index;
    for (unsigned log2_size = 0; log2_size <= LANE_LARGEST_LOG2_TABLE; log2_size += 1 + log2_size / 6)
        all = lane_binary(s.program, LANE_XOR, all, entry(s.program, type, log2_size, index));
    lane_store(s.program, lane_unary(s.program, LANE_BITCAST, all), 1);
    describe(&s, isa, 1, 1);
    const bool good = emits(&s, 1);
    arena_free(s.memory);
    return good;
}

/* Emits a copy of elements, for f32 in every format, because formats differ in calls and not in elements.
 * The back end refuses a type that this version lacks, and names that type. */
static bool copies(const struct target_isa *isa, enum element_type from, enum element_type to)
{
    struct subject s = {.memory = arena_create(0)};
    assert_non_null(s.memory);
    if (setjmp(*arena_escape(s.memory))) fail();
    snprintf(note, NOTE_SIZE, "%s, %s to %s", isa->name, element_types[from].name, element_types[to].name);
    s.program = lane_create(s.memory, &isa->profile);
    const bool from_bits = element_is_bit(from),
               shares = element_shares_byte(from) || element_shares_byte(to);
    lane_value x = lane_load(s.program,
                             from == ELEMENT_F64 ? LANE_F64
                             : from_bits         ? LANE_TRUTH
                                                 : LANE_F32,
                             0);
    if (from_bits)
        x = lane_select(s.program, x, lane_const(s.program, LANE_F32, 1), lane_const(s.program, LANE_F32, 0));
    if ((from == ELEMENT_F64) != (to == ELEMENT_F64))
        x = lane_unary(s.program, to == ELEMENT_F64 ? LANE_WIDEN : LANE_NARROW, x);
    if (element_is_bit(to)) {
        const enum lane_type type = s.program->code[x].type;
        x = lane_binary(s.program, LANE_LT, lane_const(s.program, type, 0.5), x);
    }
    lane_store(s.program, x, 1);
    describe(&s, isa, 1, 1);
    s.operands[0].type = from;
    s.operands[1].type = to;
    bool good;
    if (element_is_usable(from) && element_is_usable(to) && !(shares && target_has_grid(isa))) {
        good = emits(&s, from == ELEMENT_F32 && to == ELEMENT_F32 ? SIZE_MAX : 1);
    } else {
        const char *name = element_types[element_is_usable(from) ? to : from].name;
        struct backend_buffer object;
        struct diag error = {0};
        good = backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &object, &error) == DIAG_NOT_YET &&
               (strstr(error.message, name) || (shares && strstr(error.message, "GPU")));
    }
    arena_free(s.memory);
    return good;
}

/* Returns true for one set of each form: vectors, scalable vectors and threads. */
static bool is_first_of_its_form(const struct target_isa *isa)
{
    return !strcmp(isa->name, "avx512") || !strcmp(isa->name, "sve") || !strcmp(isa->name, "ptx");
}

/* Returns true if the set is tried. A sanitizer sees C code, so under a sanitizer one set of each form
 * stands for the others. */
static bool is_tried(const struct target_isa *isa) { return !takes_one_kind() || is_first_of_its_form(isa); }

static bool is_first_of_its_size(enum element_type type)
{
    for (enum element_type other = 0; other < type; other++)
        if (element_types[other].bytes == element_types[type].bytes) return false;
    return true;
}

/* Returns true if the pair of types is tried. A set's code for a load depends on the store only by the
 * store's size. So one set of each form has all pairs. The others have each type once on either side, and
 * all pairs of sizes, as do all sets with another LLVM. */
static bool is_pair_tried(const struct target_isa *isa, enum element_type from, enum element_type to)
{
    return takes_all() || (is_first_of_its_form(isa) && !runs_again()) || from == to || from == ELEMENT_F32 ||
           to == ELEMENT_F32 || (is_first_of_its_size(from) && is_first_of_its_size(to));
}

/* Returns how many ops are tried, first narrow and then wide ones. One set of each form has each op twice.
 * Other sets, and all sets with another LLVM, have each once. Except under a sanitizer, test_llvm compiles
 * such programs for the sets that run here. */
static uint32_t ops_tried(const struct target_isa *isa)
{
    if (target_isa_runs_here(isa) && !is_sanitized()) return 0;
    return (takes_all() || (is_first_of_its_form(isa) && !runs_again()) ? 4 : 2) * LANE_OP_COUNT;
}

static bool emits_all(const struct target_isa *isa)
{
    for (uint32_t number = 0; number * LENGTH < ops_tried(isa); number++)
        if (!emits_ops(isa, number)) return false;
    for (enum lane_type type = LANE_F32; type <= LANE_I64; type++)
        if (!emits_tables(isa, type)) return false;
    for (enum element_type from = 0; from < ELEMENT_TYPE_COUNT; from++)
        for (enum element_type to = 0; to < ELEMENT_TYPE_COUNT; to++)
            if (is_pair_tried(isa, from, to) && !copies(isa, from, to)) return false;
    return true;
}

static void every_op_is_lowered(void **state)
{
    (void)state;
    unsigned failed = 0;
    note = mmap(NULL, NOTE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(note != MAP_FAILED);
    for (size_t i = 0; i < target_isa_count(); i++) {
        int status = 0;
        if (!is_tried(target_isa_at(i))) continue;
        const pid_t child = fork();
        assert_true(child >= 0);
        if (!child) _exit(!emits_all(target_isa_at(i)));
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!status) continue;
        print_error("%s: %s\n", WIFSIGNALED(status) ? "LLVM ended the process" : "no object", note);
        failed++;
    }
    munmap(note, NOTE_SIZE);
    assert_int_equal(failed, 0);
}

static void programs_with_fma_are_refused_where_there_is_none(void **state)
{
    (void)state;
    const struct target_isa *with = target_profile_find("portable");
    unsigned refused = 0;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_isa *isa = target_isa_at(i);
        struct subject s;
        struct backend_buffer object;
        struct diag error = {0};
        prepare(&s, with, 0, 0, 4);
        s.function.isa = isa;
        const int status = backend_emit(&s.function, 1, NULL, BACKEND_OBJECT, &object, &error);
        assert_int_equal(status, isa->profile.fma ? DIAG_OK : DIAG_TARGET);
        if (status) assert_non_null(strstr(error.message, isa->name));
        if (!status) backend_buffer_free(&object);
        refused += status != DIAG_OK;
        arena_free(s.memory);
    }
    assert_true(refused > 0);
}

static void every_set_has_a_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < target_isa_count(); i++) {
        const struct target_format *own = target_format_find(target_isa_at(i), NULL);
        assert_non_null(own);
        assert_string_equal(target_triple(target_isa_at(i), own), target_isa_at(i)->triple);
        assert_null(target_format_find(target_isa_at(i), "a.out"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_op_is_lowered),
        cmocka_unit_test(programs_with_fma_are_refused_where_there_is_none),
        cmocka_unit_test(every_set_has_a_format),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
