/* Kernels as files: objects and headers, and the stages of a compilation as text. It is a part of actgen.h,
 * which includes it. */
#ifndef ACTGEN_INCLUDE_WRITE_H
#define ACTGEN_INCLUDE_WRITE_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- writing ---- */
enum {
    ACTGEN_EMIT_OBJECT = 0,
    ACTGEN_EMIT_HEADER = 1,
    ACTGEN_EMIT_PLANS = 2 /* the plan file of kernels that were planned by times, of one processor: text, for
                                actgen_options.plans here and elsewhere; the options do not matter to it */
};
enum { ACTGEN_VISIBILITY_HIDDEN = 0, ACTGEN_VISIBILITY_DEFAULT = 1 };
enum { ACTGEN_DISPATCH_POINTER = 0, ACTGEN_DISPATCH_IFUNC = 1 };

typedef struct actgen_emit_options {
    size_t size;             /* sizeof(actgen_emit_options): later versions append fields */
    const char *header_name; /* the header's file name, for its guard; NULL: "kernels.h" */
    const char *prefix;      /* what all names begin with, the beginning of a C name; NULL: nothing */
    /* HIDDEN: the functions can be called in the program or shared library that the object is linked into
     * only, so that two libraries with kernels of one name each call their own. DEFAULT: also from outside
     * it, all but <kernel>_<isa>. */
    int32_t visibility;
    /* the object's: "elf", "macho", "coff" or another of actgen_isa_format(); NULL: the first of them. A
     * "macho" is for macOS, a "coff" for Windows (Microsoft's conventions); of the header nothing depends on
     * it. */
    const char *format;
    /* How an object for several instruction sets comes to the best of them. POINTER: at the first call of a
     * kernel, by what the processor and the system have, and no better than the set that ACTGEN_ISA in the
     * environment names, if it names one (objects of the format elf: they call secure_getenv, or getenv,
     * where the program has it); the function's address is kept. IFUNC: by the loader, as indirect functions
     * of glibc, formats elf only; it does not look at ACTGEN_ISA. */
    int32_t dispatch;
} actgen_emit_options;
#define ACTGEN_EMIT_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(actgen_emit_options), NULL, NULL, ACTGEN_VISIBILITY_HIDDEN, NULL, ACTGEN_DISPATCH_POINTER     \
    }
/* One object, or the header for it, of all the kernels, which may be for several instruction sets. For each
 * name of a kernel the object has these functions, which call the best of the kernels of that name that the
 * processor and the system can run (the least one without asking): <kernel>(rows, cols, in..., out...)  a
 * pointer for each operand of a call: of f16 and bf16 to uint16_t, of e4m3, e5m2 and u8 to uint8_t, of i8 to
 * int8_t. The name of `[a | b]` and `[a, b]` is a_b <kernel>_strided                     the same with a
 * stride (size_t) after each pointer whose operand has one <kernel>_kernel                      an actgen_fn
 *     <kernel>_<isa>                       an actgen_fn, of that instruction set
 * Where a kernel has sums (actgen/sums.h), each takes a workspace behind the operands, whose size in bytes
 * the header's <kernel>_workspace(rows, cols) returns, and makes the whole result; parts of the rows cannot
 * be joined. Kernels whose name belongs to C, POSIX or Windows (a function's, such as tanh, a macro's, a
 * type's, one in capitals, one that begins with an underscore) are actgen_<kernel> in the first form.
 * Parameters are <operand>_data and <operand>_stride. The object needs no library; it has tables for
 * unwinding. `options` may be NULL; it and the kernels must be the same for both files. ACTGEN_EINVAL for
 * names that clash and kernels of one name whose operands differ. For a GPU (ptx) the object is a text,
 * without a 0 behind it, in which the first three of these are entries; the header says how they are
 * launched. */
ACTGEN_API int actgen_emit_with(const actgen_kernel *const *kernels, size_t count, int what,
                                const actgen_emit_options *options, actgen_write_fn write, void *payload,
                                actgen_error *error);
/* Calls actgen_emit_with with the defaults and that name of the header, which may be NULL. */
ACTGEN_API int actgen_emit(const actgen_kernel *const *kernels, size_t count, int what,
                           const char *header_name, actgen_write_fn write, void *payload,
                           actgen_error *error);

enum { /* stages, from text to machine code */
       ACTGEN_STAGE_SPEC = 0,
       ACTGEN_STAGE_EXPR = 1,
       ACTGEN_STAGE_PLAN = 2,
       ACTGEN_STAGE_LANE = 3,
       ACTGEN_STAGE_IR = 4,
       ACTGEN_STAGE_ASM = 5,
       ACTGEN_STAGE_C = 6 /* the formula as a plain C loop on libm */
};
ACTGEN_API int actgen_show(const actgen_kernel *kernel, int stage, actgen_write_fn write, void *payload,
                           actgen_error *error);

/* The stages SPEC, EXPR, PLAN and C without machine code. What is refused (ACTGEN_EACCURACY) can be
 * looked at, too: PLAN then writes the candidates and why each lost, before the call returns that status. */
ACTGEN_API int actgen_explain(const actgen_spec *spec, const char *kernel, const actgen_options *options,
                              int stage, actgen_write_fn write, void *payload, actgen_error *error);

#ifdef __cplusplus
}
#endif
#endif
