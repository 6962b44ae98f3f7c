/* The proof of machine code: at every input of a kernel of one f32 it gives the interpreter's bits. */
#include "prove.h"
#include "bits.h"
#include "build_id.h"
#include "verify.h"

#include <stdlib.h>

/* Of the disk cache: what was compared, by which build. */
static void proof_key(const actgen_kernel *k, arena *memory, char out[HASH_TEXT_SIZE])
{
    struct text t = text_new(memory);
    text_add(&t, "proof of %s %s\n", k->object_key, build_id);
    hash_text(t.data, t.length, out);
}

static bool is_known(const actgen_kernel *k, const char *key)
{
    size_t size;
    void *proof = cache_get(k->engine->cache, key, &size);
    free(proof);
    return proof;
}

static int stop(void *progress, double done, double max_ulp)
{
    (void)done, (void)max_ulp;
    return !progress_goes_on(progress);
}

/* An f64 has too many values. */
static bool has_inputs_to_try(const struct lane_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->operand_count; i++)
        if (!kernel->operands[i].is_result && kernel->operands[i].type == ELEMENT_F64) return false;
    return bits_has_one_input(kernel);
}

int prove_code(const actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error)
{
    char key[HASH_TEXT_SIZE];
    if (!k->tile || !has_inputs_to_try(&k->lowered->kernel)) return DIAG_OK;
    proof_key(k, memory, key);
    if (is_known(k, key)) return DIAG_OK;
    actgen_verify_options options = ACTGEN_VERIFY_OPTIONS_INIT;
    options.exhaustive = true;
    options.parallel = progress->parallel;
    options.parallel_payload = progress->parallel_payload;
    options.progress = stop;
    options.progress_payload = progress;
    const struct verify_subject subject = {
        .kernel = &k->lowered->kernel, .code = k->tile, .vector_lanes = k->isa->vector_bytes / 4};
    actgen_report report;
    progress_begin(progress, "comparing machine code at all inputs", 0);
    const int status = verify_run(&subject, &options, &report, error);
    if (status) return status;
    if (report.bits_differ)
        return diag_set(
            error, DIAG_BACKEND,
            "%s (%s): machine code and interpreter differ at %llu of %llu inputs: please report it",
            k->source->name, k->isa->name, (unsigned long long)report.bits_differ,
            (unsigned long long)report.bits_compared);
    struct text proof = text_new(memory);
    text_add(&proof, "%llu equal\n", (unsigned long long)report.bits_compared);
    cache_put(k->engine->cache, key, proof.data, proof.length);
    return DIAG_OK;
}
