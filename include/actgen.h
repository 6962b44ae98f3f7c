/* actgen.h - neural-network activations, from a formula to machine code.
 *
 * A program makes an engine, parses a spec, compiles a kernel of the spec and runs the kernel on its arrays.
 * The matching calls are actgen_engine_create, actgen_spec_parse, actgen_compile and actgen_run.
 *
 * Threads    The library starts no threads, and keeps no mutable state outside the objects below. Threads may
 *            share an engine. A spec and a kernel are immutable, so calls on them may overlap.
 *
 * Ownership  The caller owns what it gets through `T **out`, and passes it to the matching _free function.
 *            Each _free function accepts NULL. The library copies the text that it is given. Text that the
 *            library returns lives as long as the object that it describes. A kernel keeps its engine alive.
 *            A kernel does not need its spec any more.
 *
 * Errors     A call returns 0 for success and a negative status for failure. On failure *out is NULL. If
 *            `error` is not NULL, *error says what is wrong and where: in the spec's text, or in
 *            options.accuracy if the mistake is there. Functions that describe a kernel, spec or engine
 *            return NULL or 0 if that argument is NULL.
 *
 * Stack      A thread that calls the library needs 256 KiB of stack, and so does a thread that runs tasks of
 *            actgen_parallel_fn. Calls that read, plan or compile check the stack that is left, and return
 *            ACTGEN_ENOMEM if it is too small. Machine code needs only a few KiB.
 *
 * State      Every call works with rounding to nearest, subnormals on, traps off and the locale "C". It does
 *            not matter what the caller has set for its thread. Before a call returns, it restores the
 *            thread's locale and floating-point environment, including the flags of raised exceptions.
 *            The caller's functions run under the state of the calling thread, also on other threads.
 *            A task that actgen_parallel_fn runs sets the library's state, and restores its thread's state
 *            at the end.
 *
 * Callbacks  The caller's functions return to the library. No exception and no longjmp may leave them,
 * because the memory of the call would be lost, and another thread could wait for its kernel for ever. Keep
 *            the exception, return a value other than 0, and throw it again after the call.
 *
 * Signals    The function of actgen_kernel_fn allocates nothing, keeps no state and makes no system call. It
 *            may run in a signal handler, in a child after fork, and under a filter of system calls. No other
 *            function may run in a handler. A callback may call fork if the child calls nothing else.
 *
 * Machine code does not touch this state, whether actgen_run or the caller runs it. A kernel keeps its bound
 * under round-to-nearest with subnormals on. In another state its results may differ, but it still accesses
 * no other memory than its operands. */
#ifndef ACTGEN_H
#define ACTGEN_H

#include <stddef.h>
#include <stdint.h>

#define ACTGEN_VERSION_MAJOR 0
#define ACTGEN_VERSION_MINOR 1
#define ACTGEN_VERSION_PATCH 0

#define ACTGEN_VERSION (ACTGEN_VERSION_MAJOR * 1000000 + ACTGEN_VERSION_MINOR * 1000 + ACTGEN_VERSION_PATCH)

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

typedef struct actgen_engine actgen_engine; /* The JIT compiler and its caches, with a lock of its own. */
typedef struct actgen_spec actgen_spec;     /* A parsed text with some kernels. Immutable. */
typedef struct actgen_kernel actgen_kernel; /* A compiled kernel. Immutable. */

/* Statuses. A value never changes its meaning. */
enum {
    ACTGEN_OK = 0,
    /* Memory ran out. The call returns nothing that it made without enough memory, and keeps none on disk. */
    ACTGEN_ENOMEM = -1,
    ACTGEN_EINVAL = -2,  /* An argument is wrong. */
    ACTGEN_ESYNTAX = -3, /* The spec's text is wrong. The error's line and column say where. */
    /* No plan keeps the bound. The message says the best error that was found, why it is not enough, and the
     * smallest bound that was found to work. */
    ACTGEN_EACCURACY = -4,
    ACTGEN_ETARGET = -5,  /* The instruction set or core is unknown, or is not on this machine. */
    ACTGEN_EBACKEND = -6, /* LLVM failed. */
    ACTGEN_EWRITE = -7,   /* The write function failed. */
    ACTGEN_ENOTYET = -8,  /* The language has this, but this version does not support it. */
    ACTGEN_ESTOPPED = -9, /* The progress function asked to stop. */
    ACTGEN_ELIMIT = -10   /* A limit was reached: options.time_limit or options.memory_limit. */
};

