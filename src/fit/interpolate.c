/* Interpolates by Newton's divided differences. */
#include "interpolate.h"

/* Computes Newton's divided differences, and from them the coefficients of powers of x - centre. */
static void interpolate(quad *coefficient, const quad *point, const quad *value, unsigned terms, quad centre)
{
    quad difference[FIT_MAX_TERMS];
    for (unsigned i = 0; i < terms; i++) difference[i] = value[i];
    for (unsigned order = 1; order < terms; order++)
        for (unsigned i = terms - 1; i >= order; i--)
            difference[i] = (difference[i] - difference[i - 1]) / (point[i] - point[i - order]);
    for (unsigned k = 0; k < terms; k++) coefficient[k] = 0;
    for (unsigned i = terms; i-- > 0;) { /* times (x - point[i]), plus difference[i] */
        const quad root = point[i] - centre;
        for (unsigned k = terms - 1; k > 0; k--) coefficient[k] = coefficient[k - 1] - root * coefficient[k];
        coefficient[0] = difference[i] - root * coefficient[0];
    }
}

/* Orders the points so that divided differences stay small: from both ends to the middle, alternating. */
bool fit_interpolate(quad *coefficient, unsigned terms, double low, double high, double centre,
                     quad_function f, void *context)
{
    struct fit_problem grid;
    quad point[FIT_MAX_TERMS], value[FIT_MAX_TERMS];
    if (terms < 2 || terms > FIT_MAX_TERMS) return false;
    fit_points(&grid, low, high, terms);
    for (unsigned i = 0; i < terms; i++) {
        point[i] = grid.point[i % 2 ? terms - 1 - i / 2 : i / 2];
        if (!f(context, (double)point[i], &value[i])) return false;
    }
    interpolate(coefficient, point, value, terms, centre);
    return true;
}
