/* Tests of the disk cache: a stored value comes back, and any damage to the directory or its
 * files is a miss. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cache.h"
#include "folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void key_of(unsigned number, char key[HASH_TEXT_SIZE]) { hash_text(&number, sizeof number, key); }

/* Makes value number n, whose bytes depend on n. */
static size_t make_value(unsigned n, unsigned char *data, size_t room)
{
    const size_t size = n * 37 % room;
    for (size_t i = 0; i < size; i++) data[i] = (unsigned char)(n * 31 + i * i);
    return size;
}

enum { LARGEST = 4096 };

static void put_value(cache *c, unsigned n)
{
    unsigned char data[LARGEST];
    char key[HASH_TEXT_SIZE];
    key_of(n, key);
    cache_put(c, key, data, make_value(n, data, LARGEST));
}

/* Returns 1 for the value, 0 for a miss and -1 for anything else. */
static int try_value(cache *c, unsigned n)
{
    unsigned char data[LARGEST];
    char key[HASH_TEXT_SIZE];
    size_t size, expected = make_value(n, data, LARGEST);
    key_of(n, key);
    void *found = cache_get(c, key, &size);
    const int result = !found ? 0 : size == expected && !memcmp(found, data, size) ? 1 : -1;
    free(found);
    return result;
}

static cache *open_cache(uint64_t limit)
{
    struct diag why = {0};
    cache *c = cache_open(folder, limit, &why);
    if (!c) fail_msg("%s", why.message);
    return c;
}

static void path_of(unsigned n, char *path, size_t size)
{
    char key[HASH_TEXT_SIZE];
    key_of(n, key);
    snprintf(path, size, "%s/%s", folder, key);
}

static unsigned count_files(const char *prefix)
{
    unsigned count = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));)
        count += e->d_name[0] != '.' && !strncmp(e->d_name, prefix, strlen(prefix));
    closedir(d);
    return count;
}

/* Returns the bytes of all files whose names are keys. */
static unsigned bytes_of_values(void)
{
    unsigned bytes = 0;
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d));) {
        struct stat s;
        if (strlen(e->d_name) == HASH_TEXT_SIZE - 1 && !fstatat(dirfd(d), e->d_name, &s, 0))
            bytes += (unsigned)s.st_size;
    }
    closedir(d);
    return bytes;
}

static void values_come_back(void **state)
{
    (void)state;
    cache *c = open_cache(0);
    for (unsigned n = 0; n < 50; n++) {
        assert_int_equal(try_value(c, n), 0);
        put_value(c, n);
        put_value(c, n);
        assert_int_equal(try_value(c, n), 1);
    }
    cache_close(c);
    c = open_cache(0);
    for (unsigned n = 0; n < 50; n++) assert_int_equal(try_value(c, n), 1);
    char key[HASH_TEXT_SIZE];
    key_of(7, key);
    cache_drop(c, key);
    assert_int_equal(try_value(c, 7), 0);
    assert_int_equal(count_files("new."), 0);
    cache_close(c);
    assert_int_equal(try_value(NULL, 1), 0); /* No cache acts as a cache without values. */
    put_value(NULL, 1);
    cache_drop(NULL, key);
    cache_close(NULL);
}

/* -- damage -- */

static size_t read_file(const char *path, char *data, size_t room)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    const size_t size = fread(data, 1, room, f);
    fclose(f);
    return size;
}

static void write_file(const char *path, const char *data, size_t size)
{
    unlink(path);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
    chmod(path, 0600);
}

static void damaged_files_are_misses(void **state)
{
    (void)state;
    enum { NUMBER = 3 };
    cache *c = open_cache(0);
    char path[128], whole[LARGEST + 256];
    path_of(NUMBER, path, sizeof path);
    put_value(c, NUMBER);
    const size_t size = read_file(path, whole, sizeof whole - 1);
    for (size_t cut = 0; cut < size; cut++) {
        write_file(path, whole, cut);
        assert_int_equal(try_value(c, NUMBER), 0);
    }
    write_file(path, whole, size + 1);
    assert_int_equal(try_value(c, NUMBER), 0);
    for (size_t i = 0; i < size * 8; i++) {
        whole[i / 8] ^= (char)(1 << i % 8);
        write_file(path, whole, size);
        assert_int_equal(try_value(c, NUMBER), 0);
        assert_int_equal(access(path, F_OK), -1); /* The damaged file is also removed. */
        whole[i / 8] ^= (char)(1 << i % 8);
    }
    path_of(NUMBER + 1, path, sizeof path); /* This path belongs to another key. */
    write_file(path, whole, size);
    assert_int_equal(try_value(c, NUMBER + 1), 0);
    put_value(c, NUMBER + 1);
    assert_int_equal(try_value(c, NUMBER + 1), 1);
    cache_close(c);
}

