/* Makes formulas into steps on blocks of lanes. */
#include "written_making.h"

static bool is_leaf_of_piece(const expr *e, const expr *root)
{
    return e->kind == EXPR_INPUT || (e->kind == EXPR_CAST && e != root && !expr_is_constant(e));
}

/* Returns true if some path from `root` to a leaf avoids `barrier`. */
static bool escapes(arena *memory, const expr *root, const expr *barrier)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, root, &count);
    bool *reached = arena_alloc(memory, (size_t)root->id + 1);
    reached[root->id] = root != barrier;
    for (uint32_t i = count; i-- > 0;) {
        const expr *e = nodes[i];
        if (!reached[e->id]) continue;
        if (is_leaf_of_piece(e, root)) return true;
        for (unsigned k = 0; k < expr_arity(e->kind); k++)
            if (e->operand[k] != barrier) reached[e->operand[k]->id] = true;
    }
    return false;
}

/* Returns the lowest number that determines `root`. */
static const expr *argument_of(arena *memory, const expr *root)
{
    uint32_t count;
    const expr **nodes = expr_walk(memory, root, &count);
    for (uint32_t i = 0; i < count; i++) /* operands come before users */
        if (!expr_is_constant(nodes[i]) && !expr_is_truth(nodes[i]) && !escapes(memory, root, nodes[i]))
            return nodes[i];
    return root;
}

/* Returns the operands whose NaN makes a choice NaN. */
static uint64_t nan_inputs(const struct making *m, uint64_t of)
{
    const struct lane_kernel *kernel = m->w->subject->kernel;
    uint64_t inputs = 0;
    for (uint32_t i = 0; i < kernel->operand_count && i < 64; i++)
        if (of >> i & 1) inputs |= kernel->operands[i].nan_from;
    return inputs;
}

uint32_t written_add_step(struct making *m, const expr *e, struct purpose purpose, struct step s)
{
    s.wide = purpose.wide;
    s.nan_inputs = nan_inputs(m, e->inputs);
    m->w->steps[m->w->count] = s;
    m->made[m->w->count] = (struct made){e, purpose};
    return m->w->count++;
}

/* ---- types ---- */

static enum element_type own_type(const struct making *m, const expr *e)
{
    if (e->kind == EXPR_CAST) return e->type;
    if (e->kind != EXPR_INPUT) return ELEMENT_F32;
    const struct kernel_operand *o = &m->w->subject->kernel->operands[e->input];
    /* A sum is internal. f32 arithmetic rounds it, and it makes nothing f64. */
    const bool is_lane = o->is_internal || !element_is_stored(o->type) || element_is_power(o->type);
    return is_lane ? ELEMENT_F32 : o->type;
}

/* Returns true if `e` is computed from some f64. The search stops at casts. */
bool written_is_wide(struct making *m, const expr *e)
{
    uint32_t count;
    const expr **nodes = expr_walk(m->memory, e, &count);
    bool *wide = arena_alloc(m->memory, (size_t)e->id + 1);
    for (uint32_t i = 0; i < count; i++) { /* operands come before users */
        const expr *node = nodes[i];
        const bool is_end = node->kind == EXPR_INPUT || node->kind == EXPR_CAST;
        wide[node->id] = is_end && own_type(m, node) == ELEMENT_F64;
        for (unsigned k = 0; !is_end && k < expr_arity(node->kind); k++)
            wide[node->id] = wide[node->id] || wide[node->operand[k]->id];
    }
    return wide[e->id];
}

/* Makes the expression of a result or a cast of the given type. */
static uint32_t make_rounded(struct making *m, const expr *e, enum element_type type)
{
    const uint32_t exact =
        written_make(m, e, (struct purpose){type == ELEMENT_F64 || written_is_wide(m, e), true, type});
    return make_scaled(m, e, type, exact);
}

/* ---- steps ---- */

