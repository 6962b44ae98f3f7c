/* A result of a kernel as a function of one of its inputs: what pictures and reports show. */
#ifndef ACTGEN_CLI_VIEW_H
#define ACTGEN_CLI_VIEW_H

#include "input.h"

/* A call with one element. Its result has the same bits as in a longer call. */
struct call {
    const actgen_kernel *kernel;
    actgen_operand *operands;
    struct place {
        const char *name;
        void *element;
        int type; /* ACTGEN_F32 ... */
        bool is_result;
    } * places; /* one per name, inputs before results */
    size_t count, group_count;
};
void call_open(struct call *call, const actgen_kernel *kernel);
void call_close(struct call *call);
/* Returns the place of that name, or NULL. */
struct place *call_place(const struct call *call, const char *name, bool is_result);
double call_run(const struct call *call, const struct place *result);

enum measure { MEASURE_ULP, MEASURE_ABS, MEASURES }; /* ulps of the exact value, or |error| / max(1, |y|) */

struct view {
    const actgen_kernel *kernel;
    actgen_certificate promise;
    enum measure measure;             /* the measure of the bound */
    char *name;                       /* the name of the kernel, and of the result if there are several */
    char *fixed;                      /* "up = 1, bias = 0", or "" */
    const char *input;                /* the input that varies */
    const char *result;               /* the result that is shown */
    size_t result_number;             /* its number among the results, from 0 */
    int input_type, result_type;      /* ACTGEN_F32 ... */
    const struct named_value *values; /* the other inputs; an input without one is 1 */
    size_t value_count;
    actgen_kernel *slope; /* the derivative of the result by the input, compiled like the kernel; NULL if
                             there is none */
    char *no_slope;       /* why there is none */
};

/* Adds a view for each result. --vary says which input varies, and --value gives the others. Returns an exit
 * code; a failure is printed. Close the views in both cases. */
struct views {
    struct view *list;
    size_t count;
};
int views_add(struct views *views, const actgen_kernel *kernel, const struct jobs *jobs,
              const struct job *job, const struct options *options);
void views_close(struct views *views);
/* Checks that each --value and --vary names an input of one of the kernels, after all were added. Returns an
 * exit code. */
int views_check(const struct views *views, const struct options *options);

/* A view with its own elements, so that each thread can have one. */
struct probe {
    const struct view *view;
    struct call value, slope; /* slope.kernel is NULL without one */
    struct place *x, *y, *slope_x, *slope_y;
    double *inputs; /* as actgen_reference takes them */
    size_t x_number;
};
void probe_open(struct probe *probe, const struct view *view);
void probe_close(struct probe *probe);
double probe_round(struct probe *probe, double x); /* to the input's type; NaN if it is too large */
double probe_value(struct probe *probe, double x);
double probe_slope(struct probe *probe, double x); /* NaN where there is none */
/* Computes the double nearest to the true value. Returns false if the reference cannot tell. */
bool probe_truth(struct probe *probe, double x, double *truth);

/* Returns the error of a computed value. It is infinite if only one of both is NaN. */
double error_by(enum measure measure, int type, double value, double truth);

struct worst { /* the largest error, its input, the computed value and the true value */
    double error, at, value, truth;
};
struct binade { /* the numbers from 2^exponent to its double, of one sign */
    int exponent;
    bool is_negative;
    struct worst worst[MEASURES];
    uint64_t inputs; /* compared with the reference */
};
struct envelope {           /* the errors over all numbers of the input's type for which the bound holds */
    struct binade *binades; /* from the most negative to the greatest */
    size_t count;
    uint64_t inputs;    /* the inputs of all binades */
    bool is_exhaustive; /* all numbers of the type were compared */
};
void envelope_open(struct envelope *envelope, const struct view *view);
void envelope_close(struct envelope *envelope);
/* Returns the largest error of all. Its members are 0 if nothing was compared. */
struct worst envelope_worst(const struct envelope *envelope, enum measure measure);

#endif
