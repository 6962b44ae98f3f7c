/* The pipeline and its input. */
#ifndef ACTGEN_API_COMPILE_H
#define ACTGEN_API_COMPILE_H

#include "api.h"
#include "border.h"
#include "store.h"

struct compilation {
    actgen_engine *engine;
    const actgen_spec *spec;
    const struct spec_kernel *source; /* The kernel in the spec. */
    actgen_options options;
    struct asked asked;
    uint64_t hash;      /* The hash of `asked`. */
    bool formulas_only; /* For explanations: nothing is planned. */
    struct planning planning;
    struct host_planning lent;
    struct progress progress;
    actgen_kernel *kernel;
};

/* Checks the options and fills in the defaults. `c` and `host` must outlive the compilation. */
int compilation_ask(struct compilation *c, actgen_engine *engine, const actgen_spec *spec, const char *kernel,
                    const actgen_options *options, const struct thread_state *host, struct diag *error);

/* Fills in the kernel of the spec, after ask_how has filled in the options. */
int ask_which(struct compilation *c, const actgen_spec *spec, const char *kernel, struct diag *error);

/* Compiles a text. It parses the text only if neither the engine nor the disk cache has a kernel of an equal
 * text. */
int compile_source(actgen_kernel **out, actgen_engine *engine, struct spec_source source, const char *kernel,
                   const actgen_options *options, actgen_error *error);

/* Returns the status of a compilation that ended with `status`. If the limit of time stopped it, the result
 * is DIAG_LIMIT with a message. */
int tell_limit(const struct compilation *c, int status, struct diag *error);

/* Compiles the kernel without looking for it in the engine. */
int compile_kernel(actgen_kernel **out, struct compilation *c, struct diag *error);
/* Does the same, but does not share the kernel through the engine. */
int compile_unshared(actgen_kernel **out, struct compilation *c, struct diag *error);

/* Returns the request to lower/ for the kernel, with the formulas of `spec`. */
struct lower_request lowering_of(const actgen_kernel *k, const struct spec *spec, struct planner planner);

#endif
