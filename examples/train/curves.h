/* Curves of losses as a picture. */
#ifndef CURVES_H
#define CURVES_H

#include <stddef.h>

struct curve {
    const char *name;
    const double *losses; /* one an epoch, above 0 */
};

/* Writes an SVG with the losses of all curves on a scale of powers of ten. 0, or -1 if the file cannot be
 * written. */
int curves_write(const char *path, const char *title, const struct curve *curves, size_t count,
                 size_t epochs);

#endif
