/* Tests of records: structures as bytes. What was written comes back, and any other bytes are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "record.h"

#include <string.h>

struct thing {
    const char *name;
    bool is_good;
    enum { RED, GREEN, BLUE, COLOURS } colour;
    uint64_t count, place;
    double error;
};

static const struct record_field fields[] = {{RECORD_TEXT, offsetof(struct thing, name), 0},
                                             {RECORD_BIT, offsetof(struct thing, is_good), 0},
                                             {RECORD_WORD, offsetof(struct thing, colour), COLOURS},
                                             {RECORD_NUMBER, offsetof(struct thing, count), 0},
                                             {RECORD_PLACE, offsetof(struct thing, place), 0},
                                             {RECORD_F64, offsetof(struct thing, error), 0},
                                             {RECORD_END, 0, 0}};
static const struct thing thing = {"abc", true, BLUE, UINT64_MAX, 0x80000001, -0x1p-1074};

static bool read_thing(struct thing *out, const char *data, size_t size, arena *memory)
{
    struct bytes b = {.data = (const unsigned char *)data, .left = size};
    record_read(out, &b, fields, memory, 4);
    return !b.failed && !b.left;
}

static void what_was_written_comes_back(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    struct text t = text_new(memory);
    struct thing read = {0};
    record_add(&t, fields, &thing, 4);
    assert_true(read_thing(&read, t.data, t.length, memory));
    assert_string_equal(read.name, thing.name);
    assert_true(read.is_good && read.colour == BLUE && read.count == UINT64_MAX);
    assert_true(read.place == thing.place && read.error == thing.error);
    arena_free(memory);
}

/* Checks that each beginning is refused, and each value that its row does not allow. */
static void other_bytes_are_refused(void **state)
{
    (void)state;
    arena *memory = arena_create(0);
    struct text t = text_new(memory);
    struct thing read, wrong = thing;
    record_add(&t, fields, &thing, 4);
    for (size_t size = 0; size < t.length; size++) assert_false(read_thing(&read, t.data, size, memory));
    assert_int_equal(t.data[4], 1); /* the bit, after the text */
    assert_int_equal(t.data[5], BLUE);
    t.data[4] = 2;
    assert_false(read_thing(&read, t.data, t.length, memory));
    t.data[4] = 0;
    assert_true(read_thing(&read, t.data, t.length, memory));
    assert_false(read.is_good);
    t.data[2] = 0; /* a text does not end early */
    assert_false(read_thing(&read, t.data, t.length, memory));
    t.length = 0;
    wrong.colour = COLOURS;
    record_add(&t, fields, &wrong, 4);
    assert_false(read_thing(&read, t.data, t.length, memory));
    assert_true(read.error == 0 && read.count == 0); /* nothing after the failure is read */
    arena_free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_comes_back),
        cmocka_unit_test(other_bytes_are_refused),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
