/* Fits free parameters of a function to another function. */
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
/* Makes points and weights for the mean over an interval, by the trapezoidal rule. */
void points_of_interval(struct points *points, const double interval[2]);
/* Reads "X,X,..." or "A:B:STEP,...", from A up to but without B. All points weigh the same. Returns false for
 * another text. */
bool points_of_text(struct points *points, const char *text);
void points_free(struct points *points);

struct fit {
    actgen_spec *spec;
    actgen_kernel *fitted, *target; /* of f64 */
    size_t count;                   /* parameters */
    struct points points;
    double *y, *target_y; /* at the points */
    enum measure measure;
    int type; /* the type for errors in ulps */
};
/* Compiles `what` (a function's name, FILE:FUNCTION or a formula) with free parameters, and the target. A
 * parameter whose value is NaN gets its default, or 1. Returns an exit code; a failure is printed. Close in
 * both cases. The caller sets the points, and fit_close frees them. */
int fit_open(struct fit *fit, actgen_engine *engine, const struct what *what, const char *to,
             struct named_value *parameters, size_t count);
void fit_close(struct fit *fit);
/* Computes the target at the points, which must be set. */
void fit_prepare(struct fit *fit);

/* Computes `kernel` at `count` inputs. `parameters` are only for fit->fitted. */
void fit_evaluate(const struct fit *fit, const actgen_kernel *kernel, const double *parameters,
                  const double *x, double *y, size_t count);
/* Computes the error by all measures for these parameters, and the place of the largest. */
void fit_measure(struct fit *fit, const double *parameters, double measures[MEASURES], double *max_at);
/* Moves the parameters from their present values to a minimum of the error nearby. */
void fit_run(struct fit *fit, double *parameters);

#endif
