/* The pipeline, and what goes into it. */
#ifndef ACTGEN_API_COMPILE_H
#define ACTGEN_API_COMPILE_H

#include "api.h"
#include "border.h"

struct compilation {
    actgen_engine *engine;
    const actgen_spec *spec;
    const struct spec_kernel *source; /* of the spec */
    actgen_options options;
    struct asked asked;
    uint64_t hash;      /* of `asked` */
    bool formulas_only; /* for explanations: nothing is planned */
    struct planning planning;
    struct host_planning lent;
    struct progress progress;
    actgen_kernel *kernel;
};

/* The kernel of that name, which may be NULL where there is one. */
int choose_kernel(const struct spec_kernel **out, const struct spec *s, const char *name, struct diag *error);

/* Checks what the user asks for, and fills in the defaults. `c` and `host` must outlive the compilation. */
int compilation_ask(struct compilation *c, actgen_engine *engine, const actgen_spec *spec, const char *kernel,
                    const actgen_options *options, const struct thread_state *host, struct diag *error);

/* Fills in which kernel of the spec it is, after how it is to be compiled. */
int ask_which(struct compilation *c, const actgen_spec *spec, const char *kernel, struct diag *error);

/* actgen_compile of a text, which is parsed only if neither the engine nor the disk cache has that kernel of
 * an equal one. */
int compile_source(actgen_kernel **out, actgen_engine *engine, struct spec_source source, const char *kernel,
                   const actgen_options *options, actgen_error *error);

/* The status of a compilation that has ended so: DIAG_LIMIT, with its message, if the limit of time stopped
 * it. */
int tell_limit(const struct compilation *c, int status, struct diag *error);

/* Compiles it, whatever the engine has. */
int compile_kernel(actgen_kernel **out, struct compilation *c, struct diag *error);
/* Without sharing it through the engine. */
int compile_unshared(actgen_kernel **out, struct compilation *c, struct diag *error);

/* A kernel of what is asked for, with nothing in it. */
int create_kernel(actgen_kernel **out, const struct compilation *c, struct diag *error);
/* Loads its object as code, if this machine can run it. A system where memory may not be made executable
 * leaves the interpreter. */
int link_code(actgen_kernel *k, struct diag *error);
/* Shares the new kernel through the engine, unless another thread was faster with an equal one, which is
 * returned in its place. */
actgen_kernel *publish(actgen_kernel *made);

/* The program with the plans that were taken, and the instruction set that it is compiled for: what does not
 * compute in f16 is left to the set that the one asked for extends. */
int lower_with_plans(actgen_kernel *k, struct lowering *l);

/* What lower/ is asked for the kernel, whose formulas are `spec`'s. */
struct lower_request lowering_of(const actgen_kernel *k, const struct spec *spec, struct planner planner);

#endif
