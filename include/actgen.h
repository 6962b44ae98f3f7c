/* actgen.h - neural-network activations, from a formula to machine code.
 *
 * Threads    The library keeps no mutable state of its own outside these objects and starts no threads. An
 *            engine may be shared by threads. A spec and a kernel are immutable: calls on them may overlap.
 * Ownership  What arrives through `T **out` is yours: pass it to the matching _free, which accepts NULL. Text
 *            that you pass in is copied; text that you get lives as long as the object it is about. A kernel
 *            keeps its engine alive and needs no spec.
 * Errors     0 is success, negative is failure. On failure *out is NULL and *error, if given, says why and
 *            where: in the spec's text, or in options.accuracy if that is what is wrong. Functions that
 *            describe a kernel, spec or engine return NULL or 0 for NULL.
 *
 * Stack      A thread that calls the library needs 256 KiB of stack, also to run tasks of actgen_parallel_fn.
 * Calls that read, plan or compile check how much stack is left, and fail with ACTGEN_ENOMEM if it is too
 * little. Machine code takes a few KiB.
 *
 * State      Every call computes, prints and reads numbers to nearest, with subnormals, without traps and in
 * the locale "C", whatever the caller has set for its thread, and leaves the thread's floating-point
 *            environment (raised exceptions included) and locale as they were. Functions of the caller's are
 *            called with what the calling thread had set, also on other threads; a task that
 *            actgen_parallel_fn runs sets its own and restores its thread's.
 *
 * Machine code (actgen_kernel_fn, and actgen_run where it runs it) touches no such state: kernels promise
 * their bound under round-to-nearest with subnormals on. Otherwise results may differ, but no memory is
 * touched that is not theirs. */
#ifndef ACTGEN_H
#define ACTGEN_H

#include <stddef.h>
#include <stdint.h>

#define ACTGEN_VERSION_MAJOR 0
#define ACTGEN_VERSION_MINOR 1
#define ACTGEN_VERSION_PATCH 0
#define ACTGEN_VERSION       (ACTGEN_VERSION_MAJOR * 1000000 + ACTGEN_VERSION_MINOR * 1000 + ACTGEN_VERSION_PATCH)

#ifndef ACTGEN_API
#if defined(__GNUC__)
#define ACTGEN_API __attribute__((visibility("default")))
#else
#define ACTGEN_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct actgen_engine actgen_engine; /* owns the JIT and its caches; locked inside */
typedef struct actgen_spec actgen_spec;     /* parsed text: some kernels; immutable */
typedef struct actgen_kernel actgen_kernel; /* one compiled kernel; immutable */

enum { /* statuses; values never change meaning */
       ACTGEN_OK = 0,
       ACTGEN_ENOMEM = -1,    /* nothing made without enough memory is returned, or kept on disk */
       ACTGEN_EINVAL = -2,    /* a wrong argument */
       ACTGEN_ESYNTAX = -3,   /* the spec's text is wrong: line and column say where */
       ACTGEN_EACCURACY = -4, /* no plan keeps the bound; the message says the best that was found, why it
                                 is not enough, and the smallest bound that was found to work */
       ACTGEN_ETARGET = -5,   /* instruction set or core unknown, or not on this machine */
       ACTGEN_EBACKEND = -6,  /* LLVM refused */
       ACTGEN_EWRITE = -7,    /* the write function failed */
       ACTGEN_ENOTYET = -8,   /* part of the language, not of this version */
       ACTGEN_ESTOPPED = -9,  /* the progress function asked to stop */
       ACTGEN_ELIMIT = -10    /* a limit of options.time_limit or memory_limit was reached */
};

/* Element types. f16 is IEEE 754's binary16, bf16 the upper half of a binary32; e4m3, which saturates, and
 * e5m2 are OCP's. What becomes an integer i8 or u8 is rounded to the nearest, ties to even, and saturates;
 * NaN becomes 0. u64 is the type of seeds and offsets alone. u1 is that of masks: a bit an element, the first
 * of a row the lowest of a byte, as numpy.packbits(bitorder="little") has them; the bits behind a row's last
 * element become 0. */
