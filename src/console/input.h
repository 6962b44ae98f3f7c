/* Turns each WHAT of the command line into specs and compiled kernels. */
#ifndef ACTGEN_CLI_INPUT_H
#define ACTGEN_CLI_INPUT_H

#include "cli.h"
#include "diagnostics.h"
#include "file.h"
#include "progress.h"

struct source {         /* one WHAT */
    char *file;         /* for messages */
    struct buffer text; /* the text that places in errors refer to; empty for a built-in */
    bool is_file;       /* else a built-in or a formula, whose type --type gives */
    actgen_spec *spec;
    char *kernel; /* the kernel of FILE:KERNEL, or NULL for all */
};
/* Reads and parses a WHAT. `type` is the text of --type for a built-in or a formula, or NULL. Returns an exit
 * code. A failure is printed, and then there is nothing to free. */
int source_open(struct source *source, const struct what *what, const char *type);
void source_close(struct source *source);

struct job { /* one kernel for one instruction set */
    size_t source;
    const char *kernel, *isa;
};

struct jobs { /* the kernels of a command (WHAT... or --all) times the instruction sets */
    struct source *sources;
    size_t source_count;
    struct job *list;
    size_t count;
    const char **isas;      /* NULL at the end */
    const char **isa_words; /* private: the option's text, split */
    const char *accuracy;
    const char *profile;
    bool prove;
    const char *tune; /* the core, for jobs whose instruction set has a core of that name */
    int32_t plan;     /* ACTGEN_PLAN_ESTIMATE ... */
    int32_t tier;     /* ACTGEN_TIER_BEST ... */
    uint64_t plan_limit, memory_limit;
    double time_limit;
    struct buffer plans; /* the text of --plans; empty: none */
    actgen_engine *engine;
};
/* Opens the jobs. `default_isas` is NULL for the host's set, or "all". Returns an exit code. A failure is
 * printed, and then there is nothing to close. */
int jobs_open(struct jobs *jobs, const struct options *options, const char *default_isas);
void jobs_close(struct jobs *jobs);
/* Refuses several kernels or instruction sets. Returns an exit code; the refusal is printed. */
int jobs_check_one(const struct jobs *jobs, const struct command *command);

/* Compiles a job. On failure *out is NULL, and the error is printed and in *error. */
int job_compile(actgen_kernel **out, const struct jobs *jobs, const struct job *job, actgen_error *error);

/* Returns true if machine code runs the kernel here, and not the interpreter. Its function pointer does not
 * tell, because kernels with sums have none. */
bool is_machine_code(const actgen_kernel *kernel);

/* Returns true if another job has the same kernel: the kernel does not use its instruction set, and that job
 * is for the set that it uses. */
bool job_is_repeated(const struct jobs *jobs, const struct job *job, const actgen_kernel *kernel);

/* Fills in the options for compiling a job, and returns its spec. Planning uses all threads, shows `line` if
 * it is not NULL, and stops at an interrupt. */
const actgen_spec *job_options(actgen_options *out, const struct jobs *jobs, const struct job *job,
                               struct progress_line *line);
struct problem job_problem(const struct jobs *jobs, const struct job *job, const actgen_error *error);
/* Prints the error, unless it was an interrupt. Returns the exit code. */
int job_failed(const struct jobs *jobs, const struct job *job, const actgen_error *error);

/* Returns true if the instruction set has a core of that name, or any core for "host". Several sets may have
 * one. */
bool is_core_of(const char *core_name, const char *isa);

/* Finds a type that all operands of a built-in can have. Returns an exit code; a failure is printed. */
int choose_type(int *type, const char *name);

/* Makes an engine with the cache of the options. Returns an exit code; a failure is printed. */
int engine_open(actgen_engine **out, const struct options *options);

/* Returns the colon before the kernel's name in FILE:KERNEL, or NULL. The name of a file may have a colon,
 * too. */
const char *kernel_colon(const char *text);

/* Splits "a,b,c" into words, with NULL at the end. Free the result with split_free. */
const char **split_commas(const char *text);
void split_free(const char **words);

/* Fills in the limits of the jobs (limits.c). Returns an exit code; a wrong number is printed. */
int choose_limits(struct jobs *jobs, const struct options *options);

#endif
