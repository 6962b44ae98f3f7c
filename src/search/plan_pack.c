/* Packs shape, description, cost, certificate and program. Reads them back strictly. */
#include "plan_pack.h"
#include "record.h"

#include <math.h>
#include <string.h>

void plan_key(const struct plan_request *r, const char *chosen_by, char out[HASH_TEXT_SIZE])
{
    char written[HASH_TEXT_SIZE], simplified[HASH_TEXT_SIZE], bound[SPEC_BOUND_TEXT_SIZE];
    struct text t = text_new(expr_dag_memory(r->dag));
    expr_digest(t.memory, r->piece.written, written); /* The errors are those of the formula as written. */
    expr_digest(t.memory, r->piece.simplified, simplified);
    spec_bound_text(bound, &r->piece.bound);
    text_add(&t, "plan %s", element_types[r->piece.result].name);
    if (r->piece.argument != r->piece.result) text_add(&t, " of %s", element_types[r->piece.argument].name);
    text_add(&t, " %s %s\n%s\n%s %d %u %u\n%s\n", written, simplified, bound, r->profile.name, r->profile.fma,
             r->profile.lookup_f32, r->profile.lookup_f64, chosen_by);
    if (r->sweeps == PLAN_SWEEPS_ALL) text_add(&t, "on all inputs\n");
    if (r->most_work) text_add(&t, "within %llu\n", (unsigned long long)r->most_work);
    for (unsigned i = 0; i < r->companion_count; i++) {
        expr_digest(t.memory, r->companions[i].written, written);
        text_add(&t, "beside %s\n", written);
    }
    hash_text(t.data, t.length, out);
}

/* Returns the number of bytes of a place in a tally. */
static unsigned place_size(enum element_type argument) { return argument == ELEMENT_F64 ? 8 : 4; }

/* Returns the type that the program loads. */
static enum element_type type_of_argument(const lane_program *p)
{
    for (uint32_t n = 0; n < p->count; n++)
        if (p->code[n].op == LANE_LOAD && p->code[n].type == LANE_F64) return ELEMENT_F64;
    return ELEMENT_F32;
}

/* The fields of a plan in its record, before the program. */
static const struct record_field plan_fields[] = {
    {RECORD_TEXT, offsetof(struct plan, shape), 0},
    {RECORD_TEXT, offsetof(struct plan, description), 0},
    {RECORD_F64, offsetof(struct plan, cost), 0},
    {RECORD_NUMBER, offsetof(struct plan, swept), 0},
    {RECORD_NUMBER, offsetof(struct plan, measured.inputs), 0},
    {RECORD_F64, offsetof(struct plan, measured.max_ulp), 0},
    {RECORD_PLACE, offsetof(struct plan, measured.max_ulp_at), 0},
    {RECORD_F64, offsetof(struct plan, measured.max_abs), 0},
    {RECORD_PLACE, offsetof(struct plan, measured.max_abs_at), 0},
    {RECORD_END, 0, 0}};

void plan_pack(struct text *out, const struct plan *plan)
{
    record_add(out, plan_fields, plan, place_size(type_of_argument(plan->program)));
    lane_pack(out, lane_canonical(plan->program));
}

/* Checks that the program only touches the operands of a piece's program. */
static bool is_of_one_value(const lane_program *p, const struct plan_request *r)
{
    const struct kernel_operand argument = {.type = r->piece.argument}, result = {.type = r->piece.result};
    /* Kernels in lanes of f16 take an f16 for an f32 result, too (lower/halves.c). */
    const bool halves = r->profile.lookup_f16 && r->piece.argument == ELEMENT_F16;
    bool loads = false, stores = false;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_LOAD && (i->index != 0 || !kernel_suits_lanes(&argument, i->type))) return false;
        if (i->op == LANE_STORE) {
            const enum lane_type type = p->code[i->operand[0]].type;
            if (i->index != 1 || (!kernel_suits_lanes(&result, type) && !(halves && type == LANE_F16)))
                return false;
        }
        loads |= i->op == LANE_LOAD;
        stores |= i->op == LANE_STORE;
    }
    return loads && stores;
}

static bool is_number_at_least_0(double x) { return x >= 0 && x < INFINITY; }

struct plan *plan_unpack(const struct plan_request *request, const void *data, size_t size)
{
    arena *memory = expr_dag_memory(request->dag);
    struct bytes b = {.data = data, .left = size};
    struct plan *plan = arena_alloc(memory, sizeof *plan);
    record_read(plan, &b, plan_fields, memory, place_size(request->piece.argument));
    plan->measured.decided_any = true;
    const lane_program *p = b.failed ? NULL : lane_unpack(memory, &request->profile, &b);
    plan->program = p;
    const double error =
        request->piece.bound.kind == BOUND_ABS ? plan->measured.max_abs : plan->measured.max_ulp;
    const bool good = p && !b.left && *plan->shape && is_number_at_least_0(plan->cost) &&
                      is_of_one_value(p, request) && error <= judge_allowed(&request->piece.bound);
    return good ? plan : NULL;
}