/* Element types.
 *
 * - f16 is binary16 of IEEE 754. bf16 is the upper half of a binary32.
 * - e4m3 and e5m2 are the 8-bit formats of OCP. A result of type e4m3 saturates.
 * - A result of type i8 or u8 is rounded to the nearest integer, ties to even, and saturates. NaN becomes 0.
 * - u64 is only for seeds and offsets of random numbers, and for numbers of first rows.
 * - u1 is the type of masks, with one bit per element. The first element of a row is the lowest bit of a
 *   byte, as in numpy.packbits(bitorder="little"). The bits after the last element of a row become 0.
 * - i32 is the type of accumulators. Only inputs have it. Formulas see the f32 nearest to each integer, which
 *   is exact up to 2^24.
 * - e8m0 is the type of scales of OCP's MX formats: powers of two from 2^-127 to 2^127, and NaN. A result
 *   becomes the largest of these that is not above its magnitude. Infinity becomes NaN.
 * - e2m1 is the 4-bit format of OCP's MX formats: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives. A result of
 *   this type saturates, and NaN becomes 6. i4 has the integers from -8 to 7, and is rounded as i8 is.
 * - Two elements of e2m1 or i4 share a byte. The even one is in the low half. Each row begins at a byte, and
 *   the half after a last odd element becomes 0. */
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
    ACTGEN_U1 = 9,
    ACTGEN_I32 = 10,
    ACTGEN_E8M0 = 11,
    ACTGEN_E2M1 = 12,
    ACTGEN_I4 = 13
};

/* Shapes of an operand. */
enum {
    ACTGEN_SHAPE_MATRIX = 0, /* [rows, cols] */
    ACTGEN_SHAPE_COLS = 1,   /* One value per column. */
    ACTGEN_SHAPE_ROWS = 2,   /* One value per row. */
    /* One value for all elements. With ACTGEN_LAYOUT_PACKED it is a list: the names of `c: f32[6]` are its
     * values, c[0] to c[5]. */
    ACTGEN_SHAPE_ONE = 3
};

/* Layouts: how the names of one operand share its rows. */
enum {
    ACTGEN_LAYOUT_SEPARATE = 0,   /* The operand has one name. */
    ACTGEN_LAYOUT_PACKED = 1,     /* `[a | b]`: all of a, then all of b. */
    ACTGEN_LAYOUT_INTERLEAVED = 2 /* `[a, b]`: a[0], b[0], a[1], b[1], ... */
};

/* An error that the failing call filled in. */
typedef struct actgen_error {
    int32_t status;
    uint32_t line, column;   /* They count from 1. 0 means that the error has no place. */
    uint32_t offset, length; /* The range that the message is about, in bytes of the text. */
    char message[480];       /* Always ends with a 0. */
} actgen_error;

/* An operand of a call: an array of elements of one type, aligned to the size of an element. `[a | b]` and
 * `[a, b]` are one operand each.
 *
 * `stride` is the number of elements from one row to the next. 0 means that rows follow each other without a
 * gap. A row then has cols elements, or cols times the number of names in the operand.
 *
 * - For shape [rows] the stride is the distance from one value to the next, and 0 means 1.
 * - For shapes [cols] and [] the stride has no meaning, with one exception: the stride of a u64[] offset of
 *   random numbers, or number of the first row, is added to its value.
 * - For u1, e2m1 and i4 each row begins at a byte. The stride counts elements and is a multiple of the
 * elements of a byte, 8 or 2. 0 means cols rounded up to such a multiple.
 *
 * `data` is const so that inputs need no cast. A call writes to the data of a result. */
