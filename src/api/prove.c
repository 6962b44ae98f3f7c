/* The proofs of a kernel: by analysis that the programs of f64 keep their bounds, and that machine code gives the interpreter's
 * bits at every input of a kernel of one f32. */
#include "prove.h"
#include "bits.h"
#include "build_id.h"
#include "packed_proof.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

/* The key in the disk cache says what was compared, by which build. */
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

/* -- bounds of f64 -- */

/* The analysis goes on until it has shown this multiple of the error that was measured, where it can. */
static const double ABOVE_MEASURED = 1.25;

/* The key in the disk cache says which program of which formula was analysed, by which build. */
static void bound_key(const struct piece *piece, arena *memory, char out[HASH_TEXT_SIZE])
{
    struct text t = text_new(memory);
    char bound[SPEC_BOUND_TEXT_SIZE];
    spec_bound_text(bound, &piece->bound);
    text_add(&t, "bound of f64, %s, %s\n", build_id, bound);
    expr_print(&t, piece->written, NULL);
    text_add(&t, "\n");
    lane_print(&t, piece->program);
    hash_text(t.data, t.length, out);
}

static bool find_proof(struct proof *proof, const actgen_kernel *k, const char *key)
{
    size_t size;
    void *data = cache_get(k->engine->cache, key, &size);
    const bool known = data && packed_proof_read(proof, data, size);
    free(data);
    return known;
}

static int prove_piece(struct proof *proof, actgen_kernel *k, const struct piece *piece, arena *memory,
                       struct progress *progress, struct diag *error)
{
    char key[HASH_TEXT_SIZE];
    const double allowed = judge_allowed(&piece->bound);
    bound_key(piece, memory, key);
    if (!find_proof(proof, k, key)) {
        const double near = piece->plan->measured.max_ulp * ABOVE_MEASURED;
        const struct proof_request request = {.piece = piece,
                                              .wanted = near < allowed ? near : allowed,
                                              .ratio = ABOVE_MEASURED,
                                              .allowed = allowed,
                                              .progress = progress};
        if (!proof_run(&request, proof))
            return diag_set(error, DIAG_NO_MEMORY, "%s: no memory to prove it", k->source->name);
        if (!progress_goes_on(progress))
            return diag_set(error, DIAG_STOPPED, "%s: stopped while it was proved", k->source->name);
        struct text packed = text_new(memory);
        packed_proof_add(&packed, proof);
        cache_put(k->engine->cache, key, packed.data, packed.length);
    }
    if (!proof->proved)
        return diag_set(
            error, DIAG_ACCURACY,
            "%s: analysis does not bound the error of %s everywhere, which was measured to be %.3g ulp "
            "at most: ask without `prove`",
            k->source->name, piece->name ? piece->name : "this function", piece->plan->measured.max_ulp);
    if (proof->max_ulp > allowed)
        return diag_set(
            error, DIAG_ACCURACY,
            "%s: no more than %.3g ulp is proved by analysis, near %.9g, and %.3g ulp were measured: "
            "ask for `accuracy %.2g ulp`, or without `prove`",
            k->source->name, proof->max_ulp, proof->near, piece->plan->measured.max_ulp,
            proof->max_ulp * 1.05);
    return DIAG_OK;
}

int prove_bounds(actgen_kernel *k, arena *memory, struct progress *progress, struct diag *error)
{
    int status = DIAG_OK;
    for (uint32_t n = 0; n < k->lowered->piece_count && !status; n++) {
        struct proof proof;
        const struct piece *piece = &k->lowered->pieces[n];
        if (piece->argument != ELEMENT_F64) continue;
        status = prove_piece(&proof, k, piece, memory, progress, error);
        if (status) break;
        if (proof.max_ulp > k->proved_ulp) k->proved_ulp = proof.max_ulp;
        k->proved_intervals += proof.intervals;
    }
    return status;
}

/* -- machine code -- */

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
