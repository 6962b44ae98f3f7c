/* The kernels that an engine shares. Equal requests get one kernel, and its last user frees it. */
#include "kernel.h"

#include <stdlib.h>

static actgen_kernel **list_of(const actgen_engine *e, uint64_t hash)
{
    return &e->kernels[hash & (e->lists - 1)];
}

/* Doubles the number of lists. If there is no memory for that, the lists grow longer. */
static void more_lists(actgen_engine *e)
{
    const size_t count = e->lists;
    actgen_kernel **old = e->kernels, **lists = calloc(2 * count, sizeof(actgen_kernel *));
    if (!lists) return;
    e->kernels = lists;
    e->lists = 2 * count;
    for (size_t i = 0; i < count; i++)
        for (actgen_kernel *k = old[i], *next; k; k = next) {
            next = k->next;
            k->next = *list_of(e, k->asked_hash);
            *list_of(e, k->asked_hash) = k;
        }
    free(old);
}

actgen_kernel *engine_find(actgen_engine *e, const struct asked *asked, uint64_t hash)
{
    actgen_kernel *k = *list_of(e, hash);
    while (k && (k->asked_hash != hash || !asked_equal(&k->asked, asked))) k = k->next;
    if (k) k->references++;
    return k;
}

static void engine_add(actgen_engine *e, actgen_kernel *k)
{
    if (e->kernel_count++ >= e->lists) more_lists(e);
    k->next = *list_of(e, k->asked_hash);
    *list_of(e, k->asked_hash) = k;
}

actgen_kernel *kernel_publish(actgen_kernel *made)
{
    actgen_engine *e = made->engine;
    if (asked_anew(&made->asked)) return made;
    pthread_mutex_lock(&e->lock);
    actgen_kernel *k = engine_find(e, &made->asked, made->asked_hash);
    if (!k) engine_add(e, made);
    pthread_mutex_unlock(&e->lock);
    if (!k) return made;
    actgen_kernel_free(made);
    return k;
}

void actgen_kernel_free(actgen_kernel *k)
{
    if (!k) return;
    actgen_engine *e = k->engine;
    pthread_mutex_lock(&e->lock);
    if (--k->references) {
        pthread_mutex_unlock(&e->lock);
        return;
    }
    for (actgen_kernel **link = list_of(e, k->asked_hash); *link; link = &(*link)->next)
        if (*link == k) {
            *link = k->next;
            e->kernel_count--;
            break;
        }
    actgen_kernel *whole = k->ready ? k->ready->whole : NULL; /* It has its own reference to the engine. */
    loader_free(k->code);
    loader_free(k->scalar->code);
    free(k->scalar);
    backend_buffer_free(&k->object);
    arena_free(k->memory);
    free(k->backend);
    free(k);
    engine_release(e);
    actgen_kernel_free(whole);
}
