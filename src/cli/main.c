/* The program. It forks once, works in the child, and turns the child's end into an exit code. LLVM may abort
 * its process, which thus becomes a message and exit code 70. */
#include "cli.h"
#include "diagnostics.h"
#include "options.h"
#include "ranks.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const struct command commands[COMMAND_COUNT + 1] = {
#define COMMAND(name, code, arguments, summary) {#name, arguments, summary, command_##name, CODE_##code},
#include "commands.def"
};

/* Prints the help that was asked for. */
static void print_help(const struct options *options)
{
    if (options->language)
        print_language();
    else if (options->shared_options)
        print_options(options->command);
    else if (options->command)
        print_command_help(options->command);
    else
        print_usage();
}

static int work(int argc, char **argv)
{
    struct options options;
    int code = options_parse(&options, argc, argv);
    if (code == EXIT_GOOD) {
        if (options.help)
            print_help(&options);
        else if (options.version)
            printf("actgen %d.%d.%d, %s\n", ACTGEN_VERSION_MAJOR, ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH,
                   actgen_backend_version());
        else
            code = options.command->run(&options);
    }
    const bool is_text = code == EXIT_GOOD && (options.help || options.version);
    if (json_standard() && !is_text) json_end(json_standard());
    problems_are_objects(false); /* the array is complete */
    options_free(&options);
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        print_error(EXIT_IO, "cannot write to the standard output%s%s", errno ? ": " : "",
                    errno ? strerror(errno) : "");
        code = worse_exit(code, EXIT_IO);
    }
    return code;
}

static volatile pid_t child;

/* Passes on a signal that another process sent only to us. The terminal also sends its signals to the child.
 */
static void pass_on(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0 && child > 0) kill(child, signal_number);
}

/* Returns the likely reason of the signal. */
static const char *reason_of(int signal_number)
{
    enum { LEAST_STACK = 256 << 10 };
    struct rlimit stack;
    const bool is_small = !getrlimit(RLIMIT_STACK, &stack) && stack.rlim_cur < LEAST_STACK;
    if (signal_number == SIGKILL) return "; was there too little memory?";
    if (signal_number == SIGSEGV && is_small)
        return "; the stack is too small: actgen needs 256 KiB (ulimit -s)";
    return "; this is a defect of actgen or of LLVM";
}

static int wait_for_child(void)
{
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno == EINTR) continue;
        return print_error(EXIT_INTERNAL, "cannot wait for the working process: %s", strerror(errno));
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    int signal_number = WTERMSIG(status);
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP ||
        signal_number == SIGPIPE)
        return 128 + signal_number;
    const int rank = ranks_from_environment();
    char named[32] = "";
    if (rank >= 0) snprintf(named, sizeof named, "rank %d: ", rank);
    return print_error(signal_number == SIGKILL ? EXIT_MEMORY : EXIT_INTERNAL,
                       "%sinternal error: the working process ended by signal %d (%s)%s", named,
                       signal_number, strsignal(signal_number), reason_of(signal_number));
}

int main(int argc, char **argv)
{
    static const int passed[] = {SIGINT, SIGTERM, SIGHUP};
    sigset_t block, before;
    sigemptyset(&block);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) sigaddset(&block, passed[i]);
    sigprocmask(SIG_BLOCK, &block, &before); /* until both processes are set up */
    pid_t parent = getpid();
    child = fork();
    if (child < 0) return print_error(EXIT_INTERNAL, "cannot start the working process: %s", strerror(errno));
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) return EXIT_INTERNAL;
        signal(SIGXFSZ, SIG_IGN); /* writing beyond `ulimit -f` then fails with EFBIG, like a full disk */
        sigprocmask(SIG_SETMASK, &before, NULL);
        return work(argc, argv);
    }
    struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++) {
        struct sigaction old;
        if (!sigaction(passed[i], NULL, &old) && old.sa_handler != SIG_IGN)
            sigaction(passed[i], &action, NULL);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    return wait_for_child();
}
