/* What the public objects are made of; shared by the files of this room only. */
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

enum { COMPILATION_MEMORY = 1 << 30 }; /* bytes; a spec may come from a stranger */

struct actgen_spec {
    char hash[HASH_TEXT_SIZE]; /* of where it is from, file name and text */
    arena *memory;
    const struct spec *parsed; /* never changed: each compilation copies its kernel out of it */
};

/* What specs are made of. */
enum spec_kind { SPEC_TEXT, SPEC_EXPRESSION, SPEC_BUILTIN, SPEC_GRADIENT };
struct spec_source {
    enum spec_kind kind;
    const char *file, *text; /* `text` is the name for SPEC_BUILTIN, the kernel's for SPEC_GRADIENT */
    size_t length;
    const char *type; /* of all operands, or NULL: as the text says */
    /* SPEC_GRADIENT's own */
    const struct spec *of;
    const char *const *inputs;
    size_t input_count;
};

/* Fills in what may be NULL, or refuses it. */
int spec_source_check(struct spec_source *source, struct diag *error);
/* The hash that the spec will have, from its text alone. */
void spec_source_hash(const struct spec_source *source, char out[HASH_TEXT_SIZE]);
/* Holds what reading a spec may take. */
struct spec_limits {
    struct progress *progress; /* NULL: nobody watches */
    uint64_t memory;           /* bytes; 0: COMPILATION_MEMORY */
};
int spec_make(actgen_spec **out, const struct spec_source *source, struct spec_limits limits,
              struct diag *error);
/* Refuses a spec with a constant part that is infinite or NaN by mistake: see check_constants.c. `progress`
 * may be NULL. */
int check_constants(const struct spec *s, struct progress *progress, struct diag *error);

/* What a compilation is asked for. Equal ones share a kernel. */
struct asked {
    const char *spec, *kernel, *accuracy; /* the spec's hash; a name of the spec; NULL is the spec's own */
    bool is_only; /* the spec has no other kernel: then `kernel` may be NULL, as long as nothing was parsed */
    const struct target_isa *isa;
    const struct target_profile *profile;
    const struct target_costs *core;
    int32_t tier; /* ACTGEN_TIER_BEST ... */
    int32_t streaming, prove;
    int32_t plan;      /* ACTGEN_PLAN_ESTIMATE ... */
    const char *plans; /* the text of a plan file; NULL: none */
    uint64_t plan_limit;
};

/* Asking the processor takes longer than finding a kernel. */
struct host {
    struct target_here here;
    const struct target_isa *isa; /* the best that is here, or that ACTGEN_ISA allows */
    bool is_misnamed;             /* ACTGEN_ISA names no set */
    const char *core;             /* NULL: unknown */
};

struct actgen_engine {
    cache *cache;                     /* of the disk; NULL: none, and why not: */
    char no_cache[DIAG_MESSAGE_SIZE]; /* else "" */
    int32_t perf;                     /* how kernels are named to profilers; 0: not */
    struct host host;
    timing_function time;           /* time_in_turn, but in tests */
    pthread_mutex_t lock;           /* of all below, and of the kernels' reference counts */
    unsigned references;            /* the user's one, and one for each kernel */
    const struct backend *backend;  /* NULL until something is compiled */
    struct backend_spare spare;     /* its own, without the lock */
    struct actgen_kernel **kernels; /* lists of them by asked_hash */
    size_t lists, kernel_count;     /* `lists` is a power of two */
};

/* What times chose for a kernel; tuning.h. */
struct tuning {
    const char *processor; /* whose times they are */
    char key[HASH_TEXT_SIZE];
    const void *record; /* NULL: estimates chose */
    size_t size;
};

struct timed_loop {          /* a row of actgen_kernel_timing */
    const struct plan *plan; /* of the piece; NULL where there is none */
    uint32_t piece;
    struct loop_choice loop;
    bool is_estimate, is_chosen;
    double ns; /* an element */
    char object_hash[HASH_TEXT_SIZE];
};

struct actgen_kernel {
    actgen_engine *engine;
    unsigned references;
    struct actgen_kernel *next; /* in the bucket */
    struct asked asked;
    uint64_t asked_hash;

    arena *memory; /* of all text and programs below */
    /* NULL, but where it was found ready in the disk cache: then it has no formulas (ready.h) */
    struct ready *ready;
    const struct spec *spec;
    const struct spec_kernel *source;
    const struct target_isa *isa;
    const struct target_profile *profile;
    const struct target_costs *core; /* that it is planned for */
    struct spec_bound bound;
    struct lane_kernel called; /* the operands as a call has them, without a program */
    /* NULL, as all below, where only the formulas were asked for; of sums, their summands */
    struct lowered *lowered;
    const char *symbol;      /* of the kernel in its own object: kernel_symbol() without a prefix */
    const char *tile_symbol; /* of `tile` below */
    const char *plan, *accuracy;
    char *backend;

