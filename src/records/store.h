/* The plans and objects that compilations need not make: built-in plans, and plans and objects in the disk
 * cache. */
#ifndef ACTGEN_STORE_H
#define ACTGEN_STORE_H

#include "backend.h"
#include "cache.h"
#include "lower.h"
#include "machine_code.h"

/* The planner that lower/ uses. It looks for a plan among the built-in plans, then in the cache. Else it
 * searches, and stores the result. */
struct planning {
    cache *cache;    /* May be NULL. */
    bool search_all; /* Looks up no piece. Parts of a piece have the built-in plans all the same. */
    bool ready_only; /* Searches nothing. */
    struct plan_search search;
    struct machine_context machine; /* Without an engine there is no machine. */
    struct progress *progress;      /* May be NULL. */
    double ms;                      /* The time of all searches so far. */
    /* The plan that is being read. It is malloc'ed, so planning_clear must free it if the arena escapes. */
    void *bytes;
};
struct planner planner_of(struct planning *p);
/* Searches for the plans that the request asks for. If it asks for no alternatives, looks for the plan as
 * planner_of's planner does. */
int planning_find(struct planning *p, struct plan **out, const struct plan_request *request,
                  struct diag *error);
/* Calls plan_judge for a plan that is claimed to keep its bound. */
int planning_judge(struct planning *p, struct plan **out, const struct plan *claimed,
                   const struct plan_request *request, struct diag *error);
void planning_clear(struct planning *p);

/* Computes a key of the disk cache. It depends on `of`, the content that decides the bytes, on the kind
 * `what`, and on the build. */
void disk_key(const struct text *of, const char *what, char out[HASH_TEXT_SIZE]);

/* Computes the key of an object with one function. */
void object_key(const struct backend_function *f, const struct backend_options *options, arena *memory,
                char out[HASH_TEXT_SIZE]);
/* Finds that object in the cache, or makes and stores it. With `ready_only` it makes none and fails. */
int object_find(struct backend_buffer *out, actgen_engine *e, const char *key,
                const struct backend_function *f, const struct backend_options *options, bool ready_only,
                struct diag *error);

double now_ms(void); /* Returns the time of a clock that is never set. */

/* Sets DIAG_BACKEND, because a plan or object is not ready. The program of options.program then has to make
 * it. */
int not_ready(struct diag *error);

#endif
