/* Prints the stage "plan": the candidates of the search and why each lost, then the winner of each piece. A
 * winner is shown with its tables as numbers and its program. */
#include "compile.h"

#include <stdio.h>
#include <string.h>

enum { MOST_COLUMNS = 24 };
static const uint32_t NONE = UINT32_MAX;

/* Tables with one index whose entries are the coefficients of polynomials, evaluated by Horner's rule. The
 * highest power comes first. */
struct columns {
    uint32_t lookup[MOST_COLUMNS]; /* Instructions of the program. */
    unsigned count;
    /* The variable of the polynomials. NONE if there is only one column. */
    uint32_t variable;
};

static bool is_alike(const lane_program *p, uint32_t a, uint32_t b)
{
    const struct lane_instruction *x = &p->code[a], *y = &p->code[b];
    return x->op == LANE_LOOKUP && y->op == LANE_LOOKUP && x->type == y->type &&
           x->operand[0] == y->operand[0] && p->tables[x->index].log2_size == p->tables[y->index].log2_size;
}

/* Finds the fma that multiplies `value` and adds a lookup like `first`. Returns NONE if there is none. */
static uint32_t next_step(const lane_program *p, uint32_t value, uint32_t first)
{
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_FMA && (i->operand[0] == value || i->operand[1] == value) &&
            is_alike(p, i->operand[2], first))
            return n;
    }
    return NONE;
}

static struct columns columns_from(const lane_program *p, uint32_t first, bool *printed)
{
    struct columns c = {{first}, 1, NONE};
    printed[first] = true;
    for (uint32_t value = first; c.count < MOST_COLUMNS && (value = next_step(p, value, first)) != NONE;) {
        const struct lane_instruction *step = &p->code[value];
        if (printed[step->operand[2]]) break;
        if (c.count == 1) c.variable = step->operand[0] == first ? step->operand[1] : step->operand[0];
        c.lookup[c.count++] = step->operand[2];
        printed[step->operand[2]] = true;
    }
    return c;
}

/* Prints an entry of a table of f32 or f64 as a number, and any other in hexadecimal. */
static void print_entry(struct text *out, const struct lane_table *t, uint32_t row)
{
    const uint32_t narrow = (uint32_t)t->bits[row];
    char bits[24];
    float f;
    double d;
    memcpy(&f, &narrow, sizeof f);
    memcpy(&d, &t->bits[row], sizeof d);
    snprintf(bits, sizeof bits, "0x%0*llx", 2 * (int)lane_type_bytes(t->type),
             (unsigned long long)t->bits[row]);
    if (t->type == LANE_F32)
        text_add(out, "  %16.9g", (double)f);
    else if (t->type == LANE_F64)
        text_add(out, "  %24.17g", d);
    else
        text_add(out, "  %24s", bits);
}

static void print_columns(struct text *out, const lane_program *p, const struct columns *c)
{
    const struct lane_instruction *first = &p->code[c->lookup[0]];
    const int width = first->type == LANE_F32 ? 16 : 24;
    const uint32_t rows = UINT32_C(1) << p->tables[first->index].log2_size;
    if (c->count > 1)
        text_add(out, "  coefficients of polynomials in t = %%%u, by the low bits of %%%u\n",
                 (unsigned)c->variable, (unsigned)first->operand[0]);
    else
        text_add(out, "  table %u, by the low bits of %%%u\n", (unsigned)first->index,
                 (unsigned)first->operand[0]);
    text_add(out, "    %4s", "");
    for (unsigned k = 0; k < c->count; k++) {
        char title[16] = "";
        if (c->count > 1) snprintf(title, sizeof title, "t^%u", c->count - 1 - k);
        text_add(out, "  %*s", width, title);
    }
    for (uint32_t r = 0; r < rows; r++) {
        text_add(out, "\n    %4u", (unsigned)r);
        for (unsigned k = 0; k < c->count; k++) print_entry(out, &p->tables[p->code[c->lookup[k]].index], r);
    }
    text_add(out, "\n");
}

/* Prints all tables. A leading coefficient is never added to anything, so chains begin with lookups that are
 * no addends. The second pass prints lookups that are added to something other than a polynomial. */
static void print_tables(struct text *out, const lane_program *p)
{
    bool *printed = arena_alloc(out->memory, p->count * sizeof *printed);
    bool *added = arena_alloc(out->memory, p->count * sizeof *added);
    memset(printed, 0, p->count * sizeof *printed);
    memset(added, 0, p->count * sizeof *added);
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_FMA) added[p->code[n].operand[2]] = true;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t n = 0; n < p->count; n++) {
            if (p->code[n].op != LANE_LOOKUP || printed[n] || (!pass && added[n])) continue;
            const struct columns c = columns_from(p, n, printed);
            print_columns(out, p, &c);
        }
}

/* Searches again, because the plan may have been found ready. */
static int print_search(struct text *out, struct lowered **found, const actgen_kernel *k,
                        struct progress *progress, struct diag *error)
{
    struct planning planning = {.search_all = true,
                                .search = {text_new(out->memory)},
                                .machine = {k->engine, k->isa, NULL},
                                .progress = progress};
    const struct spec *spec = spec_copy_kernel(out->memory, k->spec, k->source);
    const struct lower_request request = lowering_of(k, spec, planner_of(&planning));
    int status = lower_kernel(found, &request, error);
    text_add(out, "# candidates for %s, in the order they were measured: cost in cycles a vector\n%s",
             k->core->name, planning.search.log.data ? planning.search.log.data : "");
    return status;
}

/* Prints the loop. Without the library that compiles there is no loop to print. */
static int print_loop(struct text *out, const actgen_kernel *k, const struct lowered *lowered,
                      struct diag *error)
{
    struct diag why = {0};
    const struct backend_function f = {
        .kernel = &lowered->kernel, .symbol = "", .isa = k->isa, .core = core_of_loops(k)};
    struct loop_choice loops[LOOP_MOST_CHOICES] = {{0}};
    char loop[LOOP_TEXT_SIZE];
    const bool by_times = k->tuning.record != NULL;
    size_t count;
    if (!by_times && engine_loops(k->engine, loops, &count, &f, &why))
        return why.status == DIAG_NO_MEMORY ? diag_out_of_memory(error) : DIAG_OK;
    text_add(out, "\nloop: %s; chosen by %s %s\n", loop_text(loop, by_times ? &k->loop : loops),
             by_times ? "times on" : "the rules for", by_times ? actgen_kernel_chosen_by(k) : f.core->name);
    return DIAG_OK;
}

int print_plans(struct text *out, const actgen_kernel *k, struct progress *progress, struct diag *error)
{
    struct lowered *found;
    int status = print_search(out, &found, k, progress, error);
    if (status) return status;
    const struct lowered *lowered = k->lowered ? k->lowered : found;
    status = print_loop(out, k, lowered, error);
    if (status) return status;
    for (uint32_t i = 0; i < lowered->piece_count; i++) {
        const struct piece *p = &lowered->pieces[i];
        text_add(out, "\npiece ");
        expr_print(out, p->written, NULL);
        text_add(out, "\n  %s: %s\n  cost %.2f; measured max %.4g ulp, %.4g abs on %llu inputs\n",
                 p->plan->shape, p->plan->description, p->plan->cost, p->plan->measured.max_ulp,
                 p->plan->measured.max_abs, (unsigned long long)p->plan->measured.inputs);
        print_tables(out, p->plan->program);
        lane_print(out, p->plan->program);
    }
    return DIAG_OK;
}
