/* The declarations that the files of the public calls share. */
#ifndef ACTGEN_API_ROOM_H
#define ACTGEN_API_ROOM_H

#include "kernel.h"
#include "work.h"

struct actgen_spec {
    /* The hash of the kind of source, the file name and the text. */
    char hash[HASH_TEXT_SIZE];
    arena *memory;
    /* Never changes. Each compilation copies its kernel out of it. */
    const struct spec *parsed;
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
/* Finds the kernel of that name. `name` may be NULL if the spec has only one kernel. */
int choose_kernel(const struct spec_kernel **out, const struct spec *s, const char *name, struct diag *error);

/* Refuses a spec with a constant part that is infinite or NaN by mistake. check_constants.c says which parts
 * are mistakes. `progress` may be NULL. */
int check_constants(const struct spec *s, struct progress *progress, struct diag *error);

/* Returns the kernel with its formulas, or NULL with *error (whole.c). The result is `k` itself unless `k`
 * was found ready. It lives as long as `k`. */
const actgen_kernel *kernel_whole(const actgen_kernel *k, struct diag *error);

struct host find_host(void);
/* Finds the instruction set, profile and core that the options ask for. Equal ones are equal pointers. */
int choose_target(struct asked *out, struct host host, const actgen_options *options, struct diag *error);

/* Prints the candidates, and the winners with their tables (show_plan.c). */
int print_plans(struct text *out, const actgen_kernel *k, struct progress *progress, struct diag *error);

/* Prints the kernel's results as a C loop on libm. */
void print_libm_loop(struct text *out, const actgen_kernel *kernel);
/* Writes a loop as text: "2 stages of 2 vectors, constants in memory". */
enum { LOOP_TEXT_SIZE = 64 };
const char *loop_text(char out[LOOP_TEXT_SIZE], const struct loop_choice *loop);

#endif