enum {
    ACTGEN_F32 = 0,
    ACTGEN_F64 = 1,
    ACTGEN_F16 = 2,
    ACTGEN_BF16 = 3,
    ACTGEN_E4M3 = 4,
    ACTGEN_E5M2 = 5,
    ACTGEN_I8 = 6,
    ACTGEN_U8 = 7,
    ACTGEN_U64 = 8,
    ACTGEN_U1 = 9
};

enum {                          /* shapes of an operand */
       ACTGEN_SHAPE_MATRIX = 0, /* [rows, cols] */
       ACTGEN_SHAPE_COLS = 1,   /* one value a column */
       ACTGEN_SHAPE_ROWS = 2,   /* one value a row */
       ACTGEN_SHAPE_ONE =
           3 /* one value; or, packed, a list, c: f32[6]: the values c[0] to c[5], each one of its names */
};

enum {                               /* how the names of one operand share its rows */
       ACTGEN_LAYOUT_SEPARATE = 0,   /* one name alone */
       ACTGEN_LAYOUT_PACKED = 1,     /* [a | b]: all of a, then all of b */
       ACTGEN_LAYOUT_INTERLEAVED = 2 /* [a, b]: a[0], b[0], a[1], b[1], ... */
};

typedef struct actgen_error { /* filled by the call that failed */
    int32_t status;
    uint32_t line, column;   /* from 1; 0 = no place */
    uint32_t offset, length; /* bytes: the range that the message is about */
    char message[480];       /* always terminated */
} actgen_error;

/* An operand of a call: elements of one type, aligned to their size. `[a | b]` and `[a, b]` are one operand
 * each. `stride`: elements from one row to the next; 0 means that rows follow each other without a gap, cols
 * elements long, or cols times the number of its names. For shape [rows] it is from one value to the next, 0
 * for 1; for [cols] and [] it means nothing, but that of an offset of random numbers, u64[], is added to its
 * value. Rows of u1 begin at bytes: the stride, in elements as well, is a multiple of 8, and 0 means cols
 * rounded up to one. */
#ifndef ACTGEN_OPERAND /* generated headers have it, too */
#define ACTGEN_OPERAND
typedef struct actgen_operand {
    const void *data; /* of a result what it points to is written; const, so that inputs need no cast */
    size_t stride;
} actgen_operand;
#endif

/* Machine code of a kernel. `operands`: inputs in declared order, then results. Unchecked: what actgen_run
 * refuses must not be given to it. It allocates nothing and may run in many threads at once. */
typedef void (*actgen_fn)(size_t rows, size_t cols, const actgen_operand *operands);

/* Receives output in pieces; non-zero stops the call with ACTGEN_EWRITE. */
typedef int (*actgen_write_fn)(void *payload, const void *data, size_t size);

/* Runs task(context, i) for all i < count, in any order, on any threads, and returns when all are done. */
typedef void (*actgen_parallel_fn)(void *payload, size_t count, void (*task)(void *context, size_t i),
                                   void *context);

/* ---- the library ---- */
ACTGEN_API uint32_t actgen_version(void);            /* of the library; compare with ACTGEN_VERSION */
ACTGEN_API const char *actgen_backend_version(void); /* that it was built with: "LLVM 22.1.8" */
ACTGEN_API const char *actgen_build_id(void);        /* of the sources: other builds may make other kernels */
ACTGEN_API const char *actgen_status_name(int status);
ACTGEN_API const char *actgen_type_name(int type); /* "bf16"; NULL if there is no such type */
ACTGEN_API size_t
actgen_type_bytes(int type); /* of an element; 1 of u1, which has 8 in it; 0 if there is no such type */
/* Bytes of so many elements that follow each other, from the first one's byte on: 0 also if there is no such
 * type, or too many. */
