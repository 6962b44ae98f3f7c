/* Writing kernels as objects, headers and plan files, and showing stages. actgen.h includes this header. */
#ifndef ACTGEN_INCLUDE_WRITE_H
#define ACTGEN_INCLUDE_WRITE_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */
/* The files that actgen_emit can write. */
enum {
    ACTGEN_EMIT_OBJECT = 0, /* An object file. */
    ACTGEN_EMIT_HEADER = 1, /* The C header for the object. */
    /* A plan file: text for actgen_options.plans, here or on another machine. The kernels must have been
     * planned by times, all on one processor. The emit options have no effect on it. */
    ACTGEN_EMIT_PLANS = 2,
    /* C source: a header whose functions need no object and no library. options.style is its style. Kernels
     * are for one instruction set. Kernels with sums, random numbers or results that are no matrices are
     * refused, and so is what the style lacks. */
    ACTGEN_EMIT_C = 3,
    /* C++ source that makes the object's kernels operators of PyTorch, on the CPU. The options are those of
     * the object. Kernels without an input of shape [rows, cols], seeds and masks are refused. */
    ACTGEN_EMIT_TORCH = 4,
    /* C source that makes them operators of ONNX Runtime, with the same refusals. It includes
     * onnxruntime_c_api.h of version 1.17 or newer. */
    ACTGEN_EMIT_ORT = 5
};
enum { ACTGEN_VISIBILITY_HIDDEN = 0, ACTGEN_VISIBILITY_DEFAULT = 1 };
enum { ACTGEN_DISPATCH_POINTER = 0, ACTGEN_DISPATCH_IFUNC = 1 };

/* The arguments that functions of an object take. ROWS: rows of memory. SCALAR: there are also functions of
 * single values. VECTOR: there are also functions of vectors of values. */
enum { ACTGEN_ABI_ROWS = 0, ACTGEN_ABI_SCALAR = 1, ACTGEN_ABI_VECTOR = 2 };

/* How an object and its header are written. */
typedef struct actgen_emit_options {
    size_t size;             /* sizeof(actgen_emit_options). Later versions append fields. */
    const char *header_name; /* The file name of the header, for its include guard. NULL is "kernels.h". */
    const char *prefix;      /* The beginning of all names, a valid beginning of a C name. NULL is none. */
    /* HIDDEN: only the program or shared library that the object is linked into can call the functions. Two
     * libraries with kernels of one name each call their own.
     *
     * DEFAULT: other programs and libraries can call them as well, except <kernel>_<isa>. */
    int32_t visibility;
    /* The format of the object, one of actgen_isa_format(). NULL is the first of them. "macho" is for macOS,
     * and "coff" is for Windows with Microsoft's conventions. The header does not depend on the format. */
    const char *format;
    /* How an object for several instruction sets chooses the best set.
     *
     * POINTER: at the first call of a kernel, by what the processor and the system have. The object keeps the
     * address of the function. If the environment variable ACTGEN_ISA names a set, the object takes no better
     * one. Only elf objects look at ACTGEN_ISA. They call secure_getenv or getenv, if the program has it.
     *
     * IFUNC: when the program is loaded, as indirect functions of glibc. Only elf objects can have these.
     * They ignore ACTGEN_ISA. */
    int32_t dispatch;
    /* The style of C source, one of actgen_style_name(). NULL is "scalar". */
    const char *style;
    /* SCALAR: each kernel has also a function of values, `float gelu(float x)`. It has the kernel's name, and
     * the call with pointers is named `<kernel>_rows`.
     *
     * VECTOR: in addition, each function of values has the forms for vectors that compilers call from their
     * vectorised loops. On x86-64 these are _ZGVbN4v_gelu, _ZGVcN8v_gelu, _ZGVdN8v_gelu and _ZGVeN16v_gelu.
     * On arm64 they are _ZGVnN2v_gelu and _ZGVnN4v_gelu, and _ZGVsMxv_gelu if a kernel is for sve. The letter
     * M in place of N is the form with a mask. Operands of shape [] are `v`, and there is a second form in
     * which they are `u`. GCC's loops call these functions by the header's declaration. Only elf objects have
     * them.
     *
     * All these functions give the bits of the kernel for the set that the processor has. All operands are
     * f32, or all are f64, of any shape except [cols] and [rows]. There is one result, without
     * sums and random numbers. Other kernels are refused with ACTGEN_EINVAL, and a set or format without
     * vector functions with ACTGEN_ETARGET. */
    int32_t abi;
    /* Non-zero: the code is short. A kernel has one loop for each instruction set, for whole vectors and
     * partial ones, without streaming stores. It takes about a third of the bytes, and 1 to 1.5 times the
     * time. The bits are the same. */
    int32_t compact;
} actgen_emit_options;
#define ACTGEN_EMIT_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(actgen_emit_options), NULL, NULL, ACTGEN_VISIBILITY_HIDDEN, NULL, ACTGEN_DISPATCH_POINTER,    \
            NULL, ACTGEN_ABI_ROWS, 0                                                                         \
    }
