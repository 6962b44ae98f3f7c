/* The proofs of a kernel. Analysis shows that f64 programs keep their bounds. A comparison at every input of
 * a kernel of one f32 shows that machine code gives the interpreter's bits. */
#include "prove.h"
#include "bits.h"
#include "build_id.h"
#include "float_bits.h"
#include "formula_model.h"
#include "proof.h"
#include "record.h"
#include "verify.h"

#include <stdlib.h>
#include <string.h>

/* Computes the key in the disk cache. It says which object was compared, by which build. */
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

/* Returns true if all inputs can be tried. An f64 has too many values. */
static bool has_inputs_to_try(const struct lane_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->operand_count; i++)
        if (!kernel->operands[i].is_result && kernel->operands[i].type == ELEMENT_F64) return false;
    return bits_has_one_input(kernel);
}

/* -- bounds of f64 -- */

/* The analysis goes on until it has shown this multiple of the measured error, if it can. */
static const double ABOVE_MEASURED = 1.25;

/* Computes the key in the disk cache. It says which program of which formula was analysed, by which build. */
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

static const struct record_field proof_fields[] = {{RECORD_BIT, offsetof(struct proof, proved), 0},
                                                   {RECORD_F64, offsetof(struct proof, bound), 0},
                                                   {RECORD_F64, offsetof(struct proof, seen), 0},
                                                   {RECORD_F64, offsetof(struct proof, near), 0},
                                                   {RECORD_NUMBER, offsetof(struct proof, intervals), 0},
                                                   {RECORD_NUMBER, offsetof(struct proof, judged), 0},
                                                   {RECORD_END, 0, 0}};

static bool find_proof(struct proof *proof, const actgen_kernel *k, const char *key)
{
    size_t size;
    void *data = cache_get(k->engine->cache, key, &size);
    struct bytes b = {.data = data, .left = data ? size : 0};
    record_read(proof, &b, proof_fields, NULL, 0);
    free(data);
    return !b.failed && !b.left && proof->bound >= 0 && proof->seen >= 0;
}

/* The bound and the measured error, in the units in which the bound was asked for. */
struct measure {
    double allowed, measured;
    /* The unit in messages, and the text before and after a number in a spec. */
    const char *unit, *before, *after;
};

static struct measure measure_of(const struct piece *piece)
{
    const struct tally *found = &piece->plan->measured;
    const double allowed = judge_allowed(&piece->bound);
    return piece->bound.kind == BOUND_ABS ? (struct measure){allowed, found->max_abs, "abs", "abs ", ""}
                                          : (struct measure){allowed, found->max_ulp, "ulp", "", " ulp"};
}

static int judge_proof(const struct proof *proof, const actgen_kernel *k, const struct piece *piece,
                       struct diag *error)
{
    const struct measure m = measure_of(piece);
    if (!proof->proved)
        return diag_set(
            error, DIAG_ACCURACY,
            "%s: analysis does not bound the error of %s everywhere, which was measured to be %.3g %s "
            "at most: ask without `prove`",
            k->source->name, piece->name ? piece->name : "this function", m.measured, m.unit);
    if (proof->bound > m.allowed)
        return diag_set(
            error, DIAG_ACCURACY,
            "%s: no more than %.3g %s is proved by analysis, near %.9g, and %.3g %s were measured: "
            "ask for `accuracy %s%.2g%s`, or without `prove`",
            k->source->name, proof->bound, m.unit, proof->near, m.measured, m.unit, m.before,
            proof->bound * 1.05, m.after);
    return DIAG_OK;
}

static int prove_piece(struct proof *proof, actgen_kernel *k, const struct piece *piece, arena *memory,
                       struct progress *progress, struct diag *error)
{
    char key[HASH_TEXT_SIZE];
    const struct measure m = measure_of(piece);
    const char *lacks = formula_model_lacks(piece->simplified, memory);
    if (lacks)
        return diag_set(error, DIAG_ACCURACY,
                        "%s: the analysis that proves bounds of f64 does not cover `%s`; %.3g %s were "
                        "measured at most: ask without `prove`",
                        k->source->name, lacks, m.measured, m.unit);
    bound_key(piece, memory, key);
    if (!find_proof(proof, k, key)) {
        const double near = m.measured * ABOVE_MEASURED;
        const struct proof_request request = {.piece = piece,
                                              .wanted = near < m.allowed ? near : m.allowed,
                                              .ratio = ABOVE_MEASURED,
                                              .allowed = m.allowed,
                                              .searches = true,
                                              .progress = progress};
        if (!proof_run(&request, proof))
            return diag_set(error, DIAG_NO_MEMORY, "%s: no memory to prove it", k->source->name);
        if (!progress_goes_on(progress))
            return diag_set(error, DIAG_STOPPED, "%s: stopped while it was proved", k->source->name);
        struct text packed = text_new(memory);
        record_add(&packed, proof_fields, proof, 0);
        cache_put(k->engine->cache, key, packed.data, packed.length);
    }
    return judge_proof(proof, k, piece, error);
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
        double *bound = piece->bound.kind == BOUND_ABS ? &k->proved_abs : &k->proved_ulp;
        *bound = larger_of(*bound, proof.bound);
        k->proved_seen = larger_of(k->proved_seen, larger_of(proof.seen, measure_of(piece).measured));
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
