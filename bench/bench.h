/* The benchmark: times actgen's kernels and other libraries' loops in turn, in one process, and measures the
 * error of each.
 *
 *     main.c        options, and the order of the steps
 *     inputs.c      the inputs, their true values, the errors
 *     contest.c     the contestants for a function
 *     report.c      Markdown and JSON
 *     goals.c       the goals, with the measured figures
 *     ratios.c      the time of a formula, compared with the function that it stands around
 *     kernels.c     kernels of other types and layouts, compared with a copy of their operands
 *     sides         pairs of kernels or loops, which are timed in turn
 *     processes.c   the same run in several processes
 *     offsets.c     the time of kernels at each place of the stack
 *     looser.c      the time of a bound, compared with tighter bounds
 *     estimates.c   plans and loops chosen by costs, compared with those chosen by times
 *     peer_*        one file per library, one row per function
 *                   (those in vectors use peer_vectors.h, and peer_by_exp.h for x/(1 + exp(-x)))
 *
 * ../src/measure/ times calls in turn. */
#ifndef ACTGEN_BENCH_H
#define ACTGEN_BENCH_H

#include <actgen.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "filled.h"
#include "timing.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- other libraries ---- */
typedef void (*bench_loop)(size_t n, const float *x, float *y);                  /* y[i] = f(x[i]) */
typedef void (*bench_gate)(size_t n, const float *x, const float *up, float *y); /* y[i] = f(x[i])*up[i] */
typedef void (*bench_typed)(size_t n, const void *x, void *y);                   /* for any other type */

/* A function of a library. It has one of the three loops. */
struct peer_row {
    const char *function; /* the name of a built-in; ANY_FUNCTION: a limit that memory sets */
    const char *form;     /* how the library's functions make this one; "" if the library has it itself */
    bench_loop loop;
    bench_gate gate;
    const char *type; /* the language's name of the type of `typed` */
    bench_typed typed;
};
#define ANY_FUNCTION "*"

#define PEER_LOOP(function, form, loop)                                                                      \
    {                                                                                                        \
        function, form, loop, NULL, NULL, NULL                                                               \
    }
#define PEER_GATE(function, form, gate)                                                                      \
    {                                                                                                        \
        function, form, NULL, gate, NULL, NULL                                                               \
    }
#define PEER_TYPED(function, type, typed)                                                                    \
    {                                                                                                        \
        function, "", NULL, NULL, type, typed                                                                \
    }
#define PEER_ROWS_END                                                                                        \
    {                                                                                                        \
        NULL, NULL, NULL, NULL, NULL, NULL                                                                   \
    }
#define PEER_TEXT_OF(number) #number
#define PEER_TEXT(number)    PEER_TEXT_OF(number) /* the text of a macro's value */
/* The text of a version of three macros. */
#define PEER_VERSION(major, minor, patch) PEER_TEXT(major) "." PEER_TEXT(minor) "." PEER_TEXT(patch)

struct peer { /* one build of a library's loops */
    const char *library;
    const char *isa;             /* actgen's name of the set; NULL: runs everywhere */
    bool (*start)(void);         /* NULL, or called once; returns false if the library cannot run */
    const struct peer_row *rows; /* ends with PEER_ROWS_END */
};
#define ROW_COLS     4096  /* columns of each row of softmax and of norms, if nothing else is said */
#define ROW_ELEMENTS 65536 /* elements of all rows */
extern const struct peer *const bench_peers[]; /* the peers of this build; ends with NULL */

/* ---- inputs ---- */
enum input_set { INPUTS_NORMAL, INPUTS_NEGATIVE, INPUTS_SUBNORMAL, INPUTS_NAN, INPUT_SETS };
extern const char *const input_set_names[INPUT_SETS];

/* Arrays are drawn at random from a pool of values. Every input then has a true value at an affordable cost,
 * and no branch predictor learns their order. */
enum { POOL = 8192, SET_SIZE = 32768 /* elements of each set except the normal one */ };

/* The numbers for which a function is defined. Inputs are mapped to them, so that small ones stay small:
 * |x|, 1 + |x|, x/(1 + |x|), and x or x/(1 - x), which is above -1. */
enum domain { DOMAIN_ALL, DOMAIN_POSITIVE, DOMAIN_ABOVE_1, DOMAIN_BELOW_1, DOMAIN_ABOVE_MINUS_1 };