    double proved_ulp,
        proved_abs;     /* by analysis, of all its functions of one f64: largest error; 0: not asked for */
    double proved_seen; /* that was met on the way */
    uint64_t proved_intervals; /* in so many blocks of inputs */
    struct loop_choice loop;   /* zeros: by estimate */
    struct tuning tuning;
    struct timed_loop *timings; /* where it was planned by times, and they were taken now */
    size_t timing_count;
    size_t streaming_bytes;
    char object_key[HASH_TEXT_SIZE]; /* of the disk cache */
    /* empty where the interpreter was asked for, and where it was found ready */
    struct backend_buffer object;
    char object_hash[HASH_TEXT_SIZE]; /* empty where the interpreter was asked for */
    loader_code *code;
    actgen_fn function; /* of a kernel with sums, with a workspace behind the operands, and without what joins
                           the blocks; */
    actgen_fn tile;     /* then that of its summands, else the same */
    double compile_ms, plan_ms;
};

uint64_t asked_hash(const struct asked *asked);
/* A kernel made before, with one more reference; NULL if there is none. The engine's lock is held. */
actgen_kernel *engine_find(actgen_engine *e, const struct asked *asked, uint64_t hash);
void engine_add(actgen_engine *e, actgen_kernel *k); /* the lock is held */

/* backend_emit() by the library that compiles, which is loaded for the first object that the engine needs.
 * DIAG_BACKEND: there is none. */
int engine_emit(actgen_engine *e, const struct backend_function *functions, size_t count,
                const struct backend_options *options, enum backend_output output, struct backend_buffer *out,
                struct diag *error);
/* Frees what the engine's calls of it have left. */
void engine_leave_backend(actgen_engine *e);
/* backend_loops; *count is at most LOOP_MOST_CHOICES. */
int engine_loops(actgen_engine *e, struct loop_choice *out, size_t *count, const struct backend_function *f,
                 struct diag *error);

/* Loads what computes with exact numbers, unless it is there: before formulas are read. All else that
 * computes with them begins with what was read. Thread-safe. DIAG_BACKEND: there is none. */
int need_numbers(struct diag *error);

/* Runs `work` with an arena of its own: DIAG_NO_MEMORY if memory runs out, DIAG_LIMIT where it takes more
 * than the limit. `*out` gets the arena on success, else NULL; it may be NULL, where the arena is needed no
 * longer. */
int with_arena(arena **out, int (*work)(arena *memory, void *context, struct diag *error), void *context,
               struct diag *error);

/* `limit` in bytes; 0: COMPILATION_MEMORY. */
int with_arena_of(arena **out, uint64_t limit, int (*work)(arena *memory, void *context, struct diag *error),
                  void *context, struct diag *error);

/* From now on who allocates from the arena asks whether to go on. NULL: nobody does. */
void watch_arena(arena *memory, struct progress *progress);

int error_return(actgen_error *out, const struct diag *d); /* copies; returns the status */

/* Whether the first member of a struct of the interface, its size, can have been set: every size that a
 * version has had is a multiple of a pointer's. A struct that nobody initialised seldom looks so. */
static inline bool size_is_set(size_t size)
{
    return size >= 2 * sizeof(void *) && size <= 4096 && size % sizeof(void *) == 0;
}

/* `given`'s members, as many as its version has, over the defaults in `out`, whose size is `size`; NULL:
 * none. `what` is what to start from, "ACTGEN_OPTIONS_INIT". */
int take_options(void *out, size_t size, const void *given, const char *what, struct diag *error);

/* For calls whose kernel must not be NULL. */
int refuse_no_kernel(actgen_error *error);

struct host find_host(void);
/* The instruction set, the profile and the core that the options ask for. Equal ones are equal pointers. */
int choose_target(struct asked *out, struct host host, const actgen_options *options, struct diag *error);

/* Candidates, and the winners with their tables; show_plan.c. */
int print_plans(struct text *out, const actgen_kernel *k, struct progress *progress, struct diag *error);

/* The kernel's results as C on libm: text in `out`. */
void print_libm_loop(struct text *out, const actgen_kernel *kernel);
/* The bound that the kernel promises for each piece: the loosest, where the default is not the same for all.
 */
struct spec_bound promised_bound(const actgen_kernel *k);
/* What the kernel's code is made of; of sums, all of them. */
struct backend_function own_function(const actgen_kernel *k);
/* How the kernel's own object is made, whose code this process runs. */
struct backend_options own_object(const actgen_kernel *k);

/* The machine code of a kernel in an object: <prefix><name>_<instruction set>. */
const char *kernel_symbol(arena *memory, const char *prefix, const actgen_kernel *kernel);

/* "2 stages of 2 vectors, constants in memory". */
enum { LOOP_TEXT_SIZE = 64 };
const char *loop_text(char out[LOOP_TEXT_SIZE], const struct loop_choice *loop);

#endif