ACTGEN_API size_t actgen_array_bytes(int type, size_t elements);
ACTGEN_API const char *actgen_isa_name(size_t i); /* best first, then those that extend one; else NULL */
ACTGEN_API const char *actgen_isa_extends(const char *isa); /* "avx512fp16": "avx512"; others: NULL */
ACTGEN_API int
actgen_isa_runs_here(const char *isa); /* 1 if this processor and system can run it; "host" can */
/* The best of this machine; no better than the set that ACTGEN_ISA in the environment names, if it names one.
 * "none" if no set runs here. */
ACTGEN_API const char *actgen_host_isa(void);
/* "x86-64", "arm64", ...: sets of one architecture can be in one object, and one of them, no more, is this
 * machine's. "host" is what this library is compiled for, whether or not a set of it runs here. NULL if
 * unknown. */
ACTGEN_API const char *actgen_isa_architecture(const char *isa);

/* The formats that objects of an instruction set can have, the usual one first; NULL past the end, or if the
 * set is unknown. */
ACTGEN_API const char *actgen_isa_format(const char *isa, size_t i);

/* Returns the name of a profile: what programs may use. Kernels of one profile give equal bits, except the
 * sign and payload of NaNs. NULL past the end. */
ACTGEN_API const char *actgen_profile_name(size_t i);

typedef struct actgen_core { /* a processor core that plans can be made for; texts are constants */
    size_t size;             /* sizeof(actgen_core): later versions append fields */
    const char *name;        /* "zen5" */
    const char *isa;         /* the instruction set that its costs are of */
    const char *source;      /* where its costs are from: measured, or a scheduling model */
    int32_t is_default;      /* of the instruction set */
    int32_t is_here;         /* this processor */
} actgen_core;
#define ACTGEN_CORE_INIT                                                                                     \
    {                                                                                                        \
        sizeof(actgen_core), NULL, NULL, NULL, 0, 0                                                          \
    }
/* Start from ACTGEN_CORE_INIT; fills no more than core->size bytes. ACTGEN_EINVAL past the end. */
ACTGEN_API int actgen_core_info(size_t i, actgen_core *core);

/* ---- specs ---- */
/* `file` is for messages only and may be NULL. */
ACTGEN_API int actgen_spec_parse(actgen_spec **out, const char *file, const char *text, size_t length,
                                 actgen_error *error);
/* A formula of x, whose kernel is "expression"; of "name = formula" it is `name`. */
ACTGEN_API int actgen_spec_expression(actgen_spec **out, const char *formula, actgen_error *error);
ACTGEN_API int actgen_spec_builtin(actgen_spec **out, const char *name, actgen_error *error);
/* Both with operands of `type`: "f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i8" or "u8"; NULL is "f32" (a
 * gate's own types are f32, too). */
ACTGEN_API int actgen_spec_expression_typed(actgen_spec **out, const char *formula, const char *type,
                                            actgen_error *error);
ACTGEN_API int actgen_spec_builtin_typed(actgen_spec **out, const char *name, const char *type,
                                         actgen_error *error);
/* A spec of `kernel`, which may be NULL if `spec` has one, and of its gradient, <kernel>_backward, by the
 * `count` inputs that `of` names, by all if `count` is 0: what `gradient` makes in the language
 * (docs/language.md, "Gradients"). */
ACTGEN_API int actgen_spec_gradient(actgen_spec **out, const actgen_spec *spec, const char *kernel,
                                    const char *const *of, size_t count, actgen_error *error);
ACTGEN_API void actgen_spec_free(actgen_spec *spec);
ACTGEN_API size_t actgen_spec_kernel_count(const actgen_spec *spec);
ACTGEN_API const char *actgen_spec_kernel_name(const actgen_spec *spec, size_t i);