static void only_own_plain_files_are_read(void **state)
{
    (void)state;
    cache *c = open_cache(0);
    char path[128], other[128];
    path_of(1, path, sizeof path);
    snprintf(other, sizeof other, "%s/elsewhere", folder);
    put_value(c, 1);
    assert_int_equal(chmod(path, 0620), 0);
    assert_int_equal(try_value(c, 1), 0);
    assert_int_equal(chmod(path, 0602), 0);
    assert_int_equal(try_value(c, 1), 0);
    assert_int_equal(chmod(path, 0644), 0);
    assert_int_equal(try_value(c, 1), 1);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink("elsewhere", path), 0);
    assert_int_equal(try_value(c, 1), 0);
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(try_value(c, 1), 0);
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(try_value(c, 1), 0);
    put_value(c, 1); /* The value cannot be put in its place. */
    assert_int_equal(try_value(c, 1), 0);
    assert_int_equal(count_files("new."), 0);
    if (!geteuid()) {
        path_of(2, path, sizeof path);
        put_value(c, 2);
        assert_int_equal(chown(path, 1, 1), 0);
        assert_int_equal(try_value(c, 2), 0);
    }
    cache_close(c);
}

/* -- directories -- */

static void unsafe_directories_are_refused(void **state)
{
    (void)state;
    struct diag why = {0};
    char file[96];
    assert_int_equal(chmod(folder, 0770), 0);
    assert_null(cache_open(folder, 0, &why));
    assert_non_null(strstr(why.message, "by others"));
    assert_int_equal(chmod(folder, 0702), 0);
    assert_null(cache_open(folder, 0, NULL));
    assert_int_equal(chmod(folder, 0755), 0);
    cache *c = open_cache(0);
    assert_string_equal(cache_directory(c), folder);
    cache_close(c);
    snprintf(file, sizeof file, "%s/file", folder);
    write_file(file, "", 0);
    why = (struct diag){0};
    assert_null(cache_open(file, 0, &why));
    assert_true(*why.message);
    why = (struct diag){0};
    assert_null(cache_open("", 0, &why));
    assert_non_null(strstr(why.message, "no directory"));
    if (!geteuid()) {
        why = (struct diag){0};
        assert_int_equal(chown(folder, 1, 1), 0);
        assert_null(cache_open(folder, 0, &why));
        assert_non_null(strstr(why.message, "another user"));
        assert_int_equal(chown(folder, 0, 0), 0);
    }
}

static void expect_directory(const char *expected)
{
    char path[256], here[128];
    struct diag why = {0};
    struct stat s;
    cache *c = cache_open(NULL, 0, &why);
    if (!expected) {
        assert_null(c);
        assert_non_null(strstr(why.message, "no directory"));
        return;
    }
    assert_non_null(c);
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s/%s", here, folder, expected);
    assert_string_equal(cache_directory(c), path);
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0700);
    cache_close(c);
}

static void set_path(const char *name, const char *value)
{
    char path[256], here[128];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s/%s", here, folder, value);
    setenv(name, path, 1);
}

/* Checks that the cache makes no folder. It may make the last two folders of a path, but not a home that
 * does not exist. */
static void expect_no_folder_made(const char *missing)
{
    char path[256];
    struct diag why = {0};
    struct stat s;
    assert_null(cache_open(NULL, 0, &why));
    assert_non_null(strstr(why.message, "No such file or directory; a home is not made for it"));
    snprintf(path, sizeof path, "%s/%s", folder, missing);
    assert_int_not_equal(stat(path, &s), 0);
}

