/* Instruction sets, formats of objects, profiles and processor cores that kernels are compiled for. actgen.h
 * includes this header. */
#ifndef ACTGEN_INCLUDE_TARGET_H
#define ACTGEN_INCLUDE_TARGET_H

#include "../actgen.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- targets ---- */
/* Returns the name of instruction set i, or NULL past the end. The best sets come first. Sets that extend
 * another set come last. */
ACTGEN_API const char *actgen_isa_name(size_t i);
/* Returns the set that this set extends, or NULL if it extends none. "avx512fp16" extends "avx512". */
ACTGEN_API const char *actgen_isa_extends(const char *isa);
/* Returns 1 if this processor and system can run the set, else 0. "host" names the best set of this
 * machine. */
ACTGEN_API int actgen_isa_runs_here(const char *isa);
/* Returns the best set of this machine, or "none" if no set runs here. The environment variable ACTGEN_ISA
 * may name a set. Then the result is no better than that set. */
ACTGEN_API const char *actgen_host_isa(void);
/* Returns the architecture of a set, "x86-64" or "arm64" for example, or NULL if the set is unknown. Sets of
 * one architecture can be in one object. Only the sets of one architecture can run on this machine. For
 * "host" the function returns the architecture that this library was compiled for, even if no set of it runs
 * here. */
ACTGEN_API const char *actgen_isa_architecture(const char *isa);

/* Returns the name of format i that objects for the set can have. The usual format comes first. Returns NULL
 * past the end, or if the set is unknown. */
ACTGEN_API const char *actgen_isa_format(const char *isa, size_t i);

/* Returns the name of profile i, or NULL past the end. A profile says which operations a program may use.
 * Kernels of one profile give equal bits, except for the sign and payload of NaNs. */
ACTGEN_API const char *actgen_profile_name(size_t i);

/* A processor core that plans can be made for. Its texts are constants. */
typedef struct actgen_core {
    size_t size;        /* sizeof(actgen_core). Later versions append fields. */
    const char *name;   /* "zen5" */
    const char *isa;    /* The instruction set that its costs are for. */
    const char *source; /* The source of its costs: measurements or a scheduling model. */
    int32_t is_default; /* Non-zero: the default core of the instruction set. */
    int32_t is_here;    /* Non-zero: this processor. */
} actgen_core;
#define ACTGEN_CORE_INIT                                                                                     \
    {                                                                                                        \
        sizeof(actgen_core), NULL, NULL, NULL, 0, 0                                                          \
    }
/* Describes core i. Start from ACTGEN_CORE_INIT. The function fills at most core->size bytes, and returns
 * ACTGEN_EINVAL past the end. */
ACTGEN_API int actgen_core_info(size_t i, actgen_core *core);

#ifdef __cplusplus
}
#endif
#endif