typedef struct actgen_builtin {
    const char *name;
    const char *alias_of; /* NULL, or the built-in that this is another name for */
    const char *family;   /* "GELU", "gates", ... */
    const char *form;     /* "exact", "tanh", "sigmoid", "fused gate", or "" */
    const char *summary;
    const char *definition;
} actgen_builtin;
/* Calls `visit` for each built-in in order until it returns non-zero; the texts live until it returns. */
ACTGEN_API int actgen_builtins(int (*visit)(void *payload, const actgen_builtin *builtin), void *payload,
                               actgen_error *error);

/* ---- compiling ---- */
enum { /* what chooses among plans, and the form of loops: never the bits of one plan */
       ACTGEN_PLAN_ESTIMATE = 0, /* what they cost by tables */
       ACTGEN_PLAN_MEASURE = 1, /* what they take on this machine: the best candidates are timed, for seconds;
                                   the winner is kept in the engine's disk cache as this processor's */
       ACTGEN_PLAN_MEASURE_ANEW = 2 /* the same, whatever the cache and the engine have */
};

/* What runs a kernel, never its bits: the best code; code that is made in a fifth of the time or less, and is
 * slower; the interpreter, for which no code is made. */
enum { ACTGEN_TIER_BEST = 0, ACTGEN_TIER_QUICK = 1, ACTGEN_TIER_INTERPRETER = 2 };

