/* Compiles one kernel for one instruction set, and verifies it. */
#include "verify_job.h"
#include "operands.h"
#include "parallel.h"

static void describe_kernel(struct verification *v)
{
    struct record *r = &v->record;
    actgen_certificate certificate = ACTGEN_CERTIFICATE_INIT;
    actgen_kernel_certificate(v->kernel, &certificate);
    print_operands(&v->operands, v->kernel);
    r->isa = actgen_kernel_isa(v->kernel);
    r->operands = v->operands.data;
    r->proof = certificate;
    r->accuracy = certificate.accuracy;
    r->plan = certificate.plan;
    r->profile = certificate.profile;
    r->object_hash = actgen_kernel_object_hash(v->kernel);
    r->compile_ms = actgen_kernel_compile_ms(v->kernel);
}

static void note_problem(struct verification *v)
{
    if (v->record.verdict != VERDICT_ERROR) return;
    v->problem = job_problem(v->jobs, v->job, &v->error);
    v->record.problem = &v->problem;
    v->record.message = v->error.message;
}

void verification_open(struct verification *v, const struct jobs *jobs, const struct job *job,
                       const struct record *start)
{
    *v = (struct verification){.jobs = jobs, .job = job, .record = *start};
    v->record.name = job->kernel;
    v->record.isa = job->isa;
    if (was_interrupted()) { /* an interrupt before the compilation */
        v->record.verdict = VERDICT_INTERRUPTED;
        v->code = EXIT_INTERRUPTED;
        return;
    }
    v->code = job_compile(&v->kernel, jobs, job, &v->error);
    v->is_repeated = v->kernel && job_is_repeated(jobs, job, v->kernel);
    if (v->is_repeated) return;
    if (v->kernel) describe_kernel(v);
    if (v->code) {
        if (v->code == EXIT_INTERRUPTED) v->record.verdict = VERDICT_INTERRUPTED;
        note_problem(v);
    } else if (!is_machine_code(v->kernel) && !actgen_isa_runs_here(job->isa)) {
        /* The interpreter says nothing about the code of this instruction set. */
        v->record.verdict = VERDICT_SKIPPED;
        v->record.message = actgen_kernel_backend(v->kernel);
    } else {
        v->is_ready = true;
    }
}

void verification_run(struct verification *v, int (*progress)(void *payload, double done, double max_ulp),
                      void *payload)
{
    struct record *r = &v->record;
    actgen_verify_options verify = ACTGEN_VERIFY_OPTIONS_INIT;
    verify.exhaustive = r->exhaustive;
    verify.shard = r->shard;
    verify.shards = r->shards;
    verify.parallel = parallel_for;
    verify.progress = progress;
    verify.progress_payload = payload;
    verify.judged = v->judged;
    verify.judged_payload = v->judged_payload;
    const int status = actgen_verify(v->kernel, &verify, &r->report, &v->error);
    v->code = exit_of_status(status);
    if (status == ACTGEN_ESTOPPED) {
        r->verdict = VERDICT_INTERRUPTED;
    } else if (status) {
        r->exhaustive = false;
        note_problem(v);
    } else {
        r->verdict = r->report.ok ? VERDICT_OK : VERDICT_WRONG;
        v->code = r->report.ok ? EXIT_GOOD : EXIT_INPUT;
    }
    if (!v->code && !v->judged &&
        !is_machine_code(v->kernel)) { /* this system lets no memory be executable */
        r->message = actgen_kernel_backend(v->kernel);
        v->code = EXIT_TARGET;
    }
}

void verification_close(struct verification *v)
{
    buffer_free(&v->operands);
    actgen_kernel_free(v->kernel);
}
