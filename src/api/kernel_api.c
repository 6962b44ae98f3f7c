/* Tells callers what they ask about a kernel. */
#include "api.h"
#include "border.h"

#include <stdio.h>
#include <string.h>

const char *actgen_kernel_name(const actgen_kernel *k) { return k ? k->called.name : NULL; }
actgen_fn actgen_kernel_fn(const actgen_kernel *k) { return k && !k->called.has_sums ? k->function : NULL; }
const char *actgen_kernel_backend(const actgen_kernel *k) { return k ? k->backend : NULL; }
const char *actgen_kernel_isa(const actgen_kernel *k) { return k ? k->isa->name : NULL; }
const char *actgen_kernel_core(const actgen_kernel *k) { return k ? k->core->name : NULL; }
const char *actgen_kernel_plan(const actgen_kernel *k) { return k ? k->plan : NULL; }
const char *actgen_kernel_accuracy(const actgen_kernel *k) { return k ? k->accuracy : NULL; }
const char *actgen_kernel_object_hash(const actgen_kernel *k) { return k ? k->object_hash : NULL; }
double actgen_kernel_compile_ms(const actgen_kernel *k) { return k ? k->compile_ms : 0; }
double actgen_kernel_plan_ms(const actgen_kernel *k) { return k ? k->plan_ms : 0; }
size_t actgen_kernel_operand_count(const actgen_kernel *k) { return k ? k->called.operand_count : 0; }
size_t actgen_kernel_group_count(const actgen_kernel *k) { return k ? k->called.group_count : 0; }

int actgen_kernel_operand_info(const actgen_kernel *k, size_t i, actgen_operand_info *out)
{
    if (!k || !out || !size_is_set(out->size) || i >= k->called.operand_count) return ACTGEN_EINVAL;
    const struct kernel_operand *o = &k->called.operands[i];
    const actgen_operand_info all = {.size = out->size,
                                     .name = o->name,
                                     .type = (int32_t)o->type,
                                     .shape = (int32_t)o->shape,
                                     .layout = (int32_t)o->layout,
                                     .is_result = o->is_result,
                                     .group = o->group,
                                     .part = o->part,
                                     .parts = o->parts,
                                     .block = o->block,
                                     .block_rows = o->block_rows};
    memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
    return ACTGEN_OK;
}

const char *actgen_kernel_chosen_by(const actgen_kernel *k)
{
    if (!k) return NULL;
    return k->tuning.record ? k->tuning.processor : k->core->name;
}

const char *loop_text(char out[LOOP_TEXT_SIZE], const struct loop_choice *loop)
{
    snprintf(out, LOOP_TEXT_SIZE, "%u stage%s of %u vector%s, constants in %s", loop->stages,
             loop->stages == 1 ? "" : "s", loop->unroll, loop->unroll == 1 ? "" : "s",
             loop->constants == CONSTANTS_IN_MEMORY ? "memory" : "registers");
    return out;
}

int actgen_kernel_timing(const actgen_kernel *k, size_t i, actgen_timing *out)
{
    if (!k || !out || !size_is_set(out->size) || i >= k->timing_count) return ACTGEN_EINVAL;
    const struct timed_loop *t = &k->timings[i];
    const actgen_timing all = {.size = out->size,
                               .plan = t->plan ? t->plan->shape : "arithmetic only",
                               .description = t->plan ? t->plan->description : "",
                               .piece = t->piece,
                               .stages = t->loop.stages,
                               .unroll = t->loop.unroll,
                               .constants_in_memory = t->loop.constants == CONSTANTS_IN_MEMORY,
                               .is_estimate = t->is_estimate,
                               .is_chosen = t->is_chosen,
                               .ns_per_element = t->ns,
                               .object_hash = t->object_hash};
    memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
    return ACTGEN_OK;
}

int actgen_kernel_certificate(const actgen_kernel *k, actgen_certificate *out)
{
    if (!k || !out || !size_is_set(out->size)) return ACTGEN_EINVAL;
    ENTER_LIBRARY(host);
    struct diag d = {0};
    if (!(k = kernel_whole(k, &d))) return d.status;
    actgen_certificate all = kernel_certificate(k);
    all.size = out->size;
    memcpy(out, &all, out->size < sizeof all ? out->size : sizeof all);
    return ACTGEN_OK;
}