static uint32_t make_constant(struct making *m, const expr *e, struct purpose purpose)
{
    const struct element_type_info *t = &element_types[purpose.wide ? ELEMENT_F64 : ELEMENT_F32];
    double value = 0, none = 0;
    reference *truth = reference_create(e, e, 0);
    if (!truth || reference_rounded(truth, &none, &t->format, &value) != REFERENCE_DECIDED)
        m->impossible = true;
    reference_free(truth);
    return written_add_step(m, e, purpose, (struct step){.kind = EXPR_NUMBER, .constant = value});
}

/* Returns true if the piece has the types and the bound that the language promises for `e`, a function of one
 * value. The default bound is 3 ulp, or more for factors of products that become a 16-bit type. A whole
 * result of a 16-bit value is correctly rounded instead, and an f32 value that becomes a 16-bit type is
 * nearly so. See docs/language.md, "What bounds mean". */
static bool is_promised(const struct making *m, const struct piece *p, const expr *e, const expr *argument,
                        struct purpose purpose)
{
    const struct spec_bound *asked = &m->w->subject->asked;
    const bool from_half = !purpose.wide && element_is_half(own_type(m, argument));
    const bool is_default = asked->kind == BOUND_DEFAULT;
    const bool keeps_before = element_is_integer(purpose.rounded_to) && asked->kind == BOUND_ABS;
    const bool to_half = !purpose.wide && element_is_half(purpose.rounded_to) && !keeps_before;
    const enum element_type result = purpose.wide ? ELEMENT_F64 : to_half ? purpose.rounded_to : ELEMENT_F32;
    const enum element_type from = purpose.wide ? ELEMENT_F64
                                   : from_half  ? own_type(m, argument)
                                                : ELEMENT_F32;
    const double usual = to_half && !from_half        ? SPEC_NARROWED_ULP
                         : from_half && purpose.whole ? 0.5
                         : result == ELEMENT_F32      ? m->factor_ulps[e->id]
                                                      : 3;
    const double allowed = is_default ? usual : asked->value;
    const bool same_kind = (p->bound.kind == BOUND_ABS) == (asked->kind == BOUND_ABS);
    return p->argument == from && p->result == result && same_kind && judge_allowed(&p->bound) == allowed;
}

static uint32_t make_piece(struct making *m, const expr *e, const expr *argument, struct purpose purpose)
{
    const struct verify_subject *subject = m->w->subject;
    const expr *formula = expr_substitute(m->dag, e, argument, expr_input(m->dag, 0));
    struct step s = {.kind = STEP_PIECE};
    while (
        s.index < subject->piece_count &&
        (m->pieces[s.index] != formula || !is_promised(m, &subject->pieces[s.index], e, argument, purpose)))
        s.index++;
    m->impossible = m->impossible || s.index == subject->piece_count;
    s.operand[0] = written_make(m, argument, operand_purpose(purpose.wide));
    return written_add_step(m, e, purpose, s);
}

/* -- combined operations -- */

static uint32_t make_scaled_exponential(struct making *m, const expr *e, const expr *u, const expr *power,
                                        struct purpose purpose)
{
    struct step s = {.kind = STEP_SCALED_EXPONENTIAL};
    m->impossible = m->impossible || !m->w->subject->scaled_exponential;
    s.operand[0] = written_make(m, u, operand_purpose(false));
    s.operand[1] = written_make(m, power, operand_purpose(false));
    return written_add_step(m, e, purpose, s);
}

/* Returns the f32 value that f64 arithmetic takes unchanged, or NULL if it is none. */
const expr *written_narrow_part(struct making *m, const expr *e)
{
    if (e->kind == EXPR_CAST && e->type == ELEMENT_F64) e = e->operand[0];
    const bool is_value = e->kind == EXPR_INPUT || e->kind == EXPR_CAST;
    return is_value && own_type(m, e) != ELEMENT_F64 ? e : NULL;
}

/* Makes a fused operation: where there is fma, f32(f64(a)*b + c) of f32 values is one. Returns false if the
 * expression has another form. */
