/* The extended shape: a formula in double words, with polynomials around the roots where its parts cancel. It is the dearest,
 * and keeps what no other does: of f64, and of f32 where f64 arithmetic is not enough. */
#ifndef ACTGEN_EXTENDED_SHAPE_H
#define ACTGEN_EXTENDED_SHAPE_H

#include "extended.h"
#include "f64_patch.h"

struct extended_shape {
    const expr *formula;
    bool normalized;             /* the input has an exponent of its own: nothing overflows on the way */
    bool far;                    /* nor where exp leaves all formats by far */
    struct ext_segments **tails; /* two, for all shapes of a search: see struct extender */
    const struct f64_patch *patch;
    unsigned patch_count;
    bool odd; /* rounded to odd, for who rounds to f32 */
};

/* An f64_builder. */
lane_value extended_shape_build(void *parameters, lane_program *p, lane_value x, bool *possible);
const char *extended_shape_text(const struct extended_shape *shape);

enum { EXTENDED_MOST_ROOTS = 32 };
struct extended_roots { /* inputs near them; 0, too, where the function vanishes */
    double at[EXTENDED_MOST_ROOTS];
    unsigned count;
};
/* Where the values change their sign or touch zero, as far as f32 numbers tell. */
void extended_find_roots(struct extended_roots *roots, reference *truth);
/* Polynomials around as many of the roots as there is room for, in `memory`. */
void extended_shape_patch(struct extended_shape *shape, arena *memory, reference *truth,
                          const struct extended_roots *roots);

#endif
