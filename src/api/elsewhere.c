/* Starts the process that compiles in place of this one, and reports how it ended. */
#include "elsewhere.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { SAID_SIZE = 400 };

/* The status for an exit code of the program. docs/actgen.1 lists the codes. Codes without a row mean that
 * the program failed in another way. */
static const int status_of_exit[] = {[1] = DIAG_ACCURACY, [5] = DIAG_LIMIT, [6] = DIAG_NO_MEMORY};
enum { KNOWN_EXITS = sizeof status_of_exit / sizeof *status_of_exit };

/* Reads the program's error from its output, without "actgen: error: ". If there is no such line, the
 * function returns false, and `out` is the output itself. */
static bool read_error(FILE *said, char out[SAID_SIZE])
{
    static const char mark[] = "error: ";
    rewind(said);
    const size_t length = fread(out, 1, SAID_SIZE - 1, said);
    out[length] = 0;
    const char *found = strstr(out, mark);
    if (found) memmove(out, found + strlen(mark), strlen(found + strlen(mark)) + 1);
    out[strcspn(out, "\n")] = 0;
    return found;
}

static int judge_end(const struct elsewhere *e, int status, FILE *said, struct diag *error)
{
    char text[SAID_SIZE];
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return DIAG_OK;
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : KNOWN_EXITS;
    const int known = code < KNOWN_EXITS ? status_of_exit[code] : DIAG_OK;
    if (read_error(said, text) && known) return diag_set(error, known, "%s", text);
    const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    return diag_set(error, was_killed ? DIAG_NO_MEMORY : DIAG_BACKEND,
                    "the program %s (options.program) ended with %s %d: %s", e->program,
                    WIFSIGNALED(status) ? "signal" : "code",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
                    *text ? text : "it said nothing; options.program is the program `actgen` of this build");
}

static const char *plan_name(const struct asked *a)
{
    return a->plan == ACTGEN_PLAN_ESTIMATE ? "estimate" : "measure";
}

static const char *tier_name(const struct asked *a)
{
    static const char *const names[] = {[ACTGEN_TIER_BEST] = "best",
                                        [ACTGEN_TIER_QUICK] = "quick",
                                        [ACTGEN_TIER_INTERPRETER] = "interpreter"};
    return names[a->tier];
}

/* Returns true if the program may have to be killed. */
static bool is_watched(const struct elsewhere *e) { return e->progress->report || e->progress->deadline; }

static int spawn(pid_t *child, const struct elsewhere *e, FILE *given, FILE *said, FILE *plans)
{
    posix_spawn_file_actions_t actions;
    enum { PLANS = 3, MOST = 28 };
    const struct asked *a = e->asked;
    char limit[24], memory[24];
    snprintf(limit, sizeof limit, "%llu", (unsigned long long)a->plan_limit);
    snprintf(memory, sizeof memory, "%llu", (unsigned long long)e->memory_limit);
    /* A core can be chosen only if the profile is the set's own. */
    const bool own = a->profile == &a->isa->profile;
    const char *arguments[MOST] = {e->program,
                                   "compile",
                                   "-",
                                   "--isa",
                                   a->isa->name,
                                   own ? "--tune" : "--profile",
                                   own ? a->core->name : a->profile->name,
                                   "--cache",
                                   e->cache,
                                   "-o",
                                   "/dev/null",
                                   "--plan",
                                   plan_name(a),
                                   "--tier",
                                   tier_name(a)};
    size_t count = 15;
    if (a->accuracy) arguments[count++] = "--accuracy", arguments[count++] = a->accuracy;
    if (plans) arguments[count++] = "--plans", arguments[count++] = "/dev/fd/3";
    if (a->prove) arguments[count++] = "--prove";
    if (a->plan_limit) arguments[count++] = "--plan-limit", arguments[count++] = limit;
    if (e->memory_limit) arguments[count++] = "--memory-limit", arguments[count++] = memory;
    /* A group of its own lets `kill` end everything that the program has started, as a script may do. */
    posix_spawnattr_t group;
    int failure = posix_spawnattr_init(&group);
    if (failure) return failure;
    if (is_watched(e)) posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
    failure = posix_spawn_file_actions_init(&actions);
    if (failure) return posix_spawnattr_destroy(&group), failure;
    failure = posix_spawn_file_actions_adddup2(&actions, fileno(given), STDIN_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    if (!failure && plans) failure = posix_spawn_file_actions_adddup2(&actions, fileno(plans), PLANS);
    if (!failure)
        failure =
            posix_spawn(child, e->program, &actions, &group, (char *const *)(uintptr_t)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&group);
    return failure;
}

/* Waits for the program and returns true with its status. If the host ignores SIGCHLD, the system keeps
 * no status, and the function returns false. The cache then shows what was made. If the progress function
 * stops the call, the program and its group are killed. */
static bool wait_for_end(const struct elsewhere *e, pid_t child, int *status)
{
    static const struct timespec pause = {0, 2000000};
    bool is_killed = false;
    for (;;) {
        const pid_t ended = waitpid(child, status, is_watched(e) && !is_killed ? WNOHANG : 0);
        if (ended == child) return true;
        if (ended < 0 && errno != EINTR) return false;
        if (ended || is_killed) continue;
        is_killed = !progress_goes_on(e->progress);
        if (is_killed)
            kill(-child, SIGKILL);
        else
            nanosleep(&pause, NULL);
    }
}

/* Runs the program with its input and output in files, so that neither process waits for a pipe of the
 * other. */
static int run(const struct elsewhere *e, FILE *given, FILE *said, FILE *plans, struct diag *error)
{
    pid_t child;
    int status = 0;
    const int failure = spawn(&child, e, given, said, plans);
    if (failure)
        return diag_set(error, failure == ENOMEM ? DIAG_NO_MEMORY : DIAG_INVALID, "options.program, %s: %s",
                        e->program, strerror(failure));
    progress_begin(e->progress, "waiting for the program", 0);
    const bool is_told = wait_for_end(e, child, &status);
    if (!progress_goes_on(e->progress))
        return diag_set(error, DIAG_STOPPED, "stopped while %s planned", e->program);
    return is_told ? judge_end(e, status, said, error) : DIAG_OK;
}

/* Returns a temporary file that holds the text, at its beginning. NULL: there is none. */
static FILE *file_with(const char *text)
{
    FILE *file = tmpfile();
    const size_t length = strlen(text);
    if (file && fwrite(text, 1, length, file) == length && !fflush(file) && !fseek(file, 0, SEEK_SET))
        return file;
    if (file) fclose(file);
    return NULL;
}

static int print_and_run(arena *memory, void *context, struct diag *error)
{
    const struct elsewhere *e = context;
    struct text t = text_new(memory);
    spec_print_kernel(&t, e->spec, e->kernel);
    const char *plan_file = e->asked->plans;
    FILE *given = file_with(t.data), *said = tmpfile(), *plans = plan_file ? file_with(plan_file) : NULL;
    int status;
    if (given && said && (plans || !plan_file))
        status = run(e, given, said, plans, error);
    else
        status = diag_set(error, DIAG_BACKEND, "no temporary file for the process that plans: %s",
                          strerror(errno));
    if (given) fclose(given);
    if (said) fclose(said);
    if (plans) fclose(plans);
    return status;
}

int make_elsewhere(const struct elsewhere *e, struct diag *error)
{
    struct elsewhere copy = *e;
    return with_arena(NULL, print_and_run, &copy, error);
}