static bool make_fused(struct making *m, const expr *e, struct purpose purpose, uint32_t *out)
{
    const expr *part[3];
    struct step s = {.kind = STEP_FMA};
    if (!m->w->subject->kernel->program->profile.fma || !expr_is_rounded_sum_of_product(e, part))
        return false;
    if (!written_is_wide(m, e->operand[0]) || argument_of(m->memory, e->operand[0]) != e->operand[0])
        return false;
    for (unsigned i = 0; i < 3; i++) {
        part[i] = written_narrow_part(m, part[i]);
        if (!part[i]) return false;
    }
    for (unsigned i = 0; i < 3; i++) s.operand[i] = written_make(m, part[i], operand_purpose(false));
    *out = written_add_step(m, e, purpose, s);
    return true;
}

/* Makes a remainder of two values. Sets without fma compute those of f64 as written. Returns false if the
 * expression has another form. */
static bool make_remainder(struct making *m, const expr *e, struct purpose purpose, uint32_t *out)
{
    const expr *a, *b;
    bool floors;
    if (!expr_is_remainder(e, &a, &b, &floors)) return false;
    if (purpose.wide && !m->w->subject->kernel->program->profile.fma) return false;
    struct step s = {.kind = STEP_REMAINDER, .index = floors};
    s.operand[0] = written_make(m, a, operand_purpose(purpose.wide));
    s.operand[1] = written_make(m, b, operand_purpose(purpose.wide));
    *out = written_add_step(m, e, purpose, s);
    return true;
}

/* ---- draws against numbers ---- */

static bool is_draw(const struct making *m, const expr *e)
{
    return e->kind == EXPR_INPUT && m->w->subject->kernel->operands[e->input].source == SOURCE_RANDOM;
}

/* Returns the number that draws are compared with, and which operand of `e` it is. Otherwise returns NULL. */
static const expr *limit_of_draws(const struct making *m, const expr *e, unsigned *place)
{
    for (*place = 0; *place < 2 && (e->kind == EXPR_LT || e->kind == EXPR_LE); ++*place) {
        const expr *limit = e->operand[*place];
        if (!is_draw(m, e->operand[1 - *place]) || !expr_is_constant(limit)) continue;
        limit = expr_simplify(m->dag, limit, NULL);
        if (limit->kind == EXPR_NUMBER) return limit;
    }
    return NULL;
}

/* Makes the number that draws are compared with. The comparison is with the exact number, so it is rounded to
 * the side on which no f64 lies between. */
static uint32_t make_limit(struct making *m, const expr *limit, bool rounds_up, struct purpose purpose)
{
    enum { F64_BITS = 53 };
    mpfr_t rounded;
    if (m->w->count + 2 >= m->capacity) {
        m->impossible = true;
        return 0;
    }
    mpfr_init2(rounded, F64_BITS);
    mpfr_set_q(rounded, limit->number, rounds_up ? MPFR_RNDU : MPFR_RNDD);
    const uint32_t number = written_add_step(
        m, limit, purpose, (struct step){.kind = EXPR_NUMBER, .constant = mpfr_get_d(rounded, MPFR_RNDN)});
    mpfr_clear(rounded);
    m->made[number].node = NULL; /* other uses of the number round it to nearest */
    return number;
}

static uint32_t make_arithmetic(struct making *m, const expr *e, struct purpose purpose)
{
    struct step s = {.kind = (int)e->kind};
    unsigned place;
    const expr *limit = limit_of_draws(m, e, &place);
    for (unsigned k = 0; k < expr_arity(e->kind); k++)
        s.operand[k] = limit && k == place ? make_limit(m, limit, (k == 1) == (e->kind == EXPR_LT), purpose)
                                           : written_make(m, e->operand[k], operand_purpose(purpose.wide));
    return written_add_step(m, e, purpose, s);
}

/* ---- bits ---- */

static bool is_bit_operand(const struct making *m, const expr *e)
{
    return e->kind == EXPR_INPUT && element_is_bit(own_type(m, e));
}

/* Makes a number that depends on a mask only, and so has two values. */
static uint32_t make_of_mask(struct making *m, const expr *e, const expr *mask, struct purpose purpose)
{
    struct step s = {.kind = EXPR_IF};
    s.operand[0] = written_make(m, mask, operand_purpose(purpose.wide));
    for (unsigned bit = 0; bit < 2; bit++)
        s.operand[2 - bit] =
            make_constant(m, expr_substitute(m->dag, e, mask, expr_integer(m->dag, bit)), purpose);
    return written_add_step(m, e, purpose, s);
}