typedef struct actgen_options {
    size_t size;     /* sizeof(actgen_options): later versions append fields */
    const char *isa; /* NULL or "host": actgen_host_isa(), as it was when the engine was made; else one of
                        actgen_isa_name() */
    const char *accuracy; /* NULL: the spec's clause; else "abs 2^-22", "3 ulp", "1 ulp on [-4, 4]". Promised
                             for each function of one value (docs/language.md, "What bounds mean") */
    int32_t interpret;    /* non-zero: as tier ACTGEN_TIER_INTERPRETER */
    int32_t streaming; /* 0: streaming stores for large operands (on Intel's processors, which gain nothing by
                             them, prefetching), but none in programs of more than 32 operations, which memory
                          does not bound; 1: streaming stores always; -1: never, and no prefetching */
    const char *tune;  /* the core whose costs choose among plans; never changes what is promised. NULL: the
                         instruction set's default; "host": this processor's, if it has figures for the
                         instruction set, else the default; else one of actgen_core_info() */
    /* A search for plans takes from milliseconds to minutes (for 0.5 ulp, all 2^32 inputs are swept). It uses
     * these threads where its work can be divided, with the same result for any number of them; NULL: the
     * caller's alone. */
    actgen_parallel_fn parallel;
    void *parallel_payload;
    /* Called while plans are searched and code is made, ten times a second or more, by one thread at a time,
     * which may be one of `parallel`: `done` is the share of what the text names, 0 to 1, or -1 where the end
     * is not known; the text is a constant. LLVM is not interrupted while it makes one function's code, a
     * second or two for the largest. Non-zero stops: the call fails soon with ACTGEN_ESTOPPED, and nothing is
     * kept. May be NULL. Not called if plans and code are found ready. */
    int (*progress)(void *payload, double done, const char *what);
    void *progress_payload;
    /* NULL: plans and code are made in this process. GMP and MPFR end a process whose memory runs out, and so
     * does LLVM, which also does it on defects of its own. For hosts that cannot accept that: the path of the
     * program `actgen` of this very build, which is run to make both and leaves them in the engine's disk
     * cache, which there must be; its death is ACTGEN_ENOMEM or ACTGEN_EBACKEND. Left in this process are
     * reading the spec, constants of formulas (small numbers of GMP and MPFR), and linking. `progress` is
     * called while the program runs, and can stop it. With `streaming` other than 0 code is made here. */
    const char *program;
    /* NULL: the instruction set's own. Else the name of one of those of actgen_profile_name(), whose plans
     * are the same for every instruction set, so that kernels give the same bits on all: "portable" where
     * there is fma, "portable-nofma" everywhere. Not together with `tune`, which chooses other plans. */
    const char *profile;
    /* ACTGEN_PLAN_*. Measuring needs an instruction set and a core (NULL: the host's) that this machine is,
     * else ACTGEN_ETARGET, and pins the calling thread to its processor while it times; `progress` is called
     * and may stop it. A plan that is measured keeps its bound like any other. */
    int32_t plan;
    /* The text of a plan file (ACTGEN_EMIT_PLANS), whose winners are taken for the kernels that it has,
     * before `plan` says what is done; NULL: none. It may come from a stranger: ACTGEN_EINVAL if it is
     * damaged or of another version, or if a plan in it does not keep the kernel's bound, of which each is
     * judged like the planner's own candidates (f64, by a sample). */
    const char *plans;
    /* Non-zero: compile only what was shown on every input. Each function of one f32 that the kernel consists
     * of is judged at all 2^32 inputs before its plan is accepted (all 65,536 of a 16-bit type are in any
     * case). Of one f64, which has 2^64, a bound is proved by analysis instead, in seconds to a minute (the
     * certificate's proved_ulp, proved_abs); ACTGEN_EACCURACY where it cannot be. The machine code of a
     * kernel of one f32 is compared with the interpreter at all inputs, too, where it can run here. Judging
     * takes ten to sixty seconds of one core for each function, once: plan and proof are kept in the cache.
     * Plans that a sample cannot tell from such as break the bound are decided, too, and may be cheaper than
     * those found without. The certificate is then `exhaustive`, and so says a header. */
    int32_t prove;
    /* ACTGEN_TIER_*: what runs the kernel, for hosts that cannot wait for the best code. Not chosen by times.
     * What actgen_emit writes is the best code, whatever it is. */
    int32_t tier;
    /* Ends each search for a plan after so many units of its work: the cheapest plan that was found to keep
     * its bound until then, else the first that is found, is taken, and says so where cheaper ones were left
     * (actgen_kernel_plan, the certificate's `plan`). A unit is about one operation on doubles while
     * candidates are judged; no time, so that every machine takes the same plan. Correct rounding has 64
     * times as many. What is found ready is taken, whatever it took. 0: no limit but the search's own end, of
     * 2^30 units. */
    uint64_t plan_limit;
    /* Ends the call after so many seconds since it began, by the clock, with ACTGEN_ELIMIT; nothing is kept
     * but the plans of functions that were done. Before code is made, which is not interrupted, its time is
     * estimated by its size, and it is not begun if it would end later. What is found ready is taken. 0: no
     * limit. For texts of strangers: the documentation's page "Specs of strangers". */
    double time_limit;
    /* Ends the call with ACTGEN_ELIMIT where formulas, plans and programs of one kernel take more bytes; 0: 1
     * GiB. LLVM takes 20 to 100 MB in addition, and more for the largest programs: limits of the system bound
     * the sum (the same page). */
    uint64_t memory_limit;
} actgen_options;
#define ACTGEN_OPTIONS_INIT                                                                                  \
    {                                                                                                        \
        sizeof(actgen_options), NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 0,   \
            0, 0.0, 0                                                                                        \
    }

/* An engine keeps plans and objects in a directory, so that the next process need not make them again. It is
 * only used if it belongs to the user and nobody else may write it, since code found there is run. Whatever
 * is wrong with it or its files costs time, and is never an error; processes may share it. */
typedef struct actgen_engine_options {
    size_t size; /* sizeof(actgen_engine_options): later versions append fields */
    const char
        *cache_directory; /* made if missing. NULL: $ACTGEN_CACHE_DIR, else $XDG_CACHE_HOME/actgen,
                             else $HOME/.cache/actgen, of which the last two folders are made, never a home;
                             "", also in $ACTGEN_CACHE_DIR: none */
    uint64_t cache_limit; /* bytes; what was longest not used is deleted first. 0: 128 MiB */
    int32_t perf_map;     /* one of ACTGEN_PERF_... (actgen(1) tells what to do with them); 0: as
                             $ACTGEN_PERF says; it, too, set to anything else but 0 is `map` */
} actgen_engine_options;
enum { ACTGEN_PERF_MAP = 1, ACTGEN_PERF_DUMP = 2, ACTGEN_PERF_GDB = 3 }; /* the last: for debuggers */
#define ACTGEN_ENGINE_OPTIONS_INIT                                                                           \
    {                                                                                                        \
        sizeof(actgen_engine_options), NULL, 0, 0                                                            \
    }

