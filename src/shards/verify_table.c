/* The table that `actgen verify` prints. */
#include "verify_table.h"
#include "operands.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, ISA, BOUND, ERROR, AT, VERDICT, NOTE };

/* A count with a comma before each group of three digits. */
struct grouped {
    char text[32];
};
static const char *grouped(struct grouped *out, uint64_t count)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *end = out->text;
    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0) *end++ = ',';
        *end++ = digits[i];
    }
    *end = 0;
    return out->text;
}

static bool is_abs(const struct record *r) { return r->accuracy && !strncmp(r->accuracy, "abs", 3); }

/* Returns the largest error by the measure of the bound. */
static double error_of(const struct record *r)
{
    if (!record_is_measured(r)) return NAN;
    return is_abs(r) ? r->report.max_abs : r->report.max_ulp;
}

static double place_of_record(const struct record *r)
{
    return is_abs(r) ? r->report.max_abs_at : r->report.max_ulp_at;
}

void verify_table_begin(struct verify_table *t, bool has_details)
{
    *t = (struct verify_table){.columns = {{"kernel", 0, false},
                                           {"isa", 6, false},
                                           {"bound", 9, false},
                                           {"max error", 10, true},
                                           {"at input", 13, false},
                                           {"verdict", 0, false},
                                           {"", 0, false}},
                               .has_details = has_details};
}

void verify_table_widen(struct verify_table *t, const char *name, const char *isa, const char *bound)
{
    if (name) table_widen(&t->columns[NAME], name);
    if (isa) table_widen(&t->columns[ISA], isa);
    if (bound) table_widen(&t->columns[BOUND], bound);
}

/* ---- below a row ---- */

/* Prints why a row failed and what to do. A row with the verdict `error` has its message on the standard
 * error. */
static void print_failure(const struct record *r)
{
    const actgen_report *t = &r->report;
    struct grouped count, all;
    struct cell at, error;
    if (r->verdict != VERDICT_WRONG) return;
    if (t->wrong)
        table_details(
            "%s of %s results are beyond the bound, or have a wrong NaN, infinity or sign of zero. The "
            "largest error is %s%s, at %s%s%s.%s",
            grouped(&count, t->wrong), grouped(&all, t->inputs), cell_number(&error, "%.4g", error_of(r)),
            is_abs(r) ? "" : " ulp", cell_decimal(&at, place_of_record(r)),
            t->max_ulp_of && !is_abs(r) ? " in " : "", t->max_ulp_of && !is_abs(r) ? t->max_ulp_of : "",
            r->of ? "" : " With --prove, actgen takes only a plan that is right on every input.");
    if (t->undecided)
        table_details(
            "The exact value of %s inputs needs more than 8192 bits, so their results are not judged. Bound "
            "the inputs to leave those out, as in --accuracy '3 ulp on [-8, 8]'.",
            grouped(&count, t->undecided));
    if (t->bits_differ)
        table_details(
            "%s of %s results differ from the interpreter's. The machine code is wrong, which is a defect of "
            "actgen or of LLVM.",
            grouped(&count, t->bits_differ), grouped(&all, t->bits_compared));
    if ((t->wrong || t->bits_differ) && !r->of)
        table_details("Please report the kernel and the output of actgen --version.");
}

/* Returns ", 3 wrong", or nothing for none. */
static const char *said(struct cell *c, unsigned long long count, const char *what)
{
    c->text[0] = 0;
    if (count) snprintf(c->text, sizeof c->text, ", %llu %s", count, what);
    return c->text;
}

/* Prints places, counts and the plan. */
static void print_details(const struct record *r)
{
    const actgen_report *t = &r->report;
    struct cell ulp, ulp_at, abs, abs_at, wrong, undecided, differ, settled, asked;
    char *proof = proof_text(&r->proof);
    if (record_is_measured(r)) {
        table_details("largest error: %s ulp at %s%s%s; |error| / max(1, |y|) is %s at %s",
                      cell_number(&ulp, "%.4g", t->max_ulp), cell_decimal(&ulp_at, t->max_ulp_at),
                      t->max_ulp_of ? " in " : "", t->max_ulp_of ? t->max_ulp_of : "",
                      cell_number(&abs, "%.3g", t->max_abs), cell_decimal(&abs_at, t->max_abs_at));
        table_details("compared: %llu inputs with the reference%s%s%s%s; %llu results with the interpreter%s",
                      (unsigned long long)t->inputs, said(&settled, t->settled, "settled in blocks"),
                      said(&asked, t->asked, "by MPFR"), said(&wrong, t->wrong, "wrong"),
                      said(&undecided, t->undecided, "undecided"), (unsigned long long)t->bits_compared,
                      said(&differ, t->bits_differ, "differ"));
    }
    if (proof) table_details("%s", proof);
    if (r->plan) table_details("plan: %s; %.1f ms to plan and compile", r->plan, r->compile_ms);
    free(proof);
}

