/* Tests of the program from outside. Each tests/cli/<name>.cmd is a shell script with its expected output and
 * exit code.
 *
 *    actgen list | head -1        the script, run by sh in an empty folder; $DATA is tests/cli
 *    --- exit 0
 *    --- stdout                   absent: the test does not look at the stream
 *    name * definition            `*` stands for any text in a line, a line `...` for any lines
 *    --- stderr
 *
 * A script that lacks something on this machine prints what it lacks and exits with 77. The test then counts
 * as skipped.
 *
 * usage: test_cli [WORD]   only the scripts whose name is WORD or begins with WORD_
 *
 * The program is the one of this build, or $ACTGEN. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "skipping.h"

enum { CANNOT_RUN_HERE = 77 };

/* Seconds, as text. No script takes that long, however busy the machine. */
#define HANGS "1200"

static char program_folder[4000];

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 1 << 20;
    char *text = malloc(capacity + 1);
    if (!file || !text) fail_msg("cannot read %s", path);
    size = fread(text, 1, capacity, file);
    text[size] = 0;
    fclose(file);
    return text;
}

/* Returns true if the line `s` of `length` bytes matches the pattern line. */
static bool line_matches(const char *pattern, size_t pattern_length, const char *s, size_t length)
{
    if (!pattern_length) return !length;
    if (*pattern == '*') {
        for (size_t skip = 0; skip <= length; skip++)
            if (line_matches(pattern + 1, pattern_length - 1, s + skip, length - skip)) return true;
        return false;
    }
    return length && *s == *pattern && line_matches(pattern + 1, pattern_length - 1, s + 1, length - 1);
}

static bool text_matches(const char *pattern, const char *text)
{
    if (!*pattern) return !*text;
    size_t pattern_length = strcspn(pattern, "\n"), length = strcspn(text, "\n");
    const char *pattern_rest = pattern + pattern_length + (pattern[pattern_length] == '\n');
    const char *rest = text + length + (text[length] == '\n');
    if (pattern_length == 3 && !memcmp(pattern, "...", 3))
        return text_matches(pattern_rest, text) || (*text && text_matches(pattern, rest));
    return *text && line_matches(pattern, pattern_length, text, length) && text_matches(pattern_rest, rest);
}

struct script {
    char *text; /* The text of the file, which owns the parts. */
    /* The parts. A stream is NULL if the test does not look at it. */
    char *commands, *standard_output, *standard_error;
    int exit_code;
};

/* Cuts the file at its lines that begin with "--- ". */
static struct script read_script(const char *path)
{
    struct script s = {.text = read_text(path), .exit_code = -1};
    s.commands = s.text;
    for (char *line = s.text, *next; line; line = next) {
        char *end = strchr(line, '\n');
        next = end ? end + 1 : NULL;
        if (strncmp(line, "--- ", 4)) continue;
        *line = 0; /* This ends the part before. */
        if (end) *end = 0;
        if (!strncmp(line + 4, "exit ", 5))
            s.exit_code = atoi(line + 9);
        else if (!strcmp(line + 4, "stdout"))
            s.standard_output = next ? next : line;
        else if (!strcmp(line + 4, "stderr"))
            s.standard_error = next ? next : line;
        else
            fail_msg("%s: what is '%s'?", path, line + 4);
    }
    if (s.exit_code < 0) fail_msg("%s has no '--- exit'", path);
    return s;
}

