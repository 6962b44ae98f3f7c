/* What the public objects are made of; shared by the files of this room only. */
#ifndef ACTGEN_API_ROOM_H
#define ACTGEN_API_ROOM_H

#include "actgen.h"
#include "backend.h"
#include "hash.h"
#include "lower.h"

#include <pthread.h>

enum { COMPILATION_MEMORY = 1 << 30 }; /* bytes; a spec may come from a stranger */

enum spec_source { SOURCE_FILE, SOURCE_EXPRESSION, SOURCE_BUILTIN };

/* The text is kept and parsed anew by each compilation, because compiling adds nodes to the formulas' DAG
 * and a spec is immutable; parsing takes a fraction of a millisecond. */
struct actgen_spec {
    enum spec_source source;
    char *file, *text; /* `text` is the name for SOURCE_BUILTIN */
    size_t length;
    char hash[HASH_TEXT_SIZE]; /* of source, file name and text */
    arena *memory;
    const struct spec *parsed;
};

struct actgen_engine {
    pthread_mutex_t lock; /* of all below, and of the kernels' reference counts */
    unsigned references;  /* the user's one, and one for each kernel */
    backend_jit *jit;     /* made for the first kernel that runs here */
    struct actgen_kernel *kernels;
};

struct actgen_kernel {
    actgen_engine *engine;
    unsigned references;
    struct actgen_kernel *next;
    char *key; /* equal compilations have equal keys and share the kernel */

    arena *memory; /* of all text and programs below */
    const struct spec *spec;
    const struct spec_kernel *source;
    const struct target_isa *isa;
    struct spec_bound bound;
    const struct lowered *lowered;
    const char *symbol; /* of the kernel in its own object: <name>_kernel */
    const char *plan, *accuracy, *search_log;
    char *backend;

    size_t streaming_bytes;
    struct backend_buffer object;
    char object_hash[HASH_TEXT_SIZE];
    backend_code *code;
    actgen_fn function;
    double compile_ms;
};

/* Runs `work` with an arena of its own: DIAG_NO_MEMORY if memory runs out. `*out` gets the arena on
 * success, else NULL. */
int with_arena(arena **out, int (*work)(arena *memory, void *context, struct diag *error), void *context,
               struct diag *error);

int error_return(actgen_error *out, const struct diag *d); /* copies; gives the status */

int spec_source_parse(struct spec **out, arena *memory, const struct actgen_spec *spec, struct diag *error);

struct compilation {
    const actgen_spec *spec;
    const char *name; /* of the kernel, or NULL */
    const char *accuracy;
    actgen_kernel *kernel; /* whose isa is set */
    bool parse_only;       /* stop when spec, source and bound are known */
};
/* All stages up to the lane program, in the compilation's arena; `context` is a struct compilation. After a
 * refusal the kernel's spec, source and search log are set. */
int compile_program(arena *memory, void *context, struct diag *error);

/* `given` checked, with the defaults for what it leaves open. */
int options_read(actgen_options *out, const actgen_options *given, struct diag *error);
int options_isa(const struct target_isa **out, const char *name, struct diag *error);

/* A stage before code generation; DIAG_INVALID for others. */
int print_stage(struct text *out, arena *memory, const actgen_kernel *kernel, int stage, struct diag *error);

/* The kernel's results as C on libm: text in `out`. */
void print_libm_loop(struct text *out, const actgen_kernel *kernel);
/* The header for an object of these kernels. */
void print_header(struct text *out, const actgen_kernel *const *kernels, size_t count, const char *file_name);
/* Whether the kernel's name stands for several instruction sets among `kernels`. */
bool is_dispatched(const actgen_kernel *kernel, const actgen_kernel *const *kernels, size_t count);
/* The symbol of a kernel in an object of `kernels`: <name>_kernel, or <name>_<instruction set> if it is
 * dispatched. */
const char *kernel_symbol(arena *memory, const actgen_kernel *kernel, const actgen_kernel *const *kernels,
                          size_t count);

#endif
