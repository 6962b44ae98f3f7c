/* The benchmark: actgen's kernels and other libraries' loops in turn, in one process, each with its error.
 *
 *   main.c        options and the order of things         inputs.c    the inputs, their truths, the errors
 *   contest.c     who takes part in a function, and when  ../src/measure/   the time of a call, in turn
 *   report.c      Markdown and JSON                       goals.c     the goals, with what was measured
 *   kernels.c     kernels of other types and layouts: what they take beside a copy of their operands
 *   processes.c   the same run in several processes      offsets.c   what kernels take at each place of the
 *                 stack
 *   looser.c      what a bound takes beside tighter ones
 *   peer_*        one file a library, one row a function; peer_vectors.h for those that are written in
 *                 vectors */
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
typedef void (*bench_loop)(size_t n, const float *x, float *y); /* y[i] = f(x[i]) */

struct peer_row {
    const char *function; /* a built-in's name; ANY_FUNCTION: a limit that memory sets */
    const char *form;     /* how the function is made of what the library has; "" if it has it itself */
    bench_loop loop;
};
#define ANY_FUNCTION "*"

#define PEER_ROW(function, form) #function, form, function /* a row whose loop has the function's name */
#define PEER_TEXT_OF(number)     #number
#define PEER_TEXT(number)        PEER_TEXT_OF(number) /* of a macro's value */

/* A row for another element type, as the language names it. */
struct typed_row {
    const char *function, *type;
    void (*loop)(size_t n, const void *x, void *y);
};

struct peer { /* one build of a library's loops */
    const char *library;
    const char *isa;               /* as actgen calls it; NULL: runs everywhere */
    bool (*start)(void);           /* NULL, or to be called once, false if it cannot run */
    const struct peer_row *rows;   /* ends with a row without a function */
    const struct typed_row *typed; /* NULL, or likewise */
};
enum { SOFTMAX_COLS = 4096 };                  /* of the rows of a row "softmax" */
extern const struct peer *const bench_peers[]; /* of this build; ends with NULL */

/* ---- inputs ---- */
enum input_set { INPUTS_NORMAL, INPUTS_NEGATIVE, INPUTS_SUBNORMAL, INPUTS_NAN, INPUT_SETS };
extern const char *const input_set_names[INPUT_SETS];

/* Arrays are drawn at random from a pool of values, so that every input has a truth at a bearable cost, and
 * no branch predictor learns their order. */
enum { POOL = 8192, SET_SIZE = 32768 /* of the sets besides the normal one */ };

struct inputs { /* arrays that do not alias modulo 4 KiB, their pages touched */
    float *pool[INPUT_SETS];
    float *x[INPUT_SETS];
    float *y;
    size_t capacity; /* of y and the normal set */
};
bool inputs_make(struct inputs *in, size_t capacity);
void inputs_free(struct inputs *in);

struct error_figures {
    double max_ulp; /* in units of f32's spacing at the true value; infinite if a NaN or infinity is wrong */
    double max_abs; /* |error| / max(1, |truth|) */
    size_t not_nan; /* NaN inputs that gave no NaN */
};

/* ---- contestants ---- */
enum { MOST_SIZES = 16, MOST_CONTESTANTS = 128 };
struct contestant {
    const char *library, *function, *form, *isa;
    bench_loop loop;             /* this, or */
    actgen_kernel *kernel;       /* this, owned */
    bool is_limit;               /* memcpy, ReLU: no truth to compare with */
    double bound_ulp, bound_abs; /* what the kernel promises; infinite: nothing */
    struct error_figures errors[INPUT_SETS];
    struct timing times[MOST_SIZES];  /* on INPUTS_NORMAL, of each size */
    struct timing others[INPUT_SETS]; /* on the other sets, of SET_SIZE elements */
};

struct contest {
    struct contestant list[MOST_CONTESTANTS];
    size_t count;
};

bool bench_open(void); /* the engine, and what the libraries need */
/* A kernel of the text, `isa` and `streaming` as in actgen_options; NULL if it is refused, which is said. */
actgen_kernel *bench_compile(const char *spec, const char *kernel, const char *isa, int32_t streaming);
/* A built-in's kernel for an instruction set that runs here; NULL likewise. */
actgen_kernel *bench_builtin(const char *function, const char *accuracy, const char *isa);
actgen_kernel *bench_builtin_typed(const char *function, const char *type, const char *accuracy,
                                   const char *isa);