#ifndef ACTGEN_OPERAND /* Generated headers define it as well. */
#define ACTGEN_OPERAND
typedef struct actgen_operand {
    const void *data;
    size_t stride;
} actgen_operand;
#endif

/* The machine code of a kernel. `operands` are the inputs in declared order, then the results.
 *
 * The code checks nothing. The caller must not pass what actgen_run would refuse. The code allocates nothing
 * and may run in many threads at once. */
typedef void (*actgen_fn)(size_t rows, size_t cols, const actgen_operand *operands);

/* Receives output in pieces. A result other than 0 ends the call with ACTGEN_EWRITE. */
typedef int (*actgen_write_fn)(void *payload, const void *data, size_t size);

/* Runs task(context, i) for all i < count, in any order and on any threads. Returns when all are done. */
typedef void (*actgen_parallel_fn)(void *payload, size_t count, void (*task)(void *context, size_t i),
                                   void *context);

/* ---- the library ---- */
/* Returns the version of the library, to compare with ACTGEN_VERSION. */
ACTGEN_API uint32_t actgen_version(void);
/* Returns the version of LLVM that the library was built with: "LLVM 22.1.8". */
ACTGEN_API const char *actgen_backend_version(void);
/* Returns a hash of the library's sources. Another build may make other kernels. */
ACTGEN_API const char *actgen_build_id(void);
/* Returns a status in words: "out of memory". */
ACTGEN_API const char *actgen_status_name(int status);
/* Returns the name of an element type: "bf16". Returns NULL if there is no such type. */
ACTGEN_API const char *actgen_type_name(int type);
/* Returns the bytes of one element, or 0 if there is no such type. The result is 1 for u1,
 * e2m1 and i4, although a byte has 8 or 2 elements. */
ACTGEN_API size_t actgen_type_bytes(int type);
/* Returns the bytes of `elements` elements that follow each other, beginning at a byte. Returns 0 if there is
 * no such type or if the bytes overflow. */
ACTGEN_API size_t actgen_array_bytes(int type, size_t elements);

/* ---- specs ---- */
/* Parses `length` bytes of text in the language of docs/language.md. `file` is only for messages and may be
 * NULL. */
ACTGEN_API int actgen_spec_parse(actgen_spec **out, const char *file, const char *text, size_t length,
                                 actgen_error *error);
/* Parses a formula of x into a spec with one f32 kernel. The kernel's name is "expression", or the name in
 * front of an equals sign: `name = formula`. */
ACTGEN_API int actgen_spec_expression(actgen_spec **out, const char *formula, actgen_error *error);
/* Makes the spec of a built-in activation or gate, "gelu" for example. */
ACTGEN_API int actgen_spec_builtin(actgen_spec **out, const char *name, actgen_error *error);
/* Do the same for operands of `type`: "f64", "f32", "f16", "bf16", "e4m3", "e5m2", "i8" or "u8". NULL means
 * "f32", which is also the type of a gate's operands by default. */
ACTGEN_API int actgen_spec_expression_typed(actgen_spec **out, const char *formula, const char *type,
                                            actgen_error *error);
ACTGEN_API int actgen_spec_builtin_typed(actgen_spec **out, const char *name, const char *type,
                                         actgen_error *error);
/* Makes a spec of two kernels: `kernel` and its gradient, <kernel>_backward, as `gradient` does in the
 * language (docs/language.md, "Gradients"). `kernel` may be NULL if `spec` has only one. The gradient is
 * taken with respect to the `count` inputs that `of` names, or to all inputs if `count` is 0. */
ACTGEN_API int actgen_spec_gradient(actgen_spec **out, const actgen_spec *spec, const char *kernel,
                                    const char *const *of, size_t count, actgen_error *error);
