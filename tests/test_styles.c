/* Tests of the tables of styles of C source. test_source compares what they print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "style.h"

#include <string.h>

static bool takes(enum lane_op op, enum lane_type type)
{
    return op == LANE_CONST ? lane_is_number(type) : lane_op_has_type(op, type);
}

/* Checks that the style has a text for each operation and type, and for each type of elements. */
static void check_complete(const struct source_style *s)
{
    arena *memory = arena_create(0);
    assert_non_null(memory);
    if (setjmp(*arena_escape(memory))) fail();
    for (int op = 0; op < LANE_OP_COUNT; op++)
        for (int type = 0; type < LANE_TYPE_COUNT; type++) {
            if (op == LANE_LOAD || op == LANE_STORE) continue; /* The rows print them. */
            const bool needed = takes((enum lane_op)op, (enum lane_type)type);
            if (needed != (source_op_text(memory, s, (enum lane_op)op, (enum lane_type)type) != NULL))
                fail_msg("%s %s %s of %s", s->name, needed ? "lacks" : "has a useless", lane_ops[op].name,
                         lane_types[type].name);
        }
    for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
        const enum element_type t = (enum element_type)type;
        /* Vectors have no bits. Threads of a grid can read elements that share a byte, but not store them. */
        const bool is_read = element_is_usable(t) && (s == &source_scalar || !element_is_bit(t));
        const bool is_stored =
            is_read && element_is_stored(t) && (s != &source_cuda || !element_shares_byte(t));
        if (is_read != (s->load[type] != NULL) || is_stored != (s->store[type] != NULL))
            fail_msg("%s and elements of %s", s->name, element_types[type].name);
    }
    arena_free(memory);
}

static void test_styles_for_every_set_are_complete(void **state)
{
    (void)state;
    check_complete(&source_scalar);
    check_complete(&source_vector);
    check_complete(&source_cuda);
}

/* Checks that each name after @ in a text is a helper or an expansion. */
static void check_names(const struct source_style *s, const char *text)
{
    for (const char *at = text ? strchr(text, '@') : NULL; at; at = strchr(at + 1, '@')) {
        const size_t length = strspn(at + 1, "abcdefghijklmnopqrstuvwxyz_0123456789");
        bool found = source_expansion_find(at + 1, length) != NULL;
        for (size_t i = 0; i < s->helper_count; i++)
            found = found ||
                    (strlen(s->helpers[i].name) == length && !memcmp(s->helpers[i].name, at + 1, length));
        if (!found) fail_msg("%s %s: there is no helper for %s", s->name, s->isa ? s->isa : "", text);
    }
}

static void test_all_helpers_exist(void **state)
{
    const struct source_style *s;
    (void)state;
    for (size_t i = 0; (s = source_style_at(i)); i++) {
        for (int op = 0; op < LANE_OP_COUNT; op++)
            for (int type = 0; type < LANE_TYPE_COUNT; type++) check_names(s, s->ops[op].text[type]);
        for (int type = 0; type < ELEMENT_TYPE_COUNT; type++) {
            check_names(s, s->load[type]);
            check_names(s, s->store[type]);
            check_names(s, s->load_part[type]);
            check_names(s, s->store_part[type]);
            check_names(s, s->load_bits[type]);
            check_names(s, s->store_bits[type]);
        }
        for (size_t h = 0; h < s->helper_count; h++) check_names(s, s->helpers[h].text);
        for (size_t l = 0; l < s->lookup_count; l++) check_names(s, s->lookups[l].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_styles_for_every_set_are_complete),
        cmocka_unit_test(test_all_helpers_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
