/* The public objects' structs, shared by the files of this room only. */
#ifndef ACTGEN_API_ROOM_H
#define ACTGEN_API_ROOM_H

#include "actgen.h"
#include "backend.h"
#include "cache.h"
#include "hash.h"
#include "loader.h"
#include "lower.h"
#include "perf.h"
#include "store.h"
#include "sums.h"
#include "timing.h"

#include <pthread.h>

/* The most bytes that one compilation may take by default. A spec may come from a stranger. */
enum { COMPILATION_MEMORY = 1 << 30 };

struct actgen_spec {
    /* The hash of the kind of source, the file name and the text. */
    char hash[HASH_TEXT_SIZE];
    arena *memory;
    /* Never changes. Each compilation copies its kernel out of it. */
    const struct spec *parsed;
};

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

/* Replaces members that are NULL by their defaults, or refuses them. */
int spec_source_check(struct spec_source *source, struct diag *error);
/* Computes the hash that the spec will have. Needs only the text. */
void spec_source_hash(const struct spec_source *source, char out[HASH_TEXT_SIZE]);
/* The limits of reading a spec. */
struct spec_limits {
    struct progress *progress; /* May be NULL. */
    uint64_t memory;           /* In bytes. 0: COMPILATION_MEMORY. */
};
int spec_make(actgen_spec **out, const struct spec_source *source, struct spec_limits limits,
              struct diag *error);
/* Refuses a spec with a constant part that is infinite or NaN by mistake. check_constants.c says which parts
 * are mistakes. `progress` may be NULL. */
int check_constants(const struct spec *s, struct progress *progress, struct diag *error);

/* The request of a compilation. Compilations with equal requests share a kernel. */
struct asked {
    /* The hash of the spec, a name in the spec, and the bound. A NULL `accuracy` is the bound in the spec. */
    const char *spec, *kernel, *accuracy;
    /* The spec has no other kernel. Then `kernel` may be NULL, as long as the text was not parsed. */
    bool is_only;
    const struct target_isa *isa;
    const struct target_profile *profile;
    const struct target_costs *core;
    int32_t tier; /* ACTGEN_TIER_* */
    int32_t streaming, prove;
    int32_t plan;      /* ACTGEN_PLAN_* */
    const char *plans; /* The text of a plan file, or NULL. */
    uint64_t plan_limit;
};

/* The facts about this machine. They are kept because asking the processor takes longer than finding a
 * kernel. */
struct host {
    struct target_here here;
    const struct target_isa *isa; /* The best set that runs here and that ACTGEN_ISA allows. */
    bool is_misnamed;             /* ACTGEN_ISA names no set. */
    const char *core;             /* NULL: unknown. */
};

