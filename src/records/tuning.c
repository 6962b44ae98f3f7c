/* The records of tuned kernels, in the disk cache and in plan files. */
#include "tuning.h"
#include "plan_file.h"
#include "plan_pack.h"
#include "record.h"

#include <stdlib.h>
#include <string.h>

/* Computes the key of a record from formulas, bounds, operands, instruction set, streaming, and the processor
 * that was timed. */
static void tuning_key(const struct lowering *l, const actgen_kernel *k, const char *processor,
                       char out[HASH_TEXT_SIZE])
{
    struct text t = text_new(lower_memory(l));
    text_add(&t, "tuned on %s for %s %zu\n", processor, k->asked.isa->name, k->streaming_bytes);
    for (uint32_t n = 0; n < lower_piece_count(l); n++) {
        const struct plan_request request = lower_piece_request(l, n);
        char key[HASH_TEXT_SIZE];
        plan_key(&request, processor, key);
        text_add(&t, "%s\n", key);
    }
    lower_digest(&t, l);
    hash_text(t.data, t.length, out);
}

static const struct record_field loop_fields[] = {
    {RECORD_WORD, offsetof(struct loop_choice, stages), LOOP_MOST_STAGES + 1},
    {RECORD_WORD, offsetof(struct loop_choice, unroll), LOOP_MOST_UNROLL + 1},
    {RECORD_WORD, offsetof(struct loop_choice, constants), CONSTANTS_COUNT},
    {RECORD_END, 0, 0}};

/* Packs the plans that the lowering has taken, and the loop. */
static void tuning_pack(struct text *out, const struct lowering *l, const struct loop_choice *loop)
{
    record_add(out, loop_fields, loop, 0);
    bytes_add_number(out, lower_piece_count(l));
    for (uint32_t n = 0; n < lower_piece_count(l); n++) {
        struct text plan = text_new(out->memory);
        plan_pack(&plan, lower_piece_plan(l, n));
        bytes_add_number(out, plan.length);
        text_bytes(out, plan.data, plan.length);
    }
}

/* Unpacks a record. If the bytes are not for such a kernel, or a plan does not claim to keep its bound, the
 * function returns false and changes no plan. */
static bool tuning_unpack(struct lowering *l, struct loop_choice *loop, const void *data, size_t size)
{
    struct bytes b = {.data = data, .left = size};
    const uint32_t count = lower_piece_count(l);
    record_read(loop, &b, loop_fields, lower_memory(l), 0);
    if (bytes_number(&b) != count || b.failed || !loop_choice_is_valid(loop)) return false;
    struct plan **plans = arena_alloc(lower_memory(l), (count + 1) * sizeof *plans);
    for (uint32_t n = 0; n < count; n++) {
        const struct plan_request request = lower_piece_request(l, n);
        const uint64_t length = bytes_number(&b);
        const unsigned char *packed = length <= b.left ? bytes_take(&b, (size_t)length) : NULL;
        plans[n] = packed ? plan_unpack(&request, packed, (size_t)length) : NULL;
        if (!plans[n]) return false;
    }
    if (b.left) return false;
    for (uint32_t n = 0; n < count; n++) lower_take_plan(l, n, plans[n]);
    return true;
}

/* -- the sources of records -- */

static void keep_record(actgen_kernel *k, const struct lowering *l, const char *processor, const char *key)
{
    struct text t = text_new(lower_memory(l));
    tuning_pack(&t, l, &k->loop);
    k->tuning = (struct tuning){.processor = processor, .record = t.data, .size = t.length};
    memcpy(k->tuning.key, key, HASH_TEXT_SIZE);
}

/* Computes the key in the disk cache of a record for `key`. A judged record of a plan file has a key of its
 * own, which depends on all its bytes. */
static void disk_key_of(const struct lowering *l, const char *what, const char *key, const void *data,
                        size_t size, char out[HASH_TEXT_SIZE])
{
    struct text t = text_new(lower_memory(l));
    text_add(&t, "%s ", key);
    text_bytes(&t, data, size);
    disk_key(&t, what, out);
}

static bool find_cached(struct lowering *l, actgen_kernel *k, struct planning *p, const char *stored)
{
    size_t size;
    p->bytes = cache_get(p->cache, stored, &size);
    const bool found = p->bytes && tuning_unpack(l, &k->loop, p->bytes, size);
    if (p->bytes && !found) cache_drop(p->cache, stored);
    planning_clear(p);
    return found;
}

static void put_cached(const struct planning *p, const struct lowering *l, const actgen_kernel *k,
                       const char *stored)
{
    if (!arena_failed(lower_memory(l))) cache_put(p->cache, stored, k->tuning.record, k->tuning.size);
}

static int judge_all(struct lowering *l, const actgen_kernel *k, struct planning *p, unsigned line,
                     struct diag *error)
{
    int status = DIAG_OK;
    for (uint32_t n = 0; n < lower_piece_count(l) && !status; n++) {
        struct plan_request request = lower_piece_request(l, n);
        struct diag why = {0};
        struct plan *judged;
        status = planning_judge(p, &judged, lower_piece_plan(l, n), &request, &why);
        if (!status)
            lower_take_plan(l, n, judged);
        else
            diag_set(error, status, "plan file, line %u, `%s`: %.300s", line, k->source->name, why.message);
    }
    return status;
}

int tuning_from_file(bool *found, struct lowering *l, actgen_kernel *k, struct planning *p,
                     struct diag *error)
{
    struct plan_part part = {k->asked.plans, 1};
    const unsigned char *record;
    const char *processor;
    char key[HASH_TEXT_SIZE], stored[HASH_TEXT_SIZE];
    size_t size;
    unsigned line;
    do {
        processor = plan_part_processor(&part, lower_memory(l));
        tuning_key(l, k, processor, key);
        record = plan_part_find(&part, key, lower_memory(l), &size, &line);
    } while (!record && plan_part_next(&part));
    *found = record != NULL;
    if (!record) return DIAG_OK;
    disk_key_of(l, "judged tuning", key, record, size, stored);
    int status = DIAG_OK;
    if (!find_cached(l, k, p, stored)) {
        if (p->ready_only) return not_ready(error);
        if (!tuning_unpack(l, &k->loop, record, size))
            return diag_set(
                error, DIAG_INVALID,
                "plan file, line %u: the record for `%s` is not valid, or states an error beyond the bound",
                line, k->source->name);
        status = judge_all(l, k, p, line, error);
    }
    if (!status) keep_record(k, l, processor, key);
    if (!status) put_cached(p, l, k, stored);
    return status;
}

struct tuning_place tuning_place_here(const struct lowering *l, const actgen_kernel *k)
{
    struct tuning_place place;
    char here[TARGET_PROCESSOR_SIZE];
    target_processor_here(here);
    place.processor = arena_copied(lower_memory(l), here);
    tuning_key(l, k, place.processor, place.key);
    disk_key_of(l, "tuning", place.key, "", 0, place.stored);
    return place;
}

bool tuning_find(struct lowering *l, actgen_kernel *k, struct planning *p, const struct tuning_place *place)
{
    const bool found = find_cached(l, k, p, place->stored);
    if (found) keep_record(k, l, place->processor, place->key);
    return found;
}

void tuning_store(const struct lowering *l, actgen_kernel *k, const struct planning *p,
                  const struct tuning_place *place)
{
    keep_record(k, l, place->processor, place->key);
    put_cached(p, l, k, place->stored);
}
