#include "elsewhere.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { EXIT_REFUSED = 1, SAID_SIZE = 400 }; /* exit codes are in docs/actgen.1 */

/* The program's error in what it wrote, without "actgen: error: "; what it wrote if it has no such line. */
static void read_error(FILE *said, char out[SAID_SIZE])
{
    static const char mark[] = "error: ";
    rewind(said);
    const size_t length = fread(out, 1, SAID_SIZE - 1, said);
    out[length] = 0;
    const char *found = strstr(out, mark);
    if (found) memmove(out, found + strlen(mark), strlen(found + strlen(mark)) + 1);
    out[strcspn(out, "\n")] = 0;
}

static int judge_end(const struct elsewhere *e, int status, FILE *said, struct diag *error)
{
    char text[SAID_SIZE];
    if (WIFEXITED(status) && !WEXITSTATUS(status)) return DIAG_OK;
    read_error(said, text);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_REFUSED)
        return diag_set(error, DIAG_ACCURACY, "%s", text);
    const bool short_of_memory =
        strstr(text, "memory") || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return diag_set(error, short_of_memory ? DIAG_NO_MEMORY : DIAG_BACKEND,
                    "%s, which plans, ended with %s %d: %s", e->program,
                    WIFSIGNALED(status) ? "signal" : "code",
                    WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), text);
}

/* From files, so that neither side waits for the other to read. */
static int spawn(pid_t *child, const struct elsewhere *e, FILE *given, FILE *said)
{
    posix_spawn_file_actions_t actions;
    const bool own = e->asked->profile == &e->asked->isa->profile; /* whose core can be chosen */
    const char *const arguments[] = {e->program,
                                     "compile",
                                     "-",
                                     "--isa",
                                     e->asked->isa->name,
                                     own ? "--tune" : "--profile",
                                     own ? e->asked->core->name : e->asked->profile->name,
                                     "--cache",
                                     e->cache,
                                     "-o",
                                     "/dev/null",
                                     e->asked->accuracy ? "--accuracy" : NULL,
                                     e->asked->accuracy,
                                     NULL};
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = posix_spawn_file_actions_adddup2(&actions, fileno(given), STDIN_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDOUT_FILENO);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, fileno(said), STDERR_FILENO);
    if (!failure) failure = posix_spawn(child, e->program, &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

static int run(const struct elsewhere *e, FILE *given, FILE *said, struct diag *error)
{
    pid_t child;
    int status = 0;
    const int failure = spawn(&child, e, given, said);
    if (failure)
        return diag_set(error, failure == ENOMEM ? DIAG_NO_MEMORY : DIAG_INVALID, "options.program, %s: %s",
                        e->program, strerror(failure));
    /* A host that ignores SIGCHLD leaves nobody to wait for when it has ended: then the cache tells. */
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return DIAG_OK;
    return judge_end(e, status, said, error);
}

static int print_and_run(arena *memory, void *context, struct diag *error)
{
    const struct elsewhere *e = context;
    struct text t = text_new(memory);
    spec_print_kernel(&t, e->spec, e->kernel);
    FILE *given = tmpfile(), *said = tmpfile();
    int status;
    if (given && said && fwrite(t.data, 1, t.length, given) == t.length && !fflush(given) &&
        !fseek(given, 0, SEEK_SET))
        status = run(e, given, said, error);
    else
        status = diag_set(error, DIAG_BACKEND, "no temporary file for the process that plans: %s",
                          strerror(errno));
    if (given) fclose(given);
    if (said) fclose(said);
    return status;
}

int make_elsewhere(const struct elsewhere *e, struct diag *error)
{
    struct elsewhere copy = *e;
    return with_arena(NULL, print_and_run, &copy, error);
}