/* Frees the spec. Kernels that were compiled from it stay usable. */
ACTGEN_API void actgen_spec_free(actgen_spec *spec);
/* Returns the number of kernels in the spec. */
ACTGEN_API size_t actgen_spec_kernel_count(const actgen_spec *spec);
/* Returns the name of kernel i, or NULL past the end. */
ACTGEN_API const char *actgen_spec_kernel_name(const actgen_spec *spec, size_t i);

/* A built-in activation or gate. */
typedef struct actgen_builtin {
    const char *name;
    const char *alias_of;   /* The built-in that this is another name for, or NULL. */
    const char *family;     /* "GELU", "gates", ... */
    const char *form;       /* "exact", "tanh", "sigmoid", "fused gate", or "" */
    const char *summary;    /* Its description for readers, or "". */
    const char *definition; /* Its text in the language. */
} actgen_builtin;
/* Calls `visit` for each built-in in order, until `visit` returns non-zero. The texts live until `visit`
 * returns. */
ACTGEN_API int actgen_builtins(int (*visit)(void *payload, const actgen_builtin *builtin), void *payload,
                               actgen_error *error);

/* ---- compiling ---- */
/* The ways to choose among plans and forms of loops. The choice never changes the bits of one plan. */
enum {
    ACTGEN_PLAN_ESTIMATE = 0, /* Tables of costs choose. */
    /* Times on this machine choose. The best candidates are timed for seconds. The engine keeps the winner in
     * its disk cache, for this processor. */
    ACTGEN_PLAN_MEASURE = 1,
    ACTGEN_PLAN_MEASURE_ANEW = 2 /* Times choose, even if the cache or the engine has a winner. */
};

/* The ways to run a kernel. The choice never changes its bits. */
enum {
    ACTGEN_TIER_BEST = 0,       /* The best code. */
    ACTGEN_TIER_QUICK = 1,      /* Slower code that is made in at most a fifth of the time. */
    ACTGEN_TIER_INTERPRETER = 2 /* The interpreter. No code is made. */
};

