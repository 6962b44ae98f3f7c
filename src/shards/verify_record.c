/* Records of verifications as JSON objects. */
#include "verify_record.h"
#include "cli.h"
#include "operands.h"
#include "table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const verdict_names[VERDICTS] = {"ok", "WRONG", "skipped", "interrupted", "error"};

bool record_is_measured(const struct record *r)
{
    return r->verdict == VERDICT_OK || r->verdict == VERDICT_WRONG ||
           (r->verdict == VERDICT_INTERRUPTED && r->report.done > 0);
}

void record_json(struct json *j, const struct record *r)
{
    const actgen_report *report = &r->report;
    const bool measured = record_is_measured(r);
    struct cell cell;
    json_object(j);
    json_text(j, "name", r->name);
    if (r->of) json_text(j, "of", r->of);
    if (r->of) json_text(j, "place", r->place);
    json_text(j, "operands", r->operands);
    json_text(j, "isa", r->isa);
    json_text(j, "accuracy", r->accuracy);
    json_text(j, "plan", r->plan);
    json_text(j, "profile", r->profile);
    json_truth(j, "exhaustive", r->exhaustive);
    if (r->shards) {
        json_count(j, "shard", r->shard);
        json_count(j, "shards", r->shards);
    }
    json_count(j, "inputs", report->inputs);
    json_count(j, "settled", report->settled);
    json_count(j, "asked", report->asked);
    json_exact(j, "max_ulp", measured ? report->max_ulp : NAN);
    json_text(j, "max_ulp_at", measured ? cell_float(&cell, report->max_ulp_at) : NULL);
    if (report->max_ulp_of) json_text(j, "max_ulp_of", report->max_ulp_of);
    json_exact(j, "max_abs", measured ? report->max_abs : NAN);
    json_text(j, "max_abs_at", measured ? cell_float(&cell, report->max_abs_at) : NULL);
    json_exact(j, "whole_max_ulp", measured ? report->whole_max_ulp : NAN);
    json_proof(j, &r->proof);
    json_number(j, "compile_ms", r->accuracy ? r->compile_ms : NAN);
    json_count(j, "undecided", report->undecided);
    json_count(j, "wrong", report->wrong);
    json_count(j, "bits_compared", report->bits_compared);
    json_count(j, "bits_differ", report->bits_differ);
    json_text(j, "object_hash", r->object_hash);
    json_text(j, "build", r->build);
    if (r->verdict == VERDICT_SKIPPED) json_truth(j, "skipped", true);
    if (r->verdict == VERDICT_INTERRUPTED) {
        json_truth(j, "interrupted", true);
        json_number(j, "done", report->done);
    }
    if (r->problem)
        json_problem(j, r->problem);
    else if (r->message)
        json_text(j, "message", r->message);
    if (r->verdict == VERDICT_SKIPPED || r->verdict == VERDICT_INTERRUPTED)
        json_null(j, "ok");
    else
        json_truth(j, "ok", r->verdict == VERDICT_OK);
    json_checksum(j);
    json_close(j);
}

static uint64_t read_count(const struct json_members *o, const char *name)
{
    const char *text = json_find(o, name);
    return text ? strtoull(text, NULL, 10) : 0;
}

/* Reads a number; null stands for infinity. */
static double read_number(const struct json_members *o, const char *name)
{
    const char *text = json_find(o, name);
    return text ? strtod(text, NULL) : INFINITY;
}

/* Reads a number; null stands for NaN, which means not measured. */
static double read_measured(const struct json_members *o, const char *name)
{
    const char *text = json_find(o, name);
    return text ? strtod(text, NULL) : NAN;
}

/* Reads an input from the bits in parentheses, 8 hex digits for f32 and 16 for f64. */
static double read_place(const struct json_members *o, const char *name)
{
    const char *text = json_find(o, name), *bits = text ? strstr(text, "(0x") : NULL;
    const bool is_double = bits && strspn(bits + 3, "0123456789abcdef") == 16;
    const uint64_t pattern = bits ? strtoull(bits + 1, NULL, 16) : 0;
    const uint32_t half = (uint32_t)pattern;
    float single;
    double place;
    memcpy(&single, &half, sizeof single);
    memcpy(&place, &pattern, sizeof place);
    return is_double ? place : (double)single;
}