struct inputs { /* arrays that do not alias modulo 4 KiB, whose pages have been touched */
    float *pool[INPUT_SETS], *up_pool[INPUT_SETS];
    float *x[INPUT_SETS], *up[INPUT_SETS]; /* x[i] and up[i] are a pair of the pools */
    float *y;
    size_t capacity; /* elements of y and of the normal set */
    enum domain domain;
};
bool inputs_make(struct inputs *in, size_t capacity);
/* Draws the arrays again if `domain` does not suit the function. */
void inputs_suit(struct inputs *in, const char *function);
void inputs_free(struct inputs *in);

struct arrays { /* operands of a call; only gates read `up` */
    const float *x, *up;
    float *y;
};
struct arrays inputs_of(const struct inputs *in, enum input_set set);

struct error_figures {
    double max_ulp; /* in units of f32's spacing at the true value; infinite if a result is a wrong NaN or
                       infinity */
    double max_abs; /* |error| / max(1, |truth|), of gates |error| / max(1, |truth|, |up|) */
    size_t not_nan; /* number of inputs with a NaN whose result is no NaN */
};

/* ---- contestants ---- */
enum { MOST_SIZES = 16, MOST_CONTESTANTS = 128 };
struct contestant {
    const char *library, *function, *form, *isa;
    bench_loop loop;             /* a loop, or */
    bench_gate gate;             /* the loop of a gate, or */
    actgen_kernel *kernel;       /* a kernel, which this struct owns */
    bool is_limit;               /* memcpy or ReLU, without a true value */
    bool is_plan;                /* a loop with the plan of actgen, which is no other contestant */
    double bound_ulp, bound_abs; /* the bounds that the kernel promises; infinite: none */
    struct error_figures errors[INPUT_SETS];
    struct timing times[MOST_SIZES];  /* on INPUTS_NORMAL, for each size */
    struct timing others[INPUT_SETS]; /* on the other sets, for SET_SIZE elements */
};

struct contest {
    struct contestant list[MOST_CONTESTANTS];
    size_t count;
};

bool bench_open(void); /* opens the engine, and starts the libraries */
/* Compiles a kernel of the text. `isa` and `streaming` are as in actgen_options. If actgen refuses, prints
 * the reason and returns NULL. */
actgen_kernel *bench_compile(const char *spec, const char *kernel, const char *isa, int32_t streaming);
/* Compiles a built-in for an instruction set that runs here. Fails like bench_compile(). */
actgen_kernel *bench_builtin(const char *function, const char *accuracy, const char *isa);
actgen_kernel *bench_builtin_typed(const char *function, const char *type, const char *accuracy,
                                   const char *isa);
/* Compiles a built-in of f32 with the costs of this processor, by estimates or by times: ACTGEN_PLAN_*. */
actgen_kernel *bench_builtin_planned(const char *function, const char *accuracy, const char *isa,
                                     int32_t plan);
/* Returns the row of a library that runs here, for a type; NULL if none has it. */
const struct peer_row *find_typed(const char *library, const char *function, const char *type);
void bench_close(void);
/* Returns true if a list of words with commas has the name. A list of NULL has every name. */
bool in_list(const char *list, const char *name);
/* Returns true if a word of the list begins the library's name. */
bool library_wanted(const char *list, const char *library);
/* Adds a kernel. Returns the contestant, or NULL if actgen refuses the kernel, after printing the reason. */
struct contestant *contest_add_kernel(struct contest *c, const char *function, const char *accuracy,
                                      const char *isa);
/* Adds the loops of all libraries that are wanted, run here, and have the function. */
void contest_add_peers(struct contest *c, const char *function, const char *peers, const char *isas);
/* Adds kernels at all bounds, and loops. Kernels at 0.5 ulp are added only if `exact`, because planning them
 * takes a sweep over all inputs. */
void contest_add_all(struct contest *c, const char *function, const char *peers, const char *isas,
                     bool exact);
struct contestant *contest_find(struct contest *c, const char *library, const char *function,
                                const char *form, const char *isa);
void contest_free(struct contest *c);
void contestant_run(const struct contestant *c, size_t n, struct arrays a);

/* A function of the tables. */
struct bench_function {
    const char *name;
    enum domain domain;
    bool is_gate;   /* a function of two arrays */
    bool has_goals; /* --goals has it, too */
};
extern const struct bench_function bench_functions[]; /* ends with a name of NULL */
bool is_gate(const char *function);
enum domain domain_of(const char *function);