/* How a kernel is compiled. */
typedef struct actgen_options {
    size_t size; /* sizeof(actgen_options). Later versions append fields. */
    /* The instruction set, one of actgen_isa_name(). NULL or "host" is the result that actgen_host_isa() had
     * when the engine was made. */
    const char *isa;
    /* The bound, "abs 2^-22", "3 ulp" or "1 ulp on [-4, 4]" for example. NULL is the clause in the spec. The
     * kernel promises the bound for each function of one value (docs/language.md, "What bounds mean"). */
    const char *accuracy;
    int32_t interpret; /* Non-zero: the same as ACTGEN_TIER_INTERPRETER in `tier`. */
    /* -1, 0 or 1: how results are stored.
     *
     * - 0 uses streaming stores for large operands, except in programs of more than 32 operations (48 for
     *   two inputs and a result of f32), which memory does not limit. Intel's processors gain nothing from
     *   streaming stores alone. There the code prefetches instead. With AVX-512 it does both on Sapphire
     *   Rapids and the two generations after it, in programs of up to twice as many operations.
     * - 1 always uses streaming stores.
     * - -1 uses neither streaming stores nor prefetching. */
    int32_t streaming;
    /* The core whose costs choose among plans, one of actgen_core_info(). It never changes what is promised.
     * NULL is the default core of the instruction set. "host" is this processor, if it has costs for the
     * instruction set, else the default core. */
    const char *tune;
    /* Threads for the search of a plan. A search takes milliseconds to minutes. (For 0.5 ulp it tries all
     * 2^32 inputs.) The result is the same for any number of threads. NULL is the caller's thread only. */
    actgen_parallel_fn parallel;
    void *parallel_payload;
    /* Called ten times a second or more while plans are searched and code is made. One thread at a time calls
     * it, which may be a thread of `parallel`. `what` names the current work and is a constant. `done` is the
     * share of that work that is done, 0 to 1, or -1 if the end is not known.
     *
     * A result other than 0 stops the call, which soon fails with ACTGEN_ESTOPPED and keeps nothing. LLVM is
     * not interrupted while it makes the code of one function, which takes a second or two for the largest.
     *
     * NULL means no function. The function is not called if plans and code are found ready. */
    int (*progress)(void *payload, double done, const char *what);
    void *progress_payload;
    /* The path of the program `actgen` of this very build, or NULL. The program makes plans and code in
     * another process and leaves them in the engine's disk cache, which must exist. NULL makes them in this
     * process.
     *
     * This option is for hosts that must not crash. GMP, MPFR and FLINT abort a process that runs out of
     * memory. So does LLVM, which also aborts on internal errors. If the program dies, the call returns
     * ACTGEN_ENOMEM or ACTGEN_EBACKEND.
     *
     * This process still reads the spec, computes the constants of formulas (small numbers of GMP, MPFR and
     * FLINT) and links the code. With `streaming` other than 0 it also makes the code. `progress` is called
     * while the program runs, and can stop it. */
    const char *program;
    /* The profile, one of actgen_profile_name(), or NULL for the instruction set's own. A named profile has
     * the same plans for every instruction set, so its kernels give the same bits on all of them. "portable"
     * needs an instruction set with fma, "portable-nofma" runs everywhere. `tune` must be NULL then, because
     * it chooses other plans. */
    const char *profile;
    /* ACTGEN_PLAN_*. Measuring needs the instruction set and the core of this machine, else the call returns
     * ACTGEN_ETARGET. A NULL `tune` means "host" then. While it measures, the library pins the calling thread
     * to its processor, and `progress` is called and may stop it. A plan that was measured keeps its bound
     * like any other plan. */
    int32_t plan;
    /* The text of a plan file (ACTGEN_EMIT_PLANS), or NULL. Kernels that the file has take their plans from
     * it. `plan` applies to the other kernels.
     *
     * The file may come from a stranger. The planner judges each plan as it judges its own candidates (f64 by
     * a sample). The call returns ACTGEN_EINVAL if a plan does not keep the kernel's bound, or if the file is
     * damaged or of another version. */
    const char *plans;
    /* Non-zero: the kernel must be shown to keep its bound on every input.
     *
     * - A plan for a function of one f32 is tried on all 2^32 inputs before the planner accepts it. This
     *   takes ten to sixty seconds of one core per function. (Plans for a 16-bit type are always tried on
     *   all 65,536 inputs.)
     * - The bound for a function of one f64 is proved by analysis, in seconds to a minute. The certificate
     *   has it in proved_ulp or proved_abs. The call returns ACTGEN_EACCURACY if there is no proof.
     * - The machine code of a kernel of one f32 is compared with the interpreter on all inputs, if the code
     *   can run here.
     *
     * The cache keeps plans and proofs. A sample by itself cannot decide about some plans that are close to
     * the bound. This option decides about them as well, so the result may be cheaper than without it. The
     * certificate and the header say that the kernel was tried on all inputs (`exhaustive`). */
    int32_t prove;
    /* ACTGEN_TIER_*: what runs the kernel, for hosts that cannot wait for the best code. A quick kernel and
     * an interpreted kernel cannot be planned by times. actgen_emit always writes the best code. */
    int32_t tier;
    /* The most work for each search of a plan, in units of about one operation on doubles. It is not a time,
     * so every machine takes the same plan. Correct rounding has 64 times as many units. 0 is no limit other
     * than the end of the search itself, at 2^30 units.
     *
     * At the limit the planner takes the cheapest plan that was found to keep its bound. If there is none
     * yet, it takes the first that it finds. actgen_kernel_plan and the certificate's `plan` then say whether
     * cheaper candidates were left. A plan that is found ready is taken, whatever its search took. */
    uint64_t plan_limit;
    /* The most seconds for the call, by the clock. The call then fails with ACTGEN_ELIMIT. It keeps only the
     * plans of functions that were done. 0 is no limit.
     *
     * Making code is not interrupted. The library estimates its time from its size, and does not begin if it
     * would end too late. Code that is found ready is used. This option is for specs that come from
     * strangers: see the documentation's page "Specs from strangers". */
    double time_limit;
    /* The most bytes for the formulas, plans and programs of one kernel. The call then fails with
     * ACTGEN_ELIMIT. 0 is 1 GiB. LLVM takes 20 to 100 MB in addition, and more for the largest programs.
     * Limits of the operating system bound the sum (see the same page). */
    uint64_t memory_limit;
} actgen_options;
#define ACTGEN_OPTIONS_INIT                                                                                  \
    {                                                                                                        \
        sizeof(actgen_options), NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0, 0,   \
            0, 0.0, 0                                                                                        \
    }

