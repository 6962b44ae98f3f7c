/* A result of a kernel as a function of one of its inputs: what pictures and reports show. */
#ifndef ACTGEN_CLI_VIEW_H
#define ACTGEN_CLI_VIEW_H

#include "input.h"

/* A call of one element, which has the bits of a longer one. */
struct call {
    const actgen_kernel *kernel;
    actgen_operand *operands;
    struct place {
        const char *name;
        void *element;
        int type; /* ACTGEN_F32 ... */
        bool is_result;
    } * places; /* of each name, inputs before results */
    size_t count, group_count;
};
void call_open(struct call *call, const actgen_kernel *kernel);
void call_close(struct call *call);
/* NULL if there is none of that name. */
struct place *call_place(const struct call *call, const char *name, bool is_result);
double call_run(const struct call *call, const struct place *result);

enum measure { MEASURE_ULP, MEASURE_ABS, MEASURES }; /* ulps of the exact value; |error| / max(1, |y|) */

struct view {
    const actgen_kernel *kernel;
    actgen_certificate promise;
    enum measure measure;             /* of the bound */
    char *name;                       /* of the kernel, and of the result if there are several */
    char *fixed;                      /* "up = 1, bias = 0", or "" */
    const char *input;                /* the one that varies */
    const char *result;               /* and the one that is looked at, */
    size_t result_number;             /* from 0 among results */
    int input_type, result_type;      /* ACTGEN_F32 ... */
    const struct named_value *values; /* of other inputs; 1 where there is none */
    size_t value_count;
    actgen_kernel *slope; /* the derivative of the result by the input, compiled like the kernel; NULL if
                             there is none */
    char *no_slope;       /* why */
};

/* Opens a view of each result; --vary and --value say what varies, and what does not. An exit code; a failure
 * is printed. Close in both cases: views_close. */
struct views {
    struct view *list;
    size_t count;
};
int views_add(struct views *views, const actgen_kernel *kernel, const struct jobs *jobs,
              const struct job *job, const struct options *options);
void views_close(struct views *views);
/* Whether each --value and --vary names an input of one of the kernels, seen after all were added. An exit
 * code. */
int views_check(const struct views *views, const struct options *options);

/* A view with elements of its own: one for each thread. */
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
/* The double that is nearest to the true value. False where the reference cannot tell. */
bool probe_truth(struct probe *probe, double x, double *truth);

/* The error of a computed value; infinite where one is NaN and the other is not. */
double error_by(enum measure measure, int type, double value, double truth);

struct worst { /* the largest error, its input, what is computed there and what is true */
    double error, at, value, truth;
};
struct binade { /* the numbers from 2^exponent to its double, of one sign */
    int exponent;
    bool is_negative;
    struct worst worst[MEASURES];
    uint64_t inputs; /* compared with the reference */
};
struct envelope {           /* of errors over all numbers of the input's type for which the bound holds */
    struct binade *binades; /* from the most negative to the greatest */
    size_t count;
    uint64_t inputs;    /* of all binades */
    bool is_exhaustive; /* those are all */
};
void envelope_open(struct envelope *envelope, const struct view *view);
void envelope_close(struct envelope *envelope);
/* The largest error of all; all zero if nothing was compared. */
struct worst envelope_worst(const struct envelope *envelope, enum measure measure);

#endif
