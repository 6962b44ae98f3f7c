/* Prints a lane program as C: a function of one vector, and a kernel over rows.
 *
 * This room is the third reader of lane programs, beside interp/ and llvm/. The compiled text gives the bits
 * of the other two. A style is a table of texts, one for each operation. */
#ifndef ACTGEN_SOURCE_H
#define ACTGEN_SOURCE_H

#include "lane.h"

struct source_style;

/* Returns style i, or NULL past the end. Styles of one name are for different sets. */
const struct source_style *source_style_at(size_t i);
/* Returns the style's name, and the set that it is for, or NULL if it is for all. */
const char *source_style_name(const struct source_style *s);
const char *source_style_isa(const struct source_style *s);
/* Returns the endings of the names of functions of one vector, for a comment: "_ps or _pd". */
const char *source_style_endings(const struct source_style *s);
/* Returns true if the style reads a table faster than it computes in f32. A function of a byte then is one.
 */
bool source_style_has_tables(const struct source_style *s);
/* Finds the style of that name for the instruction set. Otherwise returns NULL, with a message that says what
 * there is. */
const struct source_style *source_style_find(const char *name, const struct target_isa *isa,
                                             struct diag *error);

/* Returns the style of the set's intrinsics, or else the style for all sets and compilers. */
const struct source_style *source_style_of(const struct target_isa *isa);

/* The names of a kernel in its file. */
struct source_names {
    const char *value;   /* The function of one vector. The style's own ending follows. */
    const char *tables;  /* The beginning of the names of tables. */
    const char *kernel;  /* The kernel over rows that follow each other. */
    const char *strided; /* The kernel over rows with strides. */
};

struct source_file;
struct source_file *source_file_new(arena *memory, const struct source_style *s);
/* Adds a kernel. `summands` is the kernel whose passes make the summands of its totals, if it has any.
 * `comment` is C, and stands before its functions. Returns DIAG_TARGET or DIAG_INVALID if the style or the
 * form cannot have the kernel. The message then says what can. */
int source_file_add(struct source_file *f, const struct lane_kernel *kernel,
                    const struct lane_kernel *summands, struct source_names names, const char *comment,
                    struct diag *error);
/* Prints the text of all kernels, without comment and guard. */
void source_file_print(struct text *out, const struct source_file *f);
/* Returns the name of the function of one vector. */
const char *source_value_name(arena *memory, const struct source_style *s, const struct lane_kernel *kernel,
                              const char *value);

/* Returns the name of the function of several vectors, which some kernels have. */
const char *source_many_name(arena *memory, const struct source_style *s, const struct lane_kernel *kernel,
                             const char *value);

#endif