/* How an engine is made.
 *
 * An engine keeps plans and objects in a directory, so that the next process need not make them again. The
 * engine runs code that it finds there. Therefore it uses the directory only if the directory belongs to the
 * user and nobody else may write to it. A bad directory or file costs time, but is never an error. Processes
 * may share a directory. */
typedef struct actgen_engine_options {
    size_t size; /* sizeof(actgen_engine_options). Later versions append fields. */
    /* The directory, which is made if it is missing. "" is no directory.
     *
     * NULL is $ACTGEN_CACHE_DIR, where "" also means no directory. Without that variable it is
     * $XDG_CACHE_HOME/actgen, else $HOME/.cache/actgen. The engine makes the last two folders of these paths,
     * but never a home directory. */
    const char *cache_directory;
    uint64_t
        cache_limit; /* In bytes. The files that were used least recently are deleted first. 0 is 128 MiB. */
    /* How code is named to profilers and debuggers, one of ACTGEN_PERF_*. actgen(1) says how to use them. 0
     * is what $ACTGEN_PERF says: `map`, `dump` or `gdb`. Any other text, except "" and "0", means `map`. */
    int32_t perf_map;
} actgen_engine_options;
enum {
    ACTGEN_PERF_MAP = 1,  /* A line per function in /tmp/perf-<process>.map. */
    ACTGEN_PERF_DUMP = 2, /* The code itself, in the format of `perf inject --jit`. */
    ACTGEN_PERF_GDB = 3   /* Debuggers get the whole object. */
};
#define ACTGEN_ENGINE_OPTIONS_INIT                                                                           \
    {                                                                                                        \
        sizeof(actgen_engine_options), NULL, 0, 0                                                            \
    }

/* Makes an engine with the default options. */
ACTGEN_API int actgen_engine_create(actgen_engine **out, actgen_error *error);
/* Makes an engine. `options` may be NULL, which means the defaults. */
ACTGEN_API int actgen_engine_create_with(actgen_engine **out, const actgen_engine_options *options,
                                         actgen_error *error);
/* Returns the cache directory in use, or NULL if there is none. Then *why_not says why. `why_not` may be
 * NULL. */
ACTGEN_API const char *actgen_engine_cache(const actgen_engine *engine, const char **why_not);
/* Frees the engine. Kernels that were made with it stay usable. */
ACTGEN_API void actgen_engine_free(actgen_engine *engine);

/* Compiles a kernel of a spec. `kernel` may be NULL if the spec has only one. `options` may be NULL. If this
 * machine cannot run the instruction set, the interpreter runs the kernel, and actgen_emit can still write
 * its object. */
ACTGEN_API int actgen_compile(actgen_kernel **out, actgen_engine *engine, const actgen_spec *spec,
                              const char *kernel, const actgen_options *options, actgen_error *error);