/* ---- rows ---- */

/* Returns the verdict as a row shows it. */
static const char *verdict_of(struct cell *c, const struct record *r)
{
    if (r->verdict != VERDICT_INTERRUPTED) return verdict_names[r->verdict];
    snprintf(c->text, sizeof c->text, "interrupted at %.1f %%", 100 * r->report.done);
    return c->text;
}

/* Returns true if the error of the whole result is worth a note: several functions make it, and its bound is
 * in ulps. */
static bool has_whole(const struct record *r)
{
    return record_is_measured(r) && !is_abs(r) && !isnan(r->report.whole_max_ulp);
}

/* Keeps the reason why machine code was not tested, once for all rows with the same reason. */
static void keep_reason(struct verify_table *t, const char *reason)
{
    for (size_t i = 0; i < t->reason_count; i++)
        if (!strcmp(t->reasons[i], reason)) return;
    if (t->reason_count < sizeof t->reasons / sizeof *t->reasons)
        t->reasons[t->reason_count++] = must_format("%s", reason);
}

static void count_row(struct verify_table *t, const struct record *r)
{
    t->rows++;
    t->verdicts[r->verdict]++;
    if (r->message && r->verdict != VERDICT_ERROR) keep_reason(t, r->message);
    if (!record_is_measured(r)) return;
    t->inputs += r->report.inputs;
    t->results += r->report.bits_compared;
    t->has_whole = t->has_whole || has_whole(r);
    t->has_foreign = t->has_foreign || r->of;
    t->has_sample = t->has_sample || (!r->exhaustive && r->operands && strstr(r->operands, ": f32"));
}

void verify_table_row(struct verify_table *t, const struct record *r)
{
    const double error = error_of(r);
    struct cell largest, at, verdict, whole;
    cell_number(&whole, "whole %.4g ulp", r->report.whole_max_ulp);
    const char *row[VERIFY_COLUMNS] = {r->of ? r->of : r->name,
                                       r->of ? "-" : r->isa,
                                       r->accuracy ? r->accuracy : "-",
                                       cell_number(&largest, is_abs(r) ? "abs %.3g" : "%.4g ulp", error),
                                       error > 0 ? cell_decimal(&at, place_of_record(r)) : "-",
                                       verdict_of(&verdict, r),
                                       whole.text};
    for (size_t i = 0; i < VERDICT; i++) table_widen(&t->columns[i], row[i]);
    if (!t->rows) table_titles(t->columns, NOTE);
    table_row(t->columns, has_whole(r) ? VERIFY_COLUMNS : NOTE, row);
    print_failure(r);
    if (r->place) table_details("%s", r->place);
    if (t->has_details) print_details(r);
    count_row(t, r);
}

/* ---- below the table ---- */

static void print_verdict(const struct verify_table *t)
{
    const size_t passed = t->verdicts[VERDICT_OK],
                 failed = t->verdicts[VERDICT_WRONG] + t->verdicts[VERDICT_ERROR];
    if (passed == t->rows && t->has_foreign) {
        puts("Every tested result was within the bound.");
    } else if (passed == t->rows && t->results) {
        puts("Every tested result was within its bound, and equal to the interpreter's in every bit.");
    } else if (passed == t->rows) {
        puts("Every tested result of the interpreter was within its bound. No machine code was tested.");
    } else {
        printf("%zu of %zu rows passed", passed, t->rows);
        if (failed) printf(", %zu failed", failed);
        if (t->verdicts[VERDICT_SKIPPED]) printf(", %zu skipped", t->verdicts[VERDICT_SKIPPED]);
        if (t->verdicts[VERDICT_INTERRUPTED]) printf(", %zu interrupted", t->verdicts[VERDICT_INTERRUPTED]);
        puts(".");
    }
}

void verify_table_end(struct verify_table *t)
{
    struct grouped inputs, results;
    if (!t->rows) return;
    putchar('\n');
    for (size_t i = 0; i < t->reason_count; i++) {
        puts(t->reasons[i]);
        free(t->reasons[i]);
    }
    t->reason_count = 0;
    print_verdict(t);
    if (t->inputs) {
        printf("Tested: %s inputs against the exact value", grouped(&inputs, t->inputs));
        if (t->results) printf(", %s results against the interpreter", grouped(&results, t->results));
        puts(".");
    }
    if (t->has_sample) puts("With --exhaustive, each function of one f32 is tested on all 2^32 inputs.");
    if (t->has_whole)
        puts("'whole' is the error of a result that several functions make. The bound is for each function.");
}
