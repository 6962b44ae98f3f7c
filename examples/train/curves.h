/* A picture of losses. */
#ifndef CURVES_H
#define CURVES_H

#include <stddef.h>

struct curve {
    const char *name;
    const double *losses; /* one per epoch, above 0 */
};

/* Writes an SVG with the losses of all curves on a logarithmic scale. Returns 0, or -1 if the file cannot be
 * written. */
int curves_write(const char *path, const char *title, const struct curve *curves, size_t count,
                 size_t epochs);

#endif