/* Returns the row of a library that runs here; NULL if none has it. */
const struct typed_row *find_typed(const char *library, const char *function, const char *type);
void bench_close(void);
bool in_list(const char *list, const char *name);           /* of words with commas; NULL holds every name */
bool library_wanted(const char *list, const char *library); /* a beginning of the name is enough */
/* Adds the kernel unless actgen refuses it, which it then says. NULL, or the contestant. */
struct contestant *contest_add_kernel(struct contest *c, const char *function, const char *accuracy,
                                      const char *isa);
/* Adds the loops of all libraries that are wanted, run here, and have the function. */
void contest_add_peers(struct contest *c, const char *function, const char *peers, const char *isas);
/* Both, at all bounds; at 0.5 ulp only if `exact`: planning that takes a sweep over all inputs. */
void contest_add_all(struct contest *c, const char *function, const char *peers, const char *isas,
                     bool exact);
struct contestant *contest_find(struct contest *c, const char *library, const char *function,
                                const char *form, const char *isa);
void contest_free(struct contest *c);
void contestant_run(const struct contestant *c, size_t n, const float *x, float *y);

extern const char *const bench_functions[]; /* ends with NULL */

/* Fills `errors` of all contestants of the function. False: no truth was to be had. */
bool errors_measure(struct contest *c, const char *function, const struct inputs *in);
bool error_beyond_bound(const struct contestant *c);
/* contest.c: the true values; false, with a note, where the reference cannot say. */
bool truth_of(const char *function, const float *x, double *truth, size_t count);

/* ---- time ---- */
/* Times calls of the contestants in turn, for about `seconds` and at least three times each. times[i] is of
 * list[i]. */
void measure(struct contestant *const *list, size_t count, const float *x, float *y, size_t n, double seconds,
             struct timing *times);
/* Times any calls as measure() does, at most MOST_CONTESTANTS. */
void measure_calls(const struct timed_call *calls, size_t count, double seconds, struct timing *times);
/* What the worst place of the stack in the worst process takes more, in per cent of `min`. */
double spread_of(const struct timing *t);

/* ---- processes ---- */
/* Starts the program again with `arguments`, until `count` processes run. False: fewer run. */
bool processes_start(char *const *arguments, size_t count);
void processes_end(void);
bool is_follower(void); /* a process that prints nothing */
/* time_in_turn() in all processes, one after the other: of times the least, of medians the mean, of worst the
 * greatest. */
void processes_time(const struct timed_call *calls, size_t count, const struct timing_limits *limits,
                    struct timing *times);

/* ---- sizes ---- */
struct size {
    const char *name; /* "L2"; "" for a small number of elements, timed by the call */
    size_t n;
};
size_t bench_sizes(struct size *sizes); /* of this machine's caches, at most MOST_SIZES */

/* ---- results ---- */
struct plan { /* of a run: what is timed */
    struct size sizes[MOST_SIZES];
    size_t size_count;
    bool with_set[INPUT_SETS]; /* besides the normal one: timed with SET_SIZE elements */
    const char *peers, *isas;  /* lists with commas; NULL: all */
    double seconds;
    size_t processes;
    bool json;
};
void report_machine(bool json);
void report_titles(const struct plan *plan);
void report_function(struct contest *c, const struct plan *plan); /* sorts the contestants */
void report_json(const struct contest *c, const struct plan *plan, bool first);
int bench_goals(struct inputs *in, const struct plan *plan);  /* exit status */
int bench_kernels(const struct plan *plan);                   /* likewise */
int bench_offsets(const struct plan *plan, const char *only); /* likewise */
/* The kernel of an instruction set whose time varies most with the place of the stack. */
struct place_figures {
    char kernel[64];
    const char *accuracy;
    double best, median, worst; /* ns a call */
};
extern const double worst_place_limit; /* of worst / best */
bool most_varied(struct place_figures *out, const char *isa);
int bench_looser(const struct plan *plan, const char *only);
/* The bound of an instruction set that takes most beside one that implies it. */
struct looser_figures {
    char kernel[64];
    const char *type, *loose, *tight;
    double loose_ns, tight_ns; /* a call */
};
extern const double looser_limit; /* of loose_ns / tight_ns */
bool most_lost(struct looser_figures *out, const char *isa);

#ifdef __cplusplus
}
#endif
#endif