ACTGEN_API int actgen_engine_create(actgen_engine **out, actgen_error *error); /* with the defaults */
/* `options` may be NULL. */
ACTGEN_API int actgen_engine_create_with(actgen_engine **out, const actgen_engine_options *options,
                                         actgen_error *error);
/* The directory in use; NULL if there is none, and then *why_not (`why_not` may be NULL) says why. */
ACTGEN_API const char *actgen_engine_cache(const actgen_engine *engine, const char **why_not);
ACTGEN_API void actgen_engine_free(actgen_engine *engine); /* kernels made with it stay usable */

/* `kernel` may be NULL if the spec has one. `options` may be NULL. An instruction set that this machine
 * cannot run gives a kernel that runs by the interpreter and can be written to an object file. */
ACTGEN_API int actgen_compile(actgen_kernel **out, actgen_engine *engine, const actgen_spec *spec,
                              const char *kernel, const actgen_options *options, actgen_error *error);
/* Compiles a kernel of a text that need not be parsed before: where the engine has the kernel of an equal
 * text, asked for with equal options, it is found by the text's hash, and so it is where an earlier process
 * left it in the disk cache (but for kernels that are planned by times, with a limit of work or plans of a
 * file, or proved). Of the latter, what asks for formulas (actgen_kernel_certificate, actgen_interpret,
 * actgen_reference, actgen_show, actgen_verify, actgen_emit) parses and plans first, once, and may fail as
 * compiling does. The texts, `kernel` and `type` are those of actgen_spec_parse, actgen_compile,
 * actgen_spec_expression_typed and actgen_spec_builtin_typed; so are the errors. */
ACTGEN_API int actgen_compile_text(actgen_kernel **out, actgen_engine *engine, const char *file,
                                   const char *text, size_t length, const char *kernel,
                                   const actgen_options *options, actgen_error *error);
ACTGEN_API int actgen_compile_expression(actgen_kernel **out, actgen_engine *engine, const char *formula,
                                         const char *type, const actgen_options *options,
                                         actgen_error *error);
ACTGEN_API int actgen_compile_builtin(actgen_kernel **out, actgen_engine *engine, const char *name,
                                      const char *type, const actgen_options *options, actgen_error *error);
ACTGEN_API void actgen_kernel_free(actgen_kernel *kernel);

ACTGEN_API const char *actgen_kernel_name(const actgen_kernel *kernel);
ACTGEN_API actgen_fn actgen_kernel_fn(
    const actgen_kernel *kernel); /* NULL if only the interpreter can run it, and for sums (actgen/sums.h) */
ACTGEN_API const char *actgen_kernel_backend(const actgen_kernel *kernel); /* "machine code", or why not */
ACTGEN_API const char *actgen_kernel_isa(const actgen_kernel *kernel);
ACTGEN_API const char *actgen_kernel_core(const actgen_kernel *kernel); /* that it was planned for */
ACTGEN_API const char *actgen_kernel_plan(const actgen_kernel *kernel); /* one line */
/* The processor whose times chose the plans and the loop, "GenuineIntel 6 207"; else the core whose costs
 * did. */
ACTGEN_API const char *actgen_kernel_chosen_by(const actgen_kernel *kernel);
ACTGEN_API const char *
actgen_kernel_accuracy(const actgen_kernel *kernel); /* the bound it promises, "3 ulp" */
ACTGEN_API const char *actgen_kernel_object_hash(
    const actgen_kernel *kernel); /* of its object, 32 hex digits; "" if the interpreter was asked for */
