/* From WHAT on the command line to specs and compiled kernels. */
#ifndef ACTGEN_CLI_INPUT_H
#define ACTGEN_CLI_INPUT_H

#include "cli.h"
#include "diagnostics.h"
#include "file.h"
#include "progress.h"

struct source {         /* one WHAT */
    char *file;         /* for messages */
    struct buffer text; /* what places in errors refer to; empty for a built-in */
    bool is_file;       /* else a built-in or a formula, whose types are --type's */
    actgen_spec *spec;
    char *kernel; /* the one of FILE:KERNEL, or NULL for all */
};
/* Reads and parses. `type` is --type's, for a built-in and a formula; NULL for their own. An exit code; a
 * failure is already printed, and there is nothing to free then. */
int source_open(struct source *source, const struct what *what, const char *type);
void source_close(struct source *source);

struct job { /* one kernel for one instruction set */
    size_t source;
    const char *kernel, *isa;
};

struct jobs { /* what a command is about: WHAT... (or every built-in) times the instruction sets */
    struct source *sources;
    size_t source_count;
    struct job *list;
    size_t count;
    const char **isas;      /* NULL at the end */
    const char **isa_words; /* inside: the option's text, split */
    const char *accuracy;
    const char *profile;
    bool prove;
    const char *tune; /* the core, for jobs whose instruction set has one of that name */
    int32_t plan;     /* ACTGEN_PLAN_ESTIMATE ... */
    int32_t tier;     /* ACTGEN_TIER_BEST ... */
    uint64_t plan_limit, memory_limit;
    double time_limit;
    struct buffer plans; /* the text of --plans; empty: none */
    actgen_engine *engine;
};
/* `default_isas`: NULL for the host's, or "all". An exit code; a failure is printed and nothing is left to
 * close. */
int jobs_open(struct jobs *jobs, const struct options *options, const char *default_isas);
void jobs_close(struct jobs *jobs);
/* Refuses several kernels or instruction sets. Returns an exit code; the refusal is printed. */
int jobs_check_one(const struct jobs *jobs, const struct command *command);

/* Compiles. On failure *out is NULL, the error is printed and also in *error. */
int job_compile(actgen_kernel **out, const struct jobs *jobs, const struct job *job, actgen_error *error);

/* Whether machine code runs it here, and not the interpreter: the pointer to its function tells less, for
 * what has sums has none. */
bool is_machine_code(const actgen_kernel *kernel);

/* Whether the kernel, asked for an instruction set that it does not use, is another job's for the one that it
 * does use. */
bool job_is_repeated(const struct jobs *jobs, const struct job *job, const actgen_kernel *kernel);

/* The options that a job is compiled with; returns its spec. Planning uses all threads, shows `line` if that
 * is not NULL, and stops at an interrupt. */
const actgen_spec *job_options(actgen_options *out, const struct jobs *jobs, const struct job *job,
                               struct progress_line *line);
struct problem job_problem(const struct jobs *jobs, const struct job *job, const actgen_error *error);
/* Prints what went wrong, unless it was an interrupt; returns the exit code. */
int job_failed(const struct jobs *jobs, const struct job *job, const actgen_error *error);

/* Whether the instruction set has a core of that name, or any, for "host"; several sets may. */
bool is_core_of(const char *core_name, const char *isa);

/* The engine with the cache that the options ask for. An exit code; a failure is printed. */
int engine_open(actgen_engine **out, const struct options *options);

/* The colon in front of the kernel's name in FILE:KERNEL, or NULL. A file may have a colon in its own name.
 */
const char *kernel_colon(const char *text);

/* Splits "a,b,c" into words, NULL at the end; free the array and its first word. */
const char **split_commas(const char *text);
void split_free(const char **words);

/* limits.c: fills in the jobs' limits. An exit code; a wrong number is said. */
int choose_limits(struct jobs *jobs, const struct options *options);

#endif