static enum verdict read_verdict(const struct json_members *o)
{
    const char *ok = json_find(o, "ok");
    if (json_find(o, "skipped")) return VERDICT_SKIPPED;
    if (json_find(o, "interrupted")) return VERDICT_INTERRUPTED;
    if (json_find(o, "message") || !ok) return VERDICT_ERROR;
    return !strcmp(ok, "true") ? VERDICT_OK : VERDICT_WRONG;
}

const char *record_read(struct record *out, const struct json_members *o)
{
    const char *exhaustive = json_find(o, "exhaustive");
    *out = (struct record){.name = json_find(o, "name"),
                           .operands = json_find(o, "operands"),
                           .isa = json_find(o, "isa"),
                           .build = json_find(o, "build"),
                           .accuracy = json_find(o, "accuracy"),
                           .plan = json_find(o, "plan"),
                           .profile = json_find(o, "profile"),
                           .object_hash = json_find(o, "object_hash"),
                           .message = json_find(o, "message"),
                           .compile_ms = read_number(o, "compile_ms"),
                           .exhaustive = exhaustive && !strcmp(exhaustive, "true"),
                           .shard = (uint32_t)read_count(o, "shard"),
                           .shards = (uint32_t)read_count(o, "shards"),
                           .verdict = read_verdict(o)};
    out->report = (actgen_report){.inputs = read_count(o, "inputs"),
                                  .settled = read_count(o, "settled"),
                                  .asked = read_count(o, "asked"),
                                  .max_ulp = read_number(o, "max_ulp"),
                                  .max_ulp_at = read_place(o, "max_ulp_at"),
                                  .max_ulp_of = json_find(o, "max_ulp_of"),
                                  .max_abs = read_number(o, "max_abs"),
                                  .max_abs_at = read_place(o, "max_abs_at"),
                                  .whole_max_ulp = read_measured(o, "whole_max_ulp"),
                                  .undecided = read_count(o, "undecided"),
                                  .wrong = read_count(o, "wrong"),
                                  .bits_compared = read_count(o, "bits_compared"),
                                  .bits_differ = read_count(o, "bits_differ"),
                                  .done = out->verdict == VERDICT_INTERRUPTED ? read_number(o, "done") : 1};
    out->report.ok = out->verdict == VERDICT_OK;
    return out->name && out->isa ? NULL : "it is no report of actgen verify";
}

bool record_same_text(const char *a, const char *b) { return a && b ? !strcmp(a, b) : a == b; }

char *record_difference(const struct record *a, const struct record *b)
{
    const struct {
        const char *what, *a, *b;
    } same[] = {{"kernels", a->name, b->name},          {"instruction sets", a->isa, b->isa},
                {"operands", a->operands, b->operands}, {"builds of actgen", a->build, b->build},
                {"bounds", a->accuracy, b->accuracy},   {"plans", a->plan, b->plan},
                {"profiles", a->profile, b->profile},   {"objects", a->object_hash, b->object_hash}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) /* from the first difference the others follow */
        if (!record_same_text(same[i].a, same[i].b))
            return must_format("different %s, %s and %s", same[i].what, same[i].a ? same[i].a : "none",
                               same[i].b ? same[i].b : "none");
    return NULL;
}

/* Returns the bits of a place as f64. They order places as the bits of f32 do. */
static uint64_t place_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Keeps the larger error. For equal errors it keeps the place with the smaller bits, as an undivided run
 * does. */
static void take_larger(double *most, double *most_at, double part, double part_at)
{
    if (part < *most || (part == *most && place_bits(part_at) >= place_bits(*most_at))) return;
    *most = part;
    *most_at = part_at;
}

void record_add(struct record *sum, const struct record *part)
{
    actgen_report *a = &sum->report;
    const actgen_report *b = &part->report;
    if (b->max_ulp > a->max_ulp) a->max_ulp_of = b->max_ulp_of;
    take_larger(&a->max_ulp, &a->max_ulp_at, b->max_ulp, b->max_ulp_at);
    take_larger(&a->max_abs, &a->max_abs_at, b->max_abs, b->max_abs_at);
    a->whole_max_ulp = fmax(a->whole_max_ulp, b->whole_max_ulp);
    a->inputs += b->inputs;
    a->settled += b->settled;
    a->asked += b->asked;
    a->undecided += b->undecided;
    a->wrong += b->wrong;
    a->bits_compared += b->bits_compared;
    a->bits_differ += b->bits_differ;
    if (part->verdict != VERDICT_OK) sum->verdict = part->verdict;
    a->ok = sum->verdict == VERDICT_OK;
}
