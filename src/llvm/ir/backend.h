/* Kernels to objects through LLVM's C API (llvm/). No LLVM is seen here. */
#ifndef ACTGEN_BACKEND_H
#define ACTGEN_BACKEND_H

#include "diag.h"
#include "lane.h"
#include "loadable.h"
#include "loop_choice.h"
#include "progress.h"
#include "target.h"

#include <stdatomic.h>
#include <stdlib.h>

enum backend_output { BACKEND_OBJECT, BACKEND_ASSEMBLY, BACKEND_IR };

/* void symbol(size_t rows, size_t cols, const struct { void *data; size_t stride; } *operands); see actgen.h.
 * Touches nothing where rows or cols is 0, but results that are sums. */
struct backend_function {
    const struct lane_kernel *kernel; /* operands and program */
    const char *symbol;
    const struct target_isa *isa; /* functions of one object may have different ones of one triple */
    struct loop_choice loop;      /* what is not possible becomes what is nearest to it */
    /* A kernel with sums, as it is called: then `kernel` is that of its summands, whose own function is
     * <symbol>_tile, and not to be seen in objects with calls, whose functions make the whole result, with a
     * workspace behind the operands; without calls they leave what is in it to whoever joins the blocks
     * (sums.h). NULL: none. */
    const struct lane_kernel *called;
};

/* Fills in the loops that are worth timing for the function, whose own is not looked at; returns how many, at
 * most LOOP_MOST_CHOICES. The first is the one that is taken by estimate. 0 without memory. */
typedef size_t backend_loops_fn(struct loop_choice *out, const struct backend_function *function);
backend_loops_fn backend_loops;

enum backend_call_form {
    CALL_OPERANDS, /* (rows, cols, operands), as the functions themselves */
    CALL_POINTERS, /* (rows, cols, data of each group of operands ...) */
    CALL_STRIDES   /* a stride after each pointer of a group that has one (kernel_has_stride) */
};

/* A function of the object that calls the best of the kernel's functions that the processor and the system
 * have the instruction set for, and that ACTGEN_ISA in the environment allows (environment.c); the last one
 * without asking. */
struct backend_call {
    const char *symbol;
    const char *kernel; /* name of the functions' lane kernels, which have the same operands */
    enum backend_call_form form;
};

/* How an object with several instruction sets comes to the best: at the first call of a kernel, whose address
 * is then kept in a variable; or by the loader, before the program starts (glibc's indirect functions). */
enum backend_dispatch { DISPATCH_POINTER, DISPATCH_IFUNC };

/* What one call leaves for the next: LLVM's target machine, which takes a fifth of a millisecond to make.
 * Calls at the same time make their own. All zeros: nothing yet. */
struct backend_spare {
    _Atomic(void *) machine;
};
typedef void backend_spare_clear_fn(struct backend_spare *spare);
backend_spare_clear_fn backend_spare_clear;

struct backend_options {
    /* Calls whose matrices are larger than this in sum write past the caches, by streaming stores; on Intel's
     * processors, where those save nothing, what comes next is prefetched instead. Only if the rows are of
     * some length and all results lie alike in their vectors. Programs of more than 32 operations take longer
     * than memory does: they have no second loop. 0 = never, and no second loop; 1 = always, by streaming
     * stores, for all programs. */
    size_t streaming_bytes;
    /* The code is wanted soon, and run seldom: one masked vector a turn, or one whole, no second function for
     * few columns, no writing past the caches, and of LLVM's own work the least. The bits are those of any
     * other code of the program. */
    bool quick;
    struct progress *progress;   /* asked before each step: DIAG_STOPPED; NULL: nobody watches */
    struct backend_spare *spare; /* NULL: nothing is kept */
    const char *broken_op;       /* tests: the name of a lane op (not load, store) to emit wrongly; NULL */
    const char *format; /* of the object: a name of target_format_at; NULL: the instruction set's own */
    enum backend_dispatch dispatch;
    const struct backend_call *calls;
    size_t call_count;
    /* calls are visible from outside the program or shared library that the object is linked into; the
     * functions never are */
    bool exported;
};

struct backend_buffer { /* malloc'ed */
    char *data;
    size_t size;
};

/* Builds, verifies and emits; equal arguments give equal bytes. `options` may be NULL. An object with an
 * undefined symbol is an error. Thread-safe: own context, and a target machine that no other call
 * has. Fails with DIAG_INVALID
 * (lane_verify, operands that do not suit the program, equal symbols, calls of nothing), DIAG_NOT_YET (types
 * that are not usable, results other than [rows, cols]), DIAG_TARGET (a plan with fma for an instruction set
 * without, a format that it has not), DIAG_BACKEND; then out->data is NULL. Text outputs end in a 0 beyond
 * size. */
typedef int backend_emit_fn(const struct backend_function *functions, size_t count,
                            const struct backend_options *options, enum backend_output output,
                            struct backend_buffer *out, struct diag *error);
backend_emit_fn backend_emit;

static inline void backend_buffer_free(struct backend_buffer *b)
{
    free(b->data);
    *b = (struct backend_buffer){0};
}

const char *backend_version(void); /* "LLVM 22.1.8", the one that is loaded */

/* The room as a library of its own, which is loaded when something is to be compiled: most processes find
 * their kernels in a cache, and LLVM takes longer to load than all else that they do. A library of another
 * build is not used. */
struct backend {
    struct loadable self;
    backend_loops_fn *loops;
    backend_emit_fn
        *emit; /* backend_emit, for functions whose instruction sets are rows of another copy of target/ */
    backend_spare_clear_fn *spare_clear;
};
const struct loadable *backend_module(void); /* the first member of a struct backend */
extern const char backend_built_with[];      /* "LLVM 22.1.8"; written by cmake/library.cmake */

#endif