/* Compile a kernel from a text, a formula or the name of a built-in. The arguments and errors are those of
 * actgen_spec_parse, actgen_spec_expression_typed, actgen_spec_builtin_typed and actgen_compile.
 *
 * These calls skip parsing if a kernel of an equal text with equal options is ready. The engine finds such a
 * kernel by the hash of the text, in its memory or in the disk cache of an earlier process. The disk cache
 * has no kernels that were proved, planned by times, or compiled with plan_limit or plans.
 *
 * A kernel from the disk cache has no formulas. The first call that needs them parses and plans the text
 * once, and may fail as compiling does. Such calls are actgen_kernel_certificate, actgen_interpret,
 * actgen_reference, actgen_show, actgen_verify and actgen_emit. */
ACTGEN_API int actgen_compile_text(actgen_kernel **out, actgen_engine *engine, const char *file,
                                   const char *text, size_t length, const char *kernel,
                                   const actgen_options *options, actgen_error *error);
ACTGEN_API int actgen_compile_expression(actgen_kernel **out, actgen_engine *engine, const char *formula,
                                         const char *type, const actgen_options *options,
                                         actgen_error *error);
ACTGEN_API int actgen_compile_builtin(actgen_kernel **out, actgen_engine *engine, const char *name,
                                      const char *type, const actgen_options *options, actgen_error *error);
/* Frees the kernel. Its machine code and its texts must not be used afterwards. */
ACTGEN_API void actgen_kernel_free(actgen_kernel *kernel);

/* ---- running ---- */
/* Returns the number of operands of a call. */
ACTGEN_API size_t actgen_kernel_group_count(const actgen_kernel *kernel);
/* Returns the machine code of the kernel. Returns NULL if only the interpreter can run the kernel, and for
 * kernels with sums (actgen/sums.h). */
ACTGEN_API actgen_fn actgen_kernel_fn(const actgen_kernel *kernel);
/* Checks the operands, then runs the kernel. `count` is actgen_kernel_group_count(). The time of the checks
 * does not depend on rows or cols.
 *
 * The call returns ACTGEN_EINVAL and writes nothing for any of these faults:
 *
 * - A pointer is NULL or not aligned to its element.
 * - A stride is smaller than the width of a row.
 * - A size overflows.
 * - A result overlaps another operand.
 *
 * A result may take the place of a matrix input of the same type and stride, except u1, e2m1 and i4. Both
 * have the same pointer and layout, or the result is exactly one part of a packed input: y at &gate_up[cols]
 * takes the place of `up`. Different columns of the same rows do not overlap.
 *
 * If rows or cols is 0, the call looks at no pointer, except for results that are sums. */
ACTGEN_API int actgen_run(const actgen_kernel *kernel, size_t rows, size_t cols,
                          const actgen_operand *operands, size_t count, actgen_error *error);
/* Computes row_count rows of such a call, beginning at first_row, so that threads can share the call. Each
 * part checks the operands of the whole call. If 16 rows share an element of an input, parts begin at
 * multiples of 16 rows. */
ACTGEN_API int actgen_run_rows(const actgen_kernel *kernel, size_t first_row, size_t row_count, size_t rows,
                               size_t cols, const actgen_operand *operands, size_t count,
                               actgen_error *error);
/* Computes the operands of a call of actgen_kernel_fn that begins at row `row` of a call with `operands`. It
 * writes one operand per group to `out`. Operands of shape [cols] and [] stay as they are, except that
 * offsets of random numbers and numbers of first rows move with the rows. The function checks nothing: rows
 * that share an element of an input belong to one part. `out` may be `operands`. */
ACTGEN_API void actgen_operands_at_row(const actgen_kernel *kernel, size_t row, size_t cols,
                                       const actgen_operand *operands, actgen_operand *out);
/* Runs the kernel by the interpreter. Results have the bits of the machine code, except for the sign and
 * payload of a NaN. */
ACTGEN_API int actgen_interpret(const actgen_kernel *kernel, size_t rows, size_t cols,
                                const actgen_operand *operands, size_t count, actgen_error *error);

#ifdef __cplusplus
}
#endif

#include "actgen/kernel.h"
#include "actgen/sums.h"
#include "actgen/target.h"
#include "actgen/verify.h"
#include "actgen/write.h"
#endif