struct actgen_engine {
    cache *cache;                     /* The disk cache, or NULL. */
    char no_cache[DIAG_MESSAGE_SIZE]; /* The reason for no cache, or "". */
    int32_t perf; /* ACTGEN_PERF_*: how profilers get the names of kernels. 0: not at all. */
    struct host host;
    timing_function time; /* time_in_turn, except in tests. */
    /* Guards all members below, and the kernels' reference counts. */
    pthread_mutex_t lock;
    unsigned references;            /* One for the user, and one for each kernel. */
    const struct backend *backend;  /* NULL until something is compiled. */
    struct backend_spare spare;     /* Has its own synchronisation. */
    struct actgen_kernel **kernels; /* Lists of kernels, by asked_hash. */
    size_t lists, kernel_count;     /* The number of lists is a power of two. */
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
    /* NULL, except for a kernel that was found ready in the disk cache. Such a kernel has no formulas
     * (ready.h). */
    struct ready *ready;
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

uint64_t asked_hash(const struct asked *asked);
/* Returns an existing kernel with one more reference, or NULL. The caller holds the engine's lock. */
actgen_kernel *engine_find(actgen_engine *e, const struct asked *asked, uint64_t hash);
/* Adds a kernel. The caller holds the engine's lock. */
void engine_add(actgen_engine *e, actgen_kernel *k);

/* Calls backend_emit() of the library that compiles. The first call loads the library. Fails with
 * DIAG_BACKEND if there is no such library. */
int engine_emit(actgen_engine *e, const struct backend_function *functions, size_t count,
                const struct backend_options *options, enum backend_output output, struct backend_buffer *out,
                struct diag *error);
/* Frees the backend objects that the engine's calls left for later calls. */
void engine_leave_backend(actgen_engine *e);
/* Calls backend_loops(). *count becomes at most LOOP_MOST_CHOICES. */
int engine_loops(actgen_engine *e, struct loop_choice *out, size_t *count, const struct backend_function *f,
                 struct diag *error);

/* Loads the library that computes with exact numbers, unless it is loaded. Calls that read formulas need it
 * first. All other exact computations follow such a call. Thread-safe. DIAG_BACKEND: there is no such
 * library. */
int need_numbers(struct diag *error);

/* Calls `work` with an arena of its own. On success *out gets the arena, else NULL. `out` may be NULL, which
 * frees the arena. DIAG_NO_MEMORY: memory ran out. DIAG_LIMIT: `work` needed more than the limit. */
int with_arena(arena **out, int (*work)(arena *memory, void *context, struct diag *error), void *context,
               struct diag *error);

/* Does the same with a limit in bytes. 0: COMPILATION_MEMORY. */
int with_arena_of(arena **out, uint64_t limit, int (*work)(arena *memory, void *context, struct diag *error),
                  void *context, struct diag *error);

/* Makes each allocation from the arena ask `progress` whether to go on. NULL: they do not ask. */
void watch_arena(arena *memory, struct progress *progress);

/* Copies the error to the caller and returns its status. */
int error_return(actgen_error *out, const struct diag *d);

/* Returns true if `size`, the first member of a public struct, can have been set. Every size that a version
 * has had is a multiple of a pointer's size. An uninitialised struct rarely looks like that. */
static inline bool size_is_set(size_t size)
{
    return size >= 2 * sizeof(void *) && size <= 4096 && size % sizeof(void *) == 0;
}

/* Copies the members that the caller's version has from `given` over the defaults in `out`, which has `size`
 * bytes. A NULL `given` changes nothing. `what` names the initialiser for the message:
 * "ACTGEN_OPTIONS_INIT". */
int take_options(void *out, size_t size, const void *given, const char *what, struct diag *error);

/* Returns the error of a call whose kernel is NULL. */
int refuse_no_kernel(actgen_error *error);

struct host find_host(void);
/* Finds the instruction set, profile and core that the options ask for. Equal ones are equal pointers. */
int choose_target(struct asked *out, struct host host, const actgen_options *options, struct diag *error);

/* Prints the candidates, and the winners with their tables (show_plan.c). */
int print_plans(struct text *out, const actgen_kernel *k, struct progress *progress, struct diag *error);

/* Prints the kernel's results as a C loop on libm. */
void print_libm_loop(struct text *out, const actgen_kernel *kernel);
/* Returns the bound that the kernel promises for each piece. If the default differs between pieces, it is the
 * loosest. */
struct spec_bound promised_bound(const actgen_kernel *k);
/* Returns the backend's description of the kernel, with all its sums. */
struct backend_function own_function(const actgen_kernel *k);
/* Returns the options for the kernel's own object, whose code this process runs. */
struct backend_options own_object(const actgen_kernel *k);

/* Returns the name of a kernel's function in an object: <prefix><name>_<instruction set>. */
const char *kernel_symbol(arena *memory, const char *prefix, const actgen_kernel *kernel);

/* Writes a loop as text: "2 stages of 2 vectors, constants in memory". */
enum { LOOP_TEXT_SIZE = 64 };
const char *loop_text(char out[LOOP_TEXT_SIZE], const struct loop_choice *loop);

#endif
