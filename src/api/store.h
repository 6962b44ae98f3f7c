/* What compilations find ready: plans that are built in or in the disk cache, and objects in the disk cache.
 */
#ifndef ACTGEN_API_STORE_H
#define ACTGEN_API_STORE_H

#include "backend.h"
#include "cache.h"
#include "lower.h"
#include "machine.h"

/* The planner that lower/ is given: looks among the built-in plans, then in the cache, then searches, and
 * stores what it found. */
struct planning {
    cache *cache;    /* may be NULL */
    bool search_all; /* looks nothing up */
    bool ready_only; /* searches nothing */
    struct plan_search search;
    struct machine_context machine; /* without an engine: none */
    struct progress *progress;      /* may be NULL */
    double ms;                      /* spent in searches so far */
    void *bytes; /* of the plan that is being read; malloc'ed, so it is freed here should the arena escape */
};
struct planner planner_of(struct planning *p);
/* Searches for the plans that the request asks for; with no alternatives, looks for the plan as planner_of's
 * does. */
int planning_find(struct planning *p, struct plan **out, const struct plan_request *request,
                  struct diag *error);
int planning_judge(struct planning *p, struct plan **out, const struct plan *claimed,
                   const struct plan_request *request, struct diag *error); /* plan_judge */
void planning_clear(struct planning *p);

/* The disk's keys: what bytes depend on, and which build made them. */
void disk_key(const struct text *of, const char *what, char out[HASH_TEXT_SIZE]);

/* The key of the one-function object. */
void object_key(const struct backend_function *f, const struct backend_options *options, arena *memory,
                char out[HASH_TEXT_SIZE]);
/* That object, from the cache or, unless it holds one that suits, made and stored there, or not found if it
 * is to be ready. */
int object_find(struct backend_buffer *out, actgen_engine *e, const char *key,
                const struct backend_function *f, const struct backend_options *options, bool ready_only,
                struct diag *error);

double now_ms(void); /* of a clock that is never set */

/* Nothing is ready: DIAG_BACKEND, until the program of options.program has made it. */
int not_ready(struct diag *error);

/* builtin.c: the built-in packed plan for a key of plan_key, in the arena; NULL if there is none. */
const unsigned char *builtin_plan(const char key[HASH_TEXT_SIZE], arena *memory, size_t *size);
/* The bytes behind that key in lines that are in the order of their keys, as those of builtin_plans.txt; *at
 * is the line. */
const unsigned char *packed_line(const char *lines, size_t length, const char key[HASH_TEXT_SIZE],
                                 arena *memory, size_t *size, const char **at);
/* The line of builtin_plans.txt that makes it one; `label` says to readers what it is. */
void builtin_line(struct text *out, const char key[HASH_TEXT_SIZE], const struct text *packed,
                  const char *label);
/* The whole file, as it was when this was built. */
extern const char builtin_plans[];
extern const size_t builtin_plans_size;

#endif
