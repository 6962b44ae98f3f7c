/* Compiles kernels into objects through LLVM's C API (llvm/). This header does not show LLVM. */
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

/* A function to compile. Its declaration in C (see actgen.h):
 *
 *     void symbol(size_t rows, size_t cols, const struct { void *data; size_t stride; } *operands);
 *
 * If rows or cols is 0, the function touches nothing except results that are sums. */
struct backend_function {
    const struct lane_kernel *kernel; /* its operands and its program */
    const char *symbol;
    const struct target_isa *isa; /* may differ between the functions of an object, but the triple may not */
    struct loop_choice loop;      /* if impossible, the nearest possible loop is taken */
    /* The kernel as its callers see it, if it has sums (sums.h); otherwise NULL. Then `kernel` is the kernel
     * of the summands. Its own function is named <symbol>_tile, and is hidden in objects with calls. In these
     * objects, the functions make the whole result, and take a workspace after the operands. In objects
     * without calls, they leave the sums of the blocks in the workspace, and their caller joins the
     * blocks. */
    const struct lane_kernel *called;
    /* The function that calls this one, if this one is a pass that may add up its totals. Otherwise NULL. */
    const struct backend_function *caller;
    /* The core whose forms of loops are taken if `loop` leaves them to the estimate. NULL: the default core
     * of the instruction set. */
    const struct target_costs *core;
};

/* Lists the loops that are worth timing for the function, and ignores function->loop. Returns how many there
 * are, at most LOOP_MOST_CHOICES, or 0 without memory. The first loop is the one that the estimate
 * chooses. */
typedef size_t backend_loops_fn(struct loop_choice *out, const struct backend_function *function);
backend_loops_fn backend_loops;

enum backend_call_form {
    CALL_OPERANDS, /* (rows, cols, operands), the form of the functions themselves */
    CALL_POINTERS, /* (rows, cols, data of each group of operands ...) */
    CALL_STRIDES,  /* as CALL_POINTERS, with a stride after each pointer of a group that has a stride
                      (kernel_has_stride) */
    CALL_VALUES    /* takes values and returns the result: struct backend_values */
};

/* How a CALL_VALUES takes the inputs of a kernel: as one value each, or as vectors by a vector function
 * ABI. */
struct backend_values {
    const struct target_vector_abi *abi; /* NULL: one value each */
    bool masked;     /* the last argument is a mask; lanes that are off may return any value */
    bool is_uniform; /* an operand that is one value for all elements stays one value */
    bool zeroed;     /* lanes that are off may compute with zeros, which cause no exception */
};

/* A function of the object that calls the best function of the kernel. The best is the first whose
 * instruction set the processor and the system have and ACTGEN_ISA in the environment allows (environment.c).
 * If none is, the call takes the last function without asking. */
struct backend_call {
    const char *symbol;
    const char *kernel; /* name of the lane kernels of the functions; they have the same operands */
    enum backend_call_form form;
    struct backend_values values; /* of a CALL_VALUES */
};

/* How an object with several instruction sets chooses the best. DISPATCH_POINTER: at the first call of a
 * kernel, which then keeps the address in a variable. DISPATCH_IFUNC: by the loader, before the program
 * starts (glibc's indirect functions). */
enum backend_dispatch { DISPATCH_POINTER, DISPATCH_IFUNC };

/* LLVM's target machine, which one call leaves for the next, because it takes a fifth of a millisecond to
 * make. Calls at the same time make their own. All zeros: nothing is kept yet. */
struct backend_spare {
    _Atomic(void *) machine;
};
typedef void backend_spare_clear_fn(struct backend_spare *spare);
backend_spare_clear_fn backend_spare_clear;

struct backend_options {
    /* The size in bytes above which a call counts as large: the sum of its matrices. Large calls write past
     * the caches, by streaming stores. On Intel's processors, where streaming stores alone save nothing, they
     * prefetch the next data instead, or as well (target_costs.stream_ahead). They do so only if the rows
     * have some length and all results have the same alignment. A program of more than four operations for
     * each byte of an element's operands, and at least 32, takes longer than memory does, and has no second
     * loop. On cores that do both the limit is twice that. 0: never, and no second loop. 1: always, by
     * streaming stores, for all programs. */
    size_t streaming_bytes;
    /* The code is wanted soon and runs seldom. It has one vector per turn, masked or whole, no second
     * function for few columns and no streaming stores, and LLVM does the least work. Its results have the
     * same bits as any other code of the program. */
    bool quick;
    /* The code is to be short. Each kernel is one function with one vector per turn, as for `quick`, but LLVM
     * does its usual work. Whole and partial vectors have one loop, unless the program is short itself.
     * Functions with equal code are one function, which has all their names. */
    bool compact;
    struct progress *progress;   /* asked before each step, and may stop with DIAG_STOPPED; may be NULL */
    struct backend_spare *spare; /* NULL: no machine is kept */
    const char *broken_op;       /* for tests: a lane op (not load or store) to emit wrongly; or NULL */
    /* The format of the object, a name of target_format_at(). NULL: the instruction set's own. */
    const char *format;
    enum backend_dispatch dispatch;
    const struct backend_call *calls;
    size_t call_count;
    bool values_only; /* the object has only calls, each of them a CALL_VALUES */
    /* The calls are visible outside the program or shared library into which the object is linked. The
     * functions never are. */
    bool exported;
};

/* Returns true if each kernel is one function with the shortest loops. */
static inline bool backend_has_short_loops(const struct backend_options *o) { return o->quick || o->compact; }

struct backend_buffer { /* from malloc */
    char *data;
    size_t size;
};

/* Builds, verifies and emits the functions. Equal arguments give equal bytes. `options` may be NULL. An
 * object with an undefined symbol is an error. Thread-safe: each call has its own context and a target
 * machine that no other call uses.
 *
 * Errors, after which out->data is NULL:
 *    DIAG_INVALID  lane_verify() fails, operands do not suit the program, symbols are equal, or a call has no
 *                  function
 *    DIAG_NOT_YET  types that are not usable, or results that are not [rows, cols]
 *    DIAG_TARGET   the instruction set lacks fma that the plan needs, or lacks the format
 *    DIAG_BACKEND  LLVM failed
 *
 * Texts end in a 0 that `size` does not count. */
typedef int backend_emit_fn(const struct backend_function *functions, size_t count,
                            const struct backend_options *options, enum backend_output output,
                            struct backend_buffer *out, struct diag *error);
backend_emit_fn backend_emit;

static inline void backend_buffer_free(struct backend_buffer *b)
{
    free(b->data);
    *b = (struct backend_buffer){0};
}

const char *backend_version(void); /* the LLVM that is loaded: "LLVM 22.1.8" */

/* The room as a library that is loaded when something must be compiled. Most processes find their kernels in
 * a cache, and loading LLVM takes longer than everything else that they do. A library of another build is not
 * used. */
struct backend {
    struct loadable self;
    backend_loops_fn *loops;
    /* backend_emit() for functions whose instruction sets are rows of another copy of target/. */
    backend_emit_fn *emit;
    backend_spare_clear_fn *spare_clear;
};
const struct loadable *backend_module(void); /* the first member of a struct backend */
extern const char backend_built_with[];      /* "LLVM 22.1.8", written by cmake/library.cmake */

#endif
