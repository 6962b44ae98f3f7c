/* Engines and the lifetimes of kernels. */
#include "api.h"

#include <stdlib.h>
#include <string.h>

int actgen_engine_create(actgen_engine **out, actgen_error *error)
{
    struct diag d = {0};
    if (!out) return diag_set(&d, DIAG_INVALID, "out is NULL"), error_return(error, &d);
    *out = calloc(1, sizeof **out);
    if (*out && pthread_mutex_init(&(*out)->lock, NULL)) {
        free(*out);
        *out = NULL;
    }
    if (!*out) return diag_set(&d, DIAG_NO_MEMORY, "out of memory"), error_return(error, &d);
    (*out)->references = 1;
    return ACTGEN_OK;
}

/* Drops one reference; the lock is held, and given back. */
static void engine_release_locked(actgen_engine *e)
{
    bool last = --e->references == 0;
    pthread_mutex_unlock(&e->lock);
    if (!last) return;
    backend_jit_free(e->jit);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

void actgen_engine_free(actgen_engine *e)
{
    if (!e) return;
    pthread_mutex_lock(&e->lock);
    engine_release_locked(e);
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
    for (actgen_kernel **link = &e->kernels; *link; link = &(*link)->next)
        if (*link == k) {
            *link = k->next;
            break;
        }
    backend_code_free(k->code);
    backend_buffer_free(&k->object);
    arena_free(k->memory);
    free(k->backend);
    free(k->key);
    free(k);
    engine_release_locked(e);
}

const char *actgen_kernel_name(const actgen_kernel *k) { return k->source->name; }
actgen_fn actgen_kernel_fn(const actgen_kernel *k) { return k->function; }
const char *actgen_kernel_backend(const actgen_kernel *k) { return k->backend; }
const char *actgen_kernel_isa(const actgen_kernel *k) { return k->isa->name; }
const char *actgen_kernel_plan(const actgen_kernel *k) { return k->plan; }
const char *actgen_kernel_accuracy(const actgen_kernel *k) { return k->accuracy; }
const char *actgen_kernel_object_hash(const actgen_kernel *k) { return k->object_hash; }
double actgen_kernel_compile_ms(const actgen_kernel *k) { return k->compile_ms; }
size_t actgen_kernel_operand_count(const actgen_kernel *k) { return k->lowered->kernel.operand_count; }

int actgen_kernel_operand_info(const actgen_kernel *k, size_t i, actgen_operand_info *info)
{
    if (i >= k->lowered->kernel.operand_count || !info) return ACTGEN_EINVAL;
    const struct kernel_operand *o = &k->lowered->kernel.operands[i];
    *info = (actgen_operand_info){o->name, (int32_t)o->type, o->is_result};
    return ACTGEN_OK;
}

static double number_of_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return (double)f;
}

void actgen_kernel_certificate(const actgen_kernel *k, actgen_certificate *out)
{
    struct tally worst = {0};
    for (uint32_t i = 0; i < k->lowered->piece_count; i++)
        worst = tally_merge(worst, k->lowered->pieces[i].plan->measured);
    *out = (actgen_certificate){worst.max_ulp, number_of_bits(worst.max_ulp_at), worst.max_abs,
                                number_of_bits(worst.max_abs_at), worst.inputs};
}
