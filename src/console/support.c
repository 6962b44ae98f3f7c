/* Helpers of all commands: memory, exit codes, the interrupt. */
#include "cli.h"

#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void *or_exit(void *memory)
{
    if (memory) return memory;
    fputs("actgen: error: out of memory\n", stderr);
    exit(EXIT_MEMORY);
}

void *must_allocate(size_t count, size_t size) { return or_exit(calloc(count ? count : 1, size ? size : 1)); }

void *must_grow(void *memory, size_t count, size_t size)
{
    return or_exit(size && count > SIZE_MAX / size ? NULL : realloc(memory, count * size));
}

char *must_format(const char *format, ...)
{
    char *text = NULL;
    va_list list;
    va_start(list, format);
    int length = vasprintf(&text, format, list);
    va_end(list);
    return or_exit(length < 0 ? NULL : text);
}

char *must_join(const char *const *names)
{
    enum { LINE = 300 };
    char *text = must_format("%s", "");
    for (size_t i = 0; names[i] && strlen(text) < LINE; i++) {
        char *longer = must_format("%s%s%s", text, i ? ", " : "",
                                   strlen(text) + strlen(names[i]) < LINE ? names[i] : "...");
        free(text);
        text = longer;
    }
    return text;
}

int worse_exit(int a, int b) { return a > b ? a : b; }

int exit_of_status(int status)
{
    switch (status) {
    case ACTGEN_OK: return EXIT_GOOD;
    case ACTGEN_EINVAL:
    case ACTGEN_ESYNTAX:
    case ACTGEN_EACCURACY:
    case ACTGEN_ENOTYET: return EXIT_INPUT;
    case ACTGEN_ETARGET: return EXIT_TARGET;
    case ACTGEN_EWRITE: return EXIT_IO;
    case ACTGEN_ELIMIT: return EXIT_LIMIT;
    case ACTGEN_ENOMEM: return EXIT_MEMORY;
    case ACTGEN_ESTOPPED: return EXIT_INTERRUPTED;
    default: return EXIT_INTERNAL;
    }
}

static volatile sig_atomic_t interrupted;

/* Notes an interrupt. A second one ends the program, if it comes at least a second later: programs such as
 * timeout send the same interrupt to the process and to its group. */
static void note_interrupt(int signal_number)
{
    static volatile sig_atomic_t first;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const sig_atomic_t second = (sig_atomic_t)now.tv_sec + 1;
    if (interrupted && second > first + 1) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
    if (!interrupted) first = second;
    interrupted = 1;
}

void catch_interrupt(void)
{
    struct sigaction action = {.sa_handler = note_interrupt, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (!sigaction(SIGINT, NULL, &before) && before.sa_handler == SIG_IGN)
        return; /* the caller ignores interrupts, as nohup does */
    sigaction(SIGINT, &action, NULL);
}

bool was_interrupted(void) { return interrupted; }