/* Writes one object for all the kernels, or the header for it. The kernels may be for several instruction
 * sets of one architecture. `options` may be NULL. Options and kernels must be the same for the object and
 * its header.
 *
 * For each kernel the object has these functions:
 *
 * - `<kernel>(rows, cols, in..., out...)` takes a pointer for each operand of a call, `<operand>_data`.
 *   The operand `[a | b]` or `[a, b]` is named a_b there. f16 and bf16 have the C type uint16_t. e4m3, e5m2
 *   and u8 have uint8_t, and i8 has int8_t.
 * - `<kernel>_strided` has a stride after each pointer, if the operand has one: a size_t, `<operand>_stride`.
 * - `<kernel>_kernel` is an actgen_fn.
 * - `<kernel>_<isa>` is an actgen_fn for one instruction set.
 *
 * The first three call the best kernel of that name that the processor and the system can run. If only the
 * least one is left, they call it without a check.
 *
 * A name that belongs to C, POSIX or Windows gets a prefix in the first form:
 * `actgen_tanh`. Such names are functions, macros and types, names in capitals, and names that begin with an
 * underscore.
 *
 * If a kernel has sums (actgen/sums.h), each function takes a workspace after the operands, and makes the
 * whole result. Parts of the rows cannot be joined. `<kernel>_workspace(rows, cols)` in the header returns
 * its size in bytes.
 *
 * The object needs no library, and it has tables for unwinding. For a GPU (ptx) the object is a text without
 * a 0 at the end. The first three functions are entries there, and the header says how to launch them.
 *
 * The call returns ACTGEN_EINVAL if names clash, or if kernels of one name have different operands. */
ACTGEN_API int actgen_emit_with(const actgen_kernel *const *kernels, size_t count, int what,
                                const actgen_emit_options *options, actgen_write_fn write, void *payload,
                                actgen_error *error);
/* Calls actgen_emit_with with default options and the given name of the header, which may be NULL. */
ACTGEN_API int actgen_emit(const actgen_kernel *const *kernels, size_t count, int what,
                           const char *header_name, actgen_write_fn write, void *payload,
                           actgen_error *error);

/* Returns the name of style i of C source, or NULL past the end: "scalar" and others. */
ACTGEN_API const char *actgen_style_name(size_t i);
/* Returns set i for which the style has C source, or NULL past the end. A style that is for every set has
 * none. */
ACTGEN_API const char *actgen_style_isa(const char *style, size_t i);

/* The stages of a compilation, from text to machine code. */
enum {
    ACTGEN_STAGE_SPEC = 0, /* The kernel as text. */
    ACTGEN_STAGE_EXPR = 1, /* Each formula as written and simplified. */
    ACTGEN_STAGE_PLAN = 2, /* The candidates, why each lost, and the plans that won. */
    ACTGEN_STAGE_LANE = 3, /* The lane program. */
    ACTGEN_STAGE_IR = 4,   /* The code in LLVM's intermediate representation. */
    ACTGEN_STAGE_ASM = 5,  /* The code in assembly language. */
    ACTGEN_STAGE_C = 6,    /* C source: in the set's intrinsics if it has that style, else `scalar`. */
    ACTGEN_STAGE_LIBM = 7  /* The formula as a plain C loop on libm, for comparisons. */
};
/* Writes a stage of the kernel as text. */
ACTGEN_API int actgen_show(const actgen_kernel *kernel, int stage, actgen_write_fn write, void *payload,
                           actgen_error *error);

/* Writes one of the stages SPEC, EXPR, PLAN and LIBM without making machine code. It also works for kernels
 * that compiling refuses with ACTGEN_EACCURACY. Then PLAN writes the candidates and why each lost, and the
 * call returns that status. */
ACTGEN_API int actgen_explain(const actgen_spec *spec, const char *kernel, const actgen_options *options,
                              int stage, actgen_write_fn write, void *payload, actgen_error *error);

#ifdef __cplusplus
}
#endif
#endif