ACTGEN_API double
actgen_kernel_compile_ms(const actgen_kernel *kernel); /* planning and code, as it was made */
ACTGEN_API double
actgen_kernel_plan_ms(const actgen_kernel *kernel); /* of that, the search for plans; 0 if they were ready */

/* One name of a kernel. The names of `[a | b]` and `[a, b]` are one operand of a call, as are the values of a
 * list; others are one each. */
typedef struct actgen_operand_info {
    size_t size;          /* sizeof(actgen_operand_info): later versions append fields */
    const char *name;     /* lives as long as the kernel */
    int32_t type;         /* ACTGEN_F32 ... */
    int32_t shape;        /* ACTGEN_SHAPE_MATRIX ... */
    int32_t layout;       /* ACTGEN_LAYOUT_SEPARATE ... */
    int32_t is_result;    /* else an input */
    uint32_t group;       /* which operand of a call it is in */
    uint32_t part, parts; /* which of that operand's names it is; 0 of 1 if it is alone */
} actgen_operand_info;
#define ACTGEN_OPERAND_INFO_INIT                                                                             \
    {                                                                                                        \
        sizeof(actgen_operand_info), NULL, 0, 0, 0, 0, 0, 0, 0                                               \
    }
/* Names of the kernel, inputs in declared order, then results. */
ACTGEN_API size_t actgen_kernel_operand_count(const actgen_kernel *kernel);
/* Start from ACTGEN_OPERAND_INFO_INIT; fills no more than info->size bytes. ACTGEN_EINVAL past the end. */
ACTGEN_API int actgen_kernel_operand_info(const actgen_kernel *kernel, size_t i, actgen_operand_info *info);
/* Operands that a call takes: as many as there are groups of names. */
ACTGEN_API size_t actgen_kernel_group_count(const actgen_kernel *kernel);

/* One of the plans and loops that were timed for a kernel; texts live as long as the kernel. */
typedef struct actgen_timing {
    size_t size;             /* sizeof(actgen_timing): later versions append fields */
    const char *plan;        /* its shape, "factored" */
    const char *description; /* its parameters, one line */
    uint32_t piece;  /* which function of one value it is for, from 0; those are chosen one after the other */
    uint32_t stages; /* of the loop over whole vectors: 1, or more if it is pipelined */
    uint32_t unroll; /* vectors a turn and stage */
    int32_t constants_in_memory; /* else in registers */
    int32_t is_estimate;         /* what ACTGEN_PLAN_ESTIMATE would have taken */
    int32_t is_chosen;
    double ns_per_element;   /* the least of many, in the nearest cache */
    const char *object_hash; /* of its object, 32 hex digits */
} actgen_timing;
#define ACTGEN_TIMING_INIT                                                                                   \
    {                                                                                                        \
        sizeof(actgen_timing), NULL, NULL, 0, 0, 0, 0, 0, 0, 0, NULL                                         \
    }
/* Start from ACTGEN_TIMING_INIT; fills no more than timing->size bytes. ACTGEN_EINVAL past the end: there is
 * none where this compilation timed nothing, as it found the winner ready. */
ACTGEN_API int actgen_kernel_timing(const actgen_kernel *kernel, size_t i, actgen_timing *timing);

/* What the kernel promises, by which plan, and what was measured while planning: the worst over its pieces.
 * Texts live as long as the kernel. */