static void make_home(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    mkdir(folder, 0700);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void the_environment_names_the_default(void **state)
{
    (void)state;
    unsetenv("ACTGEN_CACHE_DIR");
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    expect_directory(NULL);
    set_path("HOME", "home");
    expect_no_folder_made("home");
    make_home("home");
    expect_directory("home/.cache/actgen");
    setenv("XDG_CACHE_HOME", "relative", 1);
    expect_directory("home/.cache/actgen");
    set_path("XDG_CACHE_HOME", "none/xdg");
    expect_no_folder_made("none");
    set_path("XDG_CACHE_HOME", "xdg");
    expect_directory("xdg/actgen");
    set_path("ACTGEN_CACHE_DIR", "own/deep");
    expect_directory("own/deep");
    setenv("ACTGEN_CACHE_DIR", "", 1);
    expect_directory(NULL);
}

static void a_directory_may_vanish(void **state)
{
    (void)state;
    cache *c = open_cache(0);
    put_value(c, 1);
    assert_int_equal(remove_folder(NULL), 0);
    assert_int_equal(try_value(c, 1), 0);
    put_value(c, 1);
    assert_int_equal(try_value(c, 1), 0);
    cache_close(c);
    c = open_cache(0); /* This call makes the folder again. */
    cache_close(c);
}

static void a_directory_may_be_read_only(void **state)
{
    (void)state;
    cache *c = cache_open("/proc/self/fdinfo", 0, NULL); /* The folder is read-only even for root. */
    assert_non_null(c);
    put_value(c, 1);
    assert_int_equal(try_value(c, 1), 0);
    cache_close(c);
}

static void a_disk_may_be_full(void **state)
{
    (void)state;
    struct rlimit before, small;
    cache *c = open_cache(0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    put_value(c, 20);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(try_value(c, 20), 0);
    assert_int_equal(count_files(""), 0); /* No partial file remains either. */
    put_value(c, 20);
    assert_int_equal(try_value(c, 20), 1);
    cache_close(c);
}

/* -- the limit -- */

static void set_age(const char *path, time_t seconds)
{
    const struct timespec when = {time(NULL) - seconds, 0}, times[2] = {when, when};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void the_oldest_go_first(void **state)
{
    (void)state;
    enum { COUNT = 40, DAY = 24 * 3600 };
    char path[128], stranger[128], abandoned[128], fresh[128];
    cache *c = open_cache(0);
    for (unsigned n = 1; n <= COUNT; n++) {
        put_value(c, n);
        path_of(n, path, sizeof path);
        set_age(path, (COUNT - n + 2) * DAY);
    }
    const unsigned total = bytes_of_values();
    assert_int_equal(try_value(c, 1), 1); /* The use makes this value no longer the oldest. */
    cache_close(c);
    snprintf(stranger, sizeof stranger, "%s/README", folder);
    snprintf(abandoned, sizeof abandoned, "%s/new.1.1", folder);
    snprintf(fresh, sizeof fresh, "%s/new.2.2", folder);
    write_file(stranger, "x", 1);
    write_file(abandoned, "x", 1);
    write_file(fresh, "x", 1);
    set_age(stranger, 100 * DAY);
    set_age(abandoned, 2 * 3600);
    c = open_cache(total / 2);
    put_value(c, 100);
    unsigned kept = 0;
    bool oldest_gone = true;
    for (unsigned n = 2; n <= COUNT; n++) {
        path_of(n, path, sizeof path);
        const bool there = !access(path, F_OK);
        oldest_gone &= !kept || there; /* Only the newest values are kept. */
        kept += there;
    }
    if (!oldest_gone || kept < 4 || kept > COUNT / 2)
        fail_msg("%u kept, %s", kept, oldest_gone ? "the last" : "not the last");
    assert_in_range(bytes_of_values(), total / 4, total / 2);
    assert_int_equal(try_value(c, 1), 1);
    assert_int_equal(try_value(c, 100), 1);
    assert_true(!access(stranger, F_OK) && !access(fresh, F_OK) && access(abandoned, F_OK));
    for (unsigned n = 200; n < 300; n++) { /* The cache also keeps its limit while it is open. */
        put_value(c, n);
        assert_in_range(bytes_of_values(), total / 4, total / 2);
    }
    assert_int_equal(try_value(c, 299), 1);
    cache_close(c);
    c = open_cache(200); /* The limit is smaller than a value. */
    put_value(c, 50);
    assert_int_equal(try_value(c, 50), 0);
    cache_close(c);
}

/* -- several writers -- */

static int hammer(unsigned seed)
{
    int result = 0;
    cache *c = cache_open(folder, 60000, NULL);
    for (unsigned i = 0; c && i < 2000; i++) {
        const unsigned n = (i * 7 + seed * 13) % 40;
        if (try_value(c, n) < 0) result = 1;
        if (i % 3 == 0) put_value(c, n);
    }
    cache_close(c);
    return c ? result : 2;
}

static void processes_share_a_directory(void **state)
{
    (void)state;
    enum { PROCESSES = 4 };
    pid_t children[PROCESSES];
    for (unsigned i = 0; i < PROCESSES; i++)
        if (!(children[i] = fork())) _exit(hammer(i));
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status) && !WEXITSTATUS(status));
    }
    assert_int_equal(count_files("new."), 0);
}

struct shared {
    cache *c;
    int bad;
};

static void *hammer_thread(void *context)
{
    struct shared *s = context;
    for (unsigned i = 0; i < 1000; i++) {
        if (try_value(s->c, i % 30) < 0) s->bad = 1;
        put_value(s->c, i * 3 % 30);
    }
    return NULL;
}

static void threads_share_a_cache(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    struct shared shared[THREADS];
    cache *c = open_cache(50000);
    for (unsigned i = 0; i < THREADS; i++) {
        shared[i] = (struct shared){c, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, hammer_thread, &shared[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_false(shared[i].bad);
    }
    cache_close(c);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        CASE(values_come_back),
        CASE(damaged_files_are_misses),
        CASE(only_own_plain_files_are_read),
        CASE(unsafe_directories_are_refused),
        CASE(the_environment_names_the_default),
        CASE(a_directory_may_vanish),
        CASE(a_directory_may_be_read_only),
        CASE(a_disk_may_be_full),
        CASE(the_oldest_go_first),
        CASE(processes_share_a_directory),
        CASE(threads_share_a_cache),
    };
    if (count > 1) cmocka_set_test_filter(arguments[1]); /* Runs fewer tests where a sanitizer watches. */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