/* Makes the value of a mask. It is a number, or the condition of `if c then 1 else 0`, which is no piece. */
static uint32_t make_bit(struct making *m, const expr *e)
{
    const struct purpose purpose = operand_purpose(written_is_wide(m, e));
    const bool is_condition =
        e->kind == EXPR_IF && expr_is_number(e->operand[1], 1, 1) && expr_is_number(e->operand[2], 0, 1);
    return is_condition ? make_arithmetic(m, e, purpose) : written_make(m, e, purpose);
}

uint32_t written_make(struct making *m, const expr *e, struct purpose purpose)
{
    for (uint32_t i = 0; i < m->w->count; i++) {
        const struct made *known = &m->made[i];
        if (known->node == e && known->purpose.wide == purpose.wide &&
            known->purpose.whole == purpose.whole && known->purpose.rounded_to == purpose.rounded_to)
            return i;
    }
    if (m->impossible || m->w->count + 1 >= m->capacity) {
        m->impossible = true;
        return 0;
    }
    if (e->kind == EXPR_INPUT)
        return written_add_step(m, e, purpose, (struct step){.kind = EXPR_INPUT, .index = e->input});
    uint32_t fused;
    if (make_fused(m, e, purpose, &fused)) return fused;
    if (e->kind == EXPR_CAST) {
        struct step s = {.kind = EXPR_CAST, .type = e->type};
        s.operand[0] = make_rounded(m, e->operand[0], e->type);
        return written_add_step(m, e, purpose, s);
    }
    if (expr_is_constant(e) && !expr_is_truth(e)) return make_constant(m, e, purpose);
    unsigned place;
    const bool is_choice = e->kind == EXPR_IF && limit_of_draws(m, e->operand[0], &place);
    const expr *argument =
        expr_is_truth(e) || is_choice || expr_is_inverse_of_power(e) ? e : argument_of(m->memory, e);
    if (argument != e && is_bit_operand(m, argument)) return make_of_mask(m, e, argument, purpose);
    const expr *u, *power;
    if (argument != e) return make_piece(m, e, argument, purpose);
    uint32_t remainder;
    if (make_remainder(m, e, purpose, &remainder)) return remainder;
    return !purpose.wide && expr_is_scaled_exponential(e, &u, &power)
               ? make_scaled_exponential(m, e, u, power, purpose)
               : make_arithmetic(m, e, purpose);
}

const struct written *written_create(arena *memory, const struct verify_subject *subject)
{
    enum { NODES = 1 << 16 };
    struct making m = {.memory = memory, .dag = expr_dag_create(memory, NODES), .capacity = 1 << 14};
    struct written *w = m.w = arena_alloc(memory, sizeof *w);
    w->subject = subject;
    w->steps = arena_alloc(memory, m.capacity * sizeof *w->steps);
    m.made = arena_alloc(memory, m.capacity * sizeof *m.made);
    w->results = arena_alloc(memory, (subject->result_count + 1) * sizeof *w->results);
    m.pieces = arena_alloc(memory, (subject->piece_count + 1) * sizeof *m.pieces);
    for (uint32_t i = 0; i < subject->piece_count; i++)
        m.pieces[i] = expr_import(m.dag, subject->pieces[i].written);
    const expr **results = arena_alloc(memory, (subject->result_count + 1) * sizeof *results);
    enum element_type *types = arena_alloc(memory, (subject->result_count + 1) * sizeof *types);
    for (uint32_t i = 0; i < subject->result_count; i++) {
        types[i] = subject->kernel->operands[subject->results[i].operand].type;
        results[i] = expr_import(m.dag, subject->results[i].written);
    }
    m.factor_ulps = spec_factor_ulps(memory, results, types, subject->result_count);
    for (uint32_t i = 0; i < subject->result_count; i++)
        w->results[i] =
            element_is_bit(types[i]) ? make_bit(&m, results[i]) : make_rounded(&m, results[i], types[i]);
    return m.impossible || expr_dag_full(m.dag) ? NULL : w;
}