typedef struct actgen_certificate {
    size_t size;                /* sizeof(actgen_certificate): later versions append fields */
    double max_ulp, max_ulp_at; /* largest error in ulps of the exact value's binade, and the input */
    double max_abs, max_abs_at; /* largest |error| / max(1, |y|) */
    uint64_t inputs;            /* so many were compared with the reference */
    uint32_t max_ulp_at_bits, max_abs_at_bits; /* the inputs as f32, rounded if they are f64 */
    int32_t exhaustive;                        /* non-zero: all 2^32 inputs of each piece, else a sample */
    int32_t is_whole; /* non-zero: the bound holds for whole results, else for each function of one value */
    const char *accuracy; /* the bound that was asked for, "3 ulp" */
    const char *plan;     /* shape and parameters, one line */
    const char *profile;  /* of the lane program: kernels of one profile give equal bits */
    uint64_t max_ulp_at_bits64, max_abs_at_bits64; /* the inputs as f64, exact for operands of every type */
    /* For functions of one f64, if options.prove was set: no error is larger than so many ulps, or, where the
     * bound is absolute, than proved_abs in place of max_abs, as an analysis of that many intervals, which
     * are all inputs, has shown. 0: measured, and no more. */
    double proved_ulp;
    uint64_t proved_intervals;
    double proved_abs;
    double proved_seen; /* the largest error that a search found where those bounds are largest */
    /* The bound as numbers: max_ulp is at most `bound`, or max_abs is where bound_is_abs is non-zero, for
     * inputs from bound_low to bound_high. */
    double bound, bound_low, bound_high;
    int32_t bound_is_abs;
} actgen_certificate;
#define ACTGEN_CERTIFICATE_INIT                                                                              \
    {                                                                                                        \
        sizeof(actgen_certificate), 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0,  \
            0                                                                                                \
    }
/* Start from ACTGEN_CERTIFICATE_INIT; fills no more than certificate->size bytes. ACTGEN_EINVAL, and nothing
 * is written, if an argument is NULL or size is none that a version of this library has had, as in a struct
 * that was not initialised. */
ACTGEN_API int actgen_kernel_certificate(const actgen_kernel *kernel, actgen_certificate *certificate);

/* ---- running ---- */
/* Checks, then runs. `count`: actgen_kernel_group_count(). ACTGEN_EINVAL, and nothing is written, for null
 * pointers, pointers that are not aligned to their element, strides below a row's width, sizes that overflow,
 * and results that overlap anything. Excepted is a result in place of an input of its type, with the same
 * stride (in elements): all of it with the same layout and the same pointer, or one part of a packed one (y
 * at &gate_up[cols] has the place of `up`); not of u1. Columns beside each other in the same rows do not
 * overlap. No pointer is looked at if rows or cols is 0. */
ACTGEN_API int actgen_run(const actgen_kernel *kernel, size_t rows, size_t cols,
                          const actgen_operand *operands, size_t count, actgen_error *error);
/* Computes the rows of that call from first_row to first_row + row_count - 1, so that threads of the caller
 * can share it: each checks all of it, which takes no longer for more rows. */
ACTGEN_API int actgen_run_rows(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows,
                               size_t cols, const actgen_operand *operands, size_t count,
                               actgen_error *error);
/* Prepares such a call by actgen_kernel_fn: out[0] to out[group_count - 1] are the operands of a call that
 * begins at row `row` of one with `operands`. Those of shape [cols] and [] stay. Unchecked. `out` may be
 * `operands`. */
ACTGEN_API void actgen_operands_at_row(const actgen_kernel *kernel, size_t row, size_t cols,
                                       const actgen_operand *operands, actgen_operand *out);
/* Runs the kernel by the interpreter. Results have the bits of its machine code, except the sign and payload
 * of a NaN. */
ACTGEN_API int actgen_interpret(const actgen_kernel *kernel, size_t rows, size_t cols,
                                const actgen_operand *operands, size_t count, actgen_error *error);
/* The true value of result `result` at one input a double each, rounded to the nearest double. */
ACTGEN_API int actgen_reference(const actgen_kernel *kernel, size_t result, const double *inputs,
                                double *value, actgen_error *error);

#ifdef __cplusplus
}
#endif

#include "actgen/sums.h"
#include "actgen/verify.h"
#include "actgen/write.h"
#endif