/* Fills in `errors` of all contestants of the function. Returns false if a true value cannot be computed. */
bool errors_measure(struct contest *c, const char *function, const struct inputs *in);
bool error_beyond_bound(const struct contestant *c);
/* Computes true values; `up` is the second input of gates. If the reference cannot decide, prints a note and
 * returns false. In contest.c. */
bool truth_of(const char *function, const float *x, const float *up, double *truth, size_t count);

/* ---- time ---- */
/* Times calls of the contestants in turn, for about `seconds` and at least three times each. times[i] belongs
 * to list[i]. */
void measure(struct contestant *const *list, size_t count, struct arrays a, size_t n, double seconds,
             struct timing *times);
/* Times any calls as measure() does, at most MOST_CONTESTANTS. */
void measure_calls(const struct timed_call *calls, size_t count, double seconds, struct timing *times);
/* Returns how much more time the worst place of the stack in the worst process takes, in per cent of
 * `min`. */
double spread_of(const struct timing *t);

/* ---- ratios ---- */
/* A row of ratios.txt. */
struct ratio_figures {
    char kernel[40], with[40], bound[32];
    double limit, measured, worst; /* ratios; 0 if not measured */
};
typedef void (*ratio_visitor)(void *context, const char *isa, const struct ratio_figures *figures);
size_t count_ratios(void);
/* Measures all rows for an instruction set, each for about `seconds`. Returns false if out of memory. */
bool each_ratio(const char *isa, double seconds, ratio_visitor visit, void *context);

/* ---- processes ---- */
/* Starts the program again with `arguments`, until `count` processes run. Returns false if fewer run. */
bool processes_start(char *const *arguments, size_t count);
void processes_end(void);
bool is_follower(void); /* true in a process that prints nothing */
/* Runs time_in_turn() in all processes, one after the other. Takes the least of the times, the mean of the
 * medians, and the greatest of the worst. */
void processes_time(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                    struct timing *times);

/* ---- sizes ---- */
struct size {
    const char *name; /* "L2"; "" for a small number of elements, whose time is that of a call */
    size_t n;
};
size_t bench_sizes(struct size *sizes); /* the sizes of this machine's caches, at most MOST_SIZES */

/* ---- results ---- */
struct plan { /* what a run times */
    struct size sizes[MOST_SIZES];
    size_t size_count;
    bool with_set[INPUT_SETS]; /* sets that are timed with SET_SIZE elements, in addition to the normal set */
    const char *only;          /* functions, or words of rows, with commas; NULL: all */
    const char *peers, *isas;  /* lists with commas; NULL: all */
    struct inputs *inputs;     /* of the table and the goals */
    double seconds;
    size_t processes;
    bool json, best; /* best: only the fastest other contestant within each bound */
};
void report_machine(bool json);
void report_titles(const struct plan *plan);
void report_function(struct contest *c, const struct plan *plan); /* sorts the contestants */
void report_json(const struct contest *c, const struct plan *plan, bool first);
/* Each of these prints a table, and returns the exit status. */
int bench_goals(const struct plan *plan);
int bench_ratios(const struct plan *plan); /* the rows of ratios.txt */
int bench_kernels(const struct plan *plan);
int bench_offsets(const struct plan *plan);
int bench_looser(const struct plan *plan);

/* The kernel of an instruction set whose time varies most with the place of the stack. */
struct place_figures {
    char kernel[64];
    const char *accuracy;
    double best, median, worst; /* ns per call */
};
extern const double worst_place_limit; /* the limit of worst / best */
bool most_varied(struct place_figures *out, const char *isa);
/* The bound of an instruction set that loses most, compared with a bound that implies it. */
struct looser_figures {
    char kernel[64];
    const char *type, *loose, *tight;
    double loose_ns, tight_ns; /* per call */
};
extern const double looser_limit; /* the limit of loose_ns / tight_ns */
bool most_lost(struct looser_figures *out, const char *isa);
/* The times of plans and loops that the costs of this processor choose, as multiples of those that times
 * choose. */
struct estimate_figures {
    double ninth_decile, worst; /* of all functions and bounds */
    const char *kernel, *bound; /* of the worst */
};
extern const double estimate_limit, worst_estimate_limit;
bool compare_estimates(struct estimate_figures *out, const char *isa);

#ifdef __cplusplus
}
#endif
#endif
