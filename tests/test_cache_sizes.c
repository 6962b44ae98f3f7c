/* Tests of how large a value the disk cache keeps: up to its limit and up to the largest value, and no byte
 * more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache.h"
#include "folder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char key[HASH_TEXT_SIZE] = "0123456789abcdef0123456789abcdef";

/* Returns the bytes of the only file, or 0 without one. */
static uint64_t bytes_of_file(void)
{
    char path[sizeof folder + HASH_TEXT_SIZE + 1];
    struct stat s;
    snprintf(path, sizeof path, "%s/%s", folder, key);
    return stat(path, &s) ? 0 : (uint64_t)s.st_size;
}

/* Puts a value into a cache of this limit, and returns true if it comes back. Without it there is no file. */
static bool keeps(uint64_t limit, size_t size)
{
    struct diag why = {0};
    cache *c = cache_open(folder, limit, &why);
    char *data = calloc(size + 1, 1);
    size_t found = 0;
    assert_true(c && data);
    cache_put(c, key, data, size);
    void *value = cache_get(c, key, &found);
    if (value)
        assert_true(found == size && !memcmp(value, data, size));
    else
        assert_int_equal(bytes_of_file(), 0);
    cache_drop(c, key);
    cache_close(c);
    free(data);
    free(value);
    return value;
}

/* Returns the bytes of a file without a value. */
static uint64_t bytes_of_head(void)
{
    struct diag why = {0};
    cache *c = cache_open(folder, 0, &why);
    assert_non_null(c);
    cache_put(c, key, "", 0);
    const uint64_t bytes = bytes_of_file();
    cache_drop(c, key);
    cache_close(c);
    assert_true(bytes > 0 && bytes_of_file() == 0);
    return bytes;
}

static void a_value_may_fill_the_limit(void **state)
{
    (void)state;
    enum { SIZE = 1000 };
    const uint64_t limit = bytes_of_head() + SIZE;
    assert_true(keeps(limit, SIZE - 1));
    assert_true(keeps(limit, SIZE));
    assert_false(keeps(limit, SIZE + 1));
}

static void a_value_beyond_the_limit_displaces_none(void **state)
{
    (void)state;
    enum { SIZE = 1000 };
    static const char other[HASH_TEXT_SIZE] = "fedcba9876543210fedcba9876543210";
    static const char data[SIZE + 1];
    struct diag why = {0};
    size_t found = 0;
    cache *c = cache_open(folder, bytes_of_head() + SIZE, &why);
    assert_non_null(c);
    cache_put(c, other, "x", 1);
    cache_put(c, key, data, sizeof data);
    void *value = cache_get(c, other, &found);
    assert_true(value && found == 1);
    free(value);
    cache_close(c);
}

static void the_largest_value_is_kept(void **state)
{
    (void)state;
    assert_true(keeps(0, CACHE_LARGEST_VALUE));
    assert_false(keeps(0, (size_t)CACHE_LARGEST_VALUE + 1));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {CASE(a_value_may_fill_the_limit),
                                       CASE(a_value_beyond_the_limit_displaces_none),
                                       CASE(the_largest_value_is_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
