/* Kernels to machine code through LLVM's C API. The only room that includes llvm-c. */
#ifndef ACTGEN_BACKEND_H
#define ACTGEN_BACKEND_H

#include "diag.h"
#include "lane.h"
#include "target.h"

enum backend_output { BACKEND_OBJECT, BACKEND_ASSEMBLY, BACKEND_IR };

struct backend_function {
    const struct lane_kernel *kernel; /* operands and program */
    const char *symbol;
    const struct target_isa
        *isa; /* functions of one object may have different instruction sets of one triple */
};

struct backend_options {
    size_t streaming_bytes; /* operands larger than this in sum are written by streaming stores; 0 = never */
    const char *broken_op;  /* tests: the name of a lane op to emit wrongly; NULL */
};

struct backend_buffer { /* malloc'ed */
    char *data;
    size_t size;
};

/* Builds, verifies and emits. An object with an undefined symbol is an error. Thread-safe: own context, own
 * target machine. */
int backend_emit(const struct backend_function *functions, size_t count,
                 const struct backend_options *options, enum backend_output output,
                 struct backend_buffer *out, struct diag *error);
void backend_buffer_free(struct backend_buffer *b);
const char *backend_version(void); /* "LLVM 22.1.8" */

/* The process's linker for objects made by backend_emit. Locked inside. */
typedef struct backend_jit backend_jit;
typedef struct backend_code backend_code; /* one linked object */
int backend_jit_create(backend_jit **out, struct diag *error);
void backend_jit_free(backend_jit *jit); /* all code must have been freed */
/* Links `object` (copied) in a namespace of its own, so that equal symbols of different objects do not meet.
 * Host only. */
int backend_link(backend_code **out, backend_jit *jit, const struct backend_buffer *object,
                 struct diag *error);
void *backend_symbol(backend_code *code, const char *symbol, struct diag *error);
void backend_code_free(backend_code *code); /* unmaps it */

#endif