static int run_script(const char *commands, const char *folder)
{
    char path[8192];
    snprintf(path, sizeof path, "%s:%s", program_folder, getenv("PATH"));
    pid_t pid = fork();
    if (pid == 0) {
        setenv("PATH", path, 1);
        setenv("DATA", TEST_DATA "/cli", 1);
        unsetenv("NO_COLOR");
        bool ready = freopen("/dev/null", "r", stdin) && !chdir(folder) &&
                     freopen("../stdout", "w", stdout) && freopen("../stderr", "w", stderr);
        if (ready) execlp("timeout", "timeout", "-k", "5", HANGS, "sh", "-c", commands, (char *)NULL);
        _exit(126);
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void compare(const char *script, const char *stream, const char *expected, const char *got)
{
    if (expected && !text_matches(expected, got))
        fail_msg("%s: %s is\n%s--- expected\n%s---", script, stream, got, expected);
}

static void remove_folder(const char *folder)
{
    pid_t pid = fork();
    if (pid == 0) {
        execlp("rm", "rm", "-rf", folder, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

static void test_script(void **state)
{
    const char *path = *state;
    char folder[] = "/tmp/actgen-test-XXXXXX", work[64], output[64], messages[64];
    assert_non_null(mkdtemp(folder));
    snprintf(work, sizeof work, "%s/work", folder);
    snprintf(output, sizeof output, "%s/stdout", folder);
    snprintf(messages, sizeof messages, "%s/stderr", folder);
    struct script s = read_script(path);
    assert_int_equal(mkdir(work, 0777), 0);
    int code = run_script(s.commands, work);
    char *got_output = read_text(output), *got_messages = read_text(messages);
    remove_folder(folder);
    if (code == CANNOT_RUN_HERE) {
        /* A copy, because a skipped test does not return and so must free its memory first. */
        char reason[200];
        snprintf(reason, sizeof reason, "%.*s", (int)strcspn(got_output, "\n"), got_output);
        free(got_output);
        free(got_messages);
        free(s.text);
        SKIP_BECAUSE("%s: %s", strrchr(path, '/') + 1, reason);
    }
    if (code != s.exit_code)
        fail_msg("%s: exit code %d, expected %d\nstdout: %s\nstderr: %s", path, code, s.exit_code, got_output,
                 got_messages);
    compare(path, "stdout", s.standard_output, got_output);
    compare(path, "stderr", s.standard_error, got_messages);
    free(got_output);
    free(got_messages);
    free(s.text);
}

/* Finds the program, which is two folders up from this test's own file build/<preset>/tests/test_cli. */
static void find_program(void)
{
    const char *given = getenv("ACTGEN");
    ssize_t length = 0;
    if (given)
        snprintf(program_folder, sizeof program_folder, "%s", given);
    else
        length = readlink("/proc/self/exe", program_folder, sizeof program_folder - 1);
    if (!given && length > 0) program_folder[length] = 0;
    for (int up = given ? 1 : 2; up; up--) {
        char *slash = strrchr(program_folder, '/');
        if (slash) *slash = 0;
    }
}

/* Returns true for scripts that run long in C code that other scripts also run. A sanitizer build leaves
 * these scripts out. README.md says which tests cover that code. */
static bool is_left_out(const char *name)
{
#ifdef ACTGEN_TEST_SANITIZED
    static const char *const names[] = {"bench_latency.cmd",      "bench_layouts.cmd",
                                        "bench_sums.cmd",         "verify_interrupted.cmd",
                                        "verify_merge_types.cmd", "verify_special_places.cmd"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i])) return true;
#else
    (void)name;
#endif
    return false;
}

/* Returns true if a path is one of `word`'s scripts. NULL chooses all scripts. */
static bool is_chosen(const char *path, const char *word)
{
    const char *name = strrchr(path, '/') + 1;
    const size_t length = word ? strlen(word) : 0;
    if (is_left_out(name)) return false;
    return !word || (!strncmp(name, word, length) && strchr("_.", name[length]));
}

int main(int argc, char **argv)
{
    glob_t found;
    size_t count = 0;
    find_program();
    if (glob(TEST_DATA "/cli/*.cmd", 0, NULL, &found)) return 1;
    struct CMUnitTest *tests = calloc(found.gl_pathc, sizeof *tests);
    if (!tests) return 1;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_chosen(found.gl_pathv[i], argc > 1 ? argv[1] : NULL))
            tests[count++] = (struct CMUnitTest){strrchr(found.gl_pathv[i], '/') + 1, test_script, NULL, NULL,
                                                 found.gl_pathv[i]};
    int failures = count ? _cmocka_run_group_tests("cli", tests, count, NULL, NULL) : 1;
    free(tests);
    globfree(&found);
    return failures;
}
