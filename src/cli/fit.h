/* Free parameters of a function, fitted to another function. */
#ifndef ACTGEN_CLI_FIT_H
#define ACTGEN_CLI_FIT_H

#include "cli.h"
#include "minimize.h"

enum measure { MEASURE_MSE, MEASURE_MAX, MEASURE_ULP, MEASURES };
extern const char *const measure_names[MEASURES + 1]; /* NULL at the end */

struct points {         /* the inputs at which functions are compared */
    double *x, *weight; /* weights have the sum 1 */
    size_t count;
};
/* The trapezoidal rule for the mean over an interval. */
void points_of_interval(struct points *points, const double interval[2]);
/* "X,X,..." or "A:B:STEP,...", from A up to and without B; each weighs the same. False if the text is none.
 */
bool points_of_text(struct points *points, const char *text);
void points_free(struct points *points);

struct fit {
    actgen_spec *spec;
    actgen_kernel *fitted, *target; /* of f64 */
    size_t count;                   /* parameters */
    struct points points;
    double *y, *target_y; /* at the points */
    enum measure measure;
    int type; /* whose ulps are meant */
};
/* Compiles `what` (a function's name, FILE:FUNCTION or a formula) with the parameters free, and the target. A
 * parameter's value that is NaN becomes its default, or 1. An exit code; a failure is printed. Close in both
 * cases; points are the caller's to set, and closed with it. */
int fit_open(struct fit *fit, actgen_engine *engine, const struct what *what, const char *to,
             struct named_value *parameters, size_t count);
void fit_close(struct fit *fit);
/* Computes the target at the points, which are set by then. */
void fit_prepare(struct fit *fit);

/* y of `kernel` at `count` inputs; `parameters` only of fit->fitted. */
void fit_evaluate(const struct fit *fit, const actgen_kernel *kernel, const double *parameters,
                  const double *x, double *y, size_t count);
/* All measures of the error with these parameters, and where the largest is. */
void fit_measure(struct fit *fit, const double *parameters, double measures[MEASURES], double *max_at);
/* Moves the parameters from where they are to a least error near. */
void fit_run(struct fit *fit, double *parameters);

#endif
