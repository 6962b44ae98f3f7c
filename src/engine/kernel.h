/* Kernels: what is kept of a compilation, and how a kernel becomes code that can be called. */
#ifndef ACTGEN_KERNEL_H
#define ACTGEN_KERNEL_H

#include "asked.h"
#include "engine.h"
#include "loader.h"
#include "lower.h"

/* The sources that a spec can be made of. */
enum spec_kind { SPEC_TEXT, SPEC_EXPRESSION, SPEC_BUILTIN, SPEC_GRADIENT };
struct spec_source {
    enum spec_kind kind;
    /* `text` is the name of a built-in for SPEC_BUILTIN, and the name of a kernel for SPEC_GRADIENT. */
    const char *file, *text;
    size_t length;
    const char *type; /* The type of all operands. NULL: as the text says. */
    /* Only SPEC_GRADIENT has these: the spec that has the kernel, and the inputs to differentiate by. */
    const struct spec *of;
    const char *const *inputs;
    size_t input_count;
};

/* The additional data of a kernel that was found ready (records/ready.h). */
struct ready {
    struct spec_source source;
    /* The kernel with formulas, or NULL until they are needed. The engine's lock guards it. */
    actgen_kernel *whole;
};

/* The function of one value, as code of its own. Zeros until it is asked for. The engine's lock guards it. */
struct scalar_code {
    loader_code *code;
    actgen_scalar_fn function;
};

/* The result of timing a kernel. tuning.h describes the record. */
struct tuning {
    const char *processor; /* The processor that was timed. */
    char key[HASH_TEXT_SIZE];
    const void *record; /* NULL: costs chose, not times. */
    size_t size;
};

/* A row of actgen_kernel_timing. */
struct timed_loop {
    const struct plan *plan; /* The plan of the piece. NULL: the kernel has no piece. */
    uint32_t piece;
    struct loop_choice loop;
    bool is_estimate, is_chosen;
    double ns; /* Nanoseconds per element. */
    char object_hash[HASH_TEXT_SIZE];
};

struct actgen_kernel {
    actgen_engine *engine;
    unsigned references;
    struct actgen_kernel *next; /* The next kernel in the list of the engine. */
    struct asked asked;
    uint64_t asked_hash;

    arena *memory; /* Holds all text and programs below. */
    /* NULL, except for a kernel that was found ready in the disk cache. Such a kernel has no formulas. */
    struct ready *ready;
    struct scalar_code *scalar;
    const struct spec *spec;
    const struct spec_kernel *source;
    const struct target_isa *isa;
    const struct target_profile *profile;
    const struct target_costs *core; /* The core that the kernel is planned for. */
    struct spec_bound bound;
    struct lane_kernel called; /* The operands as a call has them, without a program. */
    /* The lane program. For a kernel with sums it computes the summands. NULL, as are all members below, if
     * only the formulas were asked for. */
    struct lowered *lowered;
    /* The name of the kernel's function in its own object: kernel_symbol() without a prefix. */
    const char *symbol;
    const char *tile_symbol; /* The name of `tile`. */
    const char *plan, *accuracy;
    char *backend;

    /* The largest error that analysis proved for the functions of one f64. 0: no proof was asked for. */
    double proved_ulp, proved_abs;
    double proved_seen;        /* The largest error that the search met. */
    uint64_t proved_intervals; /* The number of intervals of inputs in the proof. */
    struct loop_choice loop;   /* Zeros: the backend estimates. */
    struct tuning tuning;
    struct timed_loop *timings; /* Rows of times, if this compilation took any. */
    size_t timing_count;
    size_t streaming_bytes;
    char object_key[HASH_TEXT_SIZE]; /* The key of the object in the disk cache. */
    /* Empty for the interpreter and for a kernel that was found ready. */
    struct backend_buffer object;
    char object_hash[HASH_TEXT_SIZE]; /* Empty for the interpreter. */
    loader_code *code;
    /* The machine code. For a kernel with sums it takes a workspace after the operands, and does not join the
     * blocks. */
    actgen_fn function;
    actgen_fn tile; /* The code of the summands for a kernel with sums, else `function`. */
    double compile_ms, plan_ms;
};

/* Returns an existing kernel with one more reference, or NULL (shared.c, like the next one). The caller holds
 * the engine's lock. */
actgen_kernel *engine_find(actgen_engine *e, const struct asked *asked, uint64_t hash);
/* Shares the new kernel through the engine and returns it. If another thread has shared an equal kernel
 * before, the function frees the new one and returns the other. */
actgen_kernel *kernel_publish(actgen_kernel *made);

/* Makes an empty kernel for the request. */
int kernel_create(actgen_kernel **out, actgen_engine *engine, const struct asked *asked, struct diag *error);
/* Makes the lane program from the plans that were taken, and sets the instruction set of its code. A program
 * without f16 arithmetic is compiled for the set that the requested set extends. A program whose bound has
 * `flush` is compiled for the set that flushes, if there is one. */
int kernel_lower(actgen_kernel *k, struct lowering *l);
/* Loads the object as code if this machine can run it. If the system forbids to make memory executable, the
 * interpreter remains. */
int kernel_link(actgen_kernel *k, struct diag *error);

/* Returns the bound that the kernel promises for each piece. If the default differs between pieces, it is the
 * loosest. */
struct spec_bound promised_bound(const actgen_kernel *k);
/* Returns the core whose forms of loops the kernel's own code takes. It is the core of this processor if that
 * runs the code, else the core that the kernel is planned for. */
const struct target_costs *core_of_loops(const actgen_kernel *k);
/* Returns the backend's description of the kernel, with all its sums. */
struct backend_function own_function(const actgen_kernel *k);
/* Returns the options for the kernel's own object, whose code this process runs. */
struct backend_options own_object(const actgen_kernel *k);

/* Returns the name of a kernel's function in an object: <prefix><name>_<instruction set>. */
const char *kernel_symbol(arena *memory, const char *prefix, const actgen_kernel *kernel);

/* Returns the measured properties of a kernel with formulas. Its size is not set (certificate.c). */
actgen_certificate kernel_certificate(const actgen_kernel *k);

#endif
