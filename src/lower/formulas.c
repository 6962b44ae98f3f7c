/* Turns the formulas into a program with a hole for each use of a piece. Finds the pieces with their types
 * and bounds, and makes the arithmetic around them. */
#include "lowering.h"
#include "philox.h"

#include <string.h>

/* -- pieces -- */

bool piece_same_kind(const struct piece *a, const struct piece *b)
{
    return a->argument == b->argument && a->result == b->result && spec_bound_equal(&a->bound, &b->bound);
}

/* Returns the piece as the kernel writes it, such as "sigmoid(x/t)". If a result has several pieces, messages
 * use this name. */
static const char *name_piece(const struct lowering *l, const expr *written, const expr *argument)
{
    enum { LONGEST = 60 };
    const struct spec_kernel *k = l->request.kernel;
    arena *memory = expr_dag_memory(l->dag);
    const uint32_t count = k->operand_count + k->made_count;
    const char **names = arena_alloc(memory, (count + 1) * sizeof *names);
    for (uint32_t i = 0; i < count; i++) names[i] = k->operands[i].name;
    struct text t = text_new(memory);
    expr_print(&t, expr_substitute(l->dag, written, expr_input(l->dag, 0), argument), names);
    if (t.length > LONGEST) memcpy(t.data + LONGEST - 3, "...", 4);
    return t.data;
}

/* Returns the number of the piece, which may be known already. `argument` is its argument in this use. */
static uint32_t add_piece(struct lowering *l, struct piece piece, const expr *argument)
{
    struct lowered *r = l->result;
    uint32_t n = 0;
    while (n < r->piece_count &&
           (r->pieces[n].written != piece.written || !piece_same_kind(&r->pieces[n], &piece)))
        n++;
    if (n < r->piece_count) return n;
    piece.simplified = expr_simplify(l->dag, piece.written, l->request.broken_rule);
    piece.name = r->is_whole ? NULL : name_piece(l, piece.written, argument);
    r->pieces = arena_with_room(expr_dag_memory(l->dag), r->pieces, n, sizeof piece);
    r->pieces[r->piece_count++] = piece;
    return n;
}

static lane_value add_hole(struct lowering *l, struct hole hole, bool wide)
{
    l->holes = arena_with_room(expr_dag_memory(l->dag), l->holes, l->hole_count, sizeof hole);
    l->holes[l->hole_count] = hole;
    return lane_load(l->program, wide ? LANE_F64 : LANE_F32, HOLES + l->hole_count++);
}

/* Makes a constant, rounded once. */
static lane_value lower_constant(struct lowering *l, const expr *e, bool wide)
{
    const struct element_type_info *type = &element_types[wide ? ELEMENT_F64 : ELEMENT_F32];
    double value = 0, none = 0;
    reference *truth = reference_create(e, expr_simplify(l->dag, e, NULL), 0);
    if (!truth) {
        l->status = diag_set(l->error, DIAG_NO_MEMORY, "no memory for the reference");
        return 0;
    }
    enum reference_state state = reference_rounded(truth, &none, &type->format, &value);
    reference_free(truth);
    if (state != REFERENCE_DECIDED)
        l->status =
            diag_set(l->error, DIAG_ACCURACY, "a constant of the formula cannot be decided; simplify it");
    return lane_const(l->program, wide ? LANE_F64 : LANE_F32, value);
}

/* -- the arithmetic around pieces -- */

/* Returns y if v is a number, otherwise v. */
static lane_value keep_nan(struct lowering *l, lane_value v, lane_value y)
{
    return lane_select(l->program, lane_binary(l->program, LANE_EQ, v, v), y, v);
}

/* Returns the result of `make`, and keeps it for the next time. */
static lane_value lower_once(struct lowering *l, struct kept_values *kept,
                             lane_value (*make)(struct lowering *l, const expr *e, bool wide), const expr *e,
                             bool wide)
{
    const bool is_kept = e->id < l->capacity;
    if (is_kept && kept->done[e->id]) return kept->value[e->id];
    const lane_value value = make(l, e, wide);
    if (is_kept) {
        kept->done[e->id] = true;
        kept->value[e->id] = value;
    }
    return value;
}

static lane_value lower_chosen(struct lowering *l, const expr *e, bool wide);

/* Makes a choice without the test for NaNs. A choice in a branch needs no such test, because the outer choice
 * depends on the same operands and tests them. */
static lane_value lower_plain_choice(struct lowering *l, const expr *e, bool wide)
{
    const lane_value condition = lower_node(l, e->operand[0], wide);
    const lane_value then = l->status ? 0 : lower_chosen(l, e->operand[1], wide);
    const lane_value otherwise = l->status ? 0 : lower_chosen(l, e->operand[2], wide);
    return l->status ? 0 : lane_select(l->program, condition, then, otherwise);
}

/* Makes a branch of a choice. */
static lane_value lower_chosen(struct lowering *l, const expr *e, bool wide)
{
    if (e->kind != EXPR_IF || e->argument != e) return lower_node(l, e, wide);
    return lower_once(l, &l->chosen[wide], lower_plain_choice, e, wide);
}

/* Makes a choice. A NaN in any operand that the choice depends on is its result. Operands that are the same
 * for all elements are tested together, once. */
static lane_value lower_choice(struct lowering *l, const expr *e, bool wide)
{
    const struct spec_kernel *k = l->request.kernel;
    const uint64_t inputs = spec_nan_inputs(k->operands, e->inputs);
    lane_value y = lower_plain_choice(l, e, wide), shared = 0;
    bool has_shared = false;
    for (uint32_t i = 0; i < k->input_count && !l->status; i++) {
        if (!(inputs >> i & 1) || element_is_bit(k->operands[i].type)) continue;
        const lane_value v = lower_node(l, expr_input(l->dag, i), wide);
        if (k->operands[i].shape != SHAPE_ONE) {
            y = keep_nan(l, v, y);
        } else {
            shared = has_shared ? keep_nan(l, v, shared) : v;
            has_shared = true;
        }
    }
    return has_shared && !l->status ? keep_nan(l, shared, y) : y;
}

static bool is_draw(const struct lowering *l, const expr *e)
{
    return e->kind == EXPR_INPUT && l->request.kernel->operands[e->input].source == SOURCE_RANDOM;
}

/* Returns the limit of a comparison of random draws with a rational number, and the place of its operand.
 * NULL if `e` is no such comparison. */
static const expr *limit_of_draws(struct lowering *l, const expr *e, unsigned *place)
{
    if (e->kind != EXPR_LT && e->kind != EXPR_LE) return NULL;
    for (*place = 0; *place < 2; ++*place) {
        const expr *limit = e->operand[*place];
        if (!is_draw(l, e->operand[1 - *place]) || !expr_is_constant(limit)) continue;
        limit = expr_simplify(l->dag, limit, l->request.broken_rule);
        if (limit->kind == EXPR_NUMBER) return limit;
    }
    return NULL;
}

/* Returns an equivalent comparison of draws with a number that all lanes hold exactly. Draws are multiples of
 * a unit, and below 1. So comparing them with a number is the same as comparing them with the next multiple
 * above or below. */
static const expr *with_exact_limit(struct lowering *l, const expr *e, mpq_srcptr number, unsigned place)
{
    const bool is_behind = place == 1, rounds_up = is_behind == (e->kind == EXPR_LT);
    mpq_t limit;
    mpz_t whole;
    mpq_init(limit);
    mpz_init(whole);
    mpq_mul_2exp(limit, number, PHILOX_DRAW_BITS);
    if (rounds_up)
        mpz_cdiv_q(whole, mpq_numref(limit), mpq_denref(limit));
    else
        mpz_fdiv_q(whole, mpq_numref(limit), mpq_denref(limit));
    if (mpz_sgn(whole) < 0) mpz_set_si(whole, -1);
    if (mpz_cmp_ui(whole, 1ul << PHILOX_DRAW_BITS) > 0) mpz_set_ui(whole, 1ul << PHILOX_DRAW_BITS);
    const expr *exact = expr_ratio(l->dag, mpz_get_si(whole), 1ul << PHILOX_DRAW_BITS);
    mpz_clear(whole);
    mpq_clear(limit);
    return is_behind ? expr_binary(l->dag, e->kind, e->operand[0], exact)
                     : expr_binary(l->dag, e->kind, exact, e->operand[1]);
}

/* -- masks: operands and results whose elements are bits, which lanes hold as truth values -- */

static bool is_bit_input(const struct lowering *l, const expr *e)
{
    return e->kind == EXPR_INPUT && element_is_bit(l->request.kernel->operands[e->input].type);
}

/* Returns true if the expression tests that a mask is 0. */
static bool is_unset(const struct lowering *l, const expr *e)
{
    return e->kind == EXPR_EQ && is_bit_input(l, e->operand[0]) && expr_is_number(e->operand[1], 0, 1);
}

static lane_value load_mask(struct lowering *l, const expr *mask)
{
    return lane_load(l->program, LANE_TRUTH, mask->input);
}

/* Makes a number that depends only on a mask: one of two constants. */
static lane_value lower_of_mask(struct lowering *l, const expr *e, const expr *mask, bool wide)
{
    lane_value of[2];
    for (int bit = 0; bit < 2; bit++)
        of[bit] = lower_constant(l, expr_substitute(l->dag, e, mask, expr_integer(l->dag, bit)), wide);
    return lane_select(l->program, load_mask(l, mask), of[1], of[0]);
}

/* Makes a result that is stored as a bit. The bit is 1 if the number rounds to 1 or is larger, or if the
 * condition of `if c then 1 else 0` holds. It is 0 if an operand that the number depends on is NaN. */
static lane_value lower_bit(struct lowering *l, const expr *e, bool wide)
{
    if (is_bit_input(l, e)) return load_mask(l, e);
    if (!spec_is_condition(e)) {
        const lane_value half = lane_const(l->program, wide ? LANE_F64 : LANE_F32, 0.5);
        const lane_value v = lower_node(l, e, wide);
        return l->status ? 0 : lane_less(l->program, half, v);
    }
    const uint64_t inputs = spec_nan_inputs(l->request.kernel->operands, e->inputs);
    const bool is_false_of_nan = inputs == e->inputs && spec_is_false_of_nan(e->operand[0]);
    lane_value bit = lower_node(l, e->operand[0], wide);
    for (uint32_t i = 0; i < l->request.kernel->input_count && !is_false_of_nan; i++) {
        const expr *input = expr_input(l->dag, i);
        if (l->status || !(inputs >> i & 1) || is_bit_input(l, input)) continue;
        const lane_value v = lower_node(l, input, wide);
        bit = lane_binary(l->program, LANE_MAND, lane_binary(l->program, LANE_EQ, v, v), bit);
    }
    return bit;
}

static lane_value lower_arithmetic(struct lowering *l, const expr *e, bool wide)
{
    static const enum lane_op ops[EXPR_KIND_COUNT] = {
        [EXPR_ADD] = LANE_ADD, [EXPR_SUB] = LANE_SUB,  [EXPR_MUL] = LANE_MUL, [EXPR_DIV] = LANE_DIV,
        [EXPR_MIN] = LANE_MIN, [EXPR_MAX] = LANE_MAX,  [EXPR_LT] = LANE_LT,   [EXPR_LE] = LANE_LE,
        [EXPR_EQ] = LANE_EQ,   [EXPR_AND] = LANE_MAND, [EXPR_OR] = LANE_MOR,  [EXPR_NOT] = LANE_MNOT,
    };
    lane_value operand[3] = {0};
    unsigned place = 0;
    const expr *limit = limit_of_draws(l, e, &place);
    if (e->kind == EXPR_NOT && is_unset(l, e->operand[0])) return load_mask(l, e->operand[0]->operand[0]);
    if (is_unset(l, e)) return lane_unary(l->program, LANE_MNOT, load_mask(l, e->operand[0]));
    if (limit) e = with_exact_limit(l, e, limit->number, place);
    if (lower_scaled_exponential(l, e, wide, &operand[0])) return operand[0];
    if (lower_remainder(l, e, wide, &operand[0])) return operand[0];
    if (e->kind == EXPR_IF) return lower_choice(l, e, wide);
    for (unsigned k = 0; k < expr_arity(e->kind) && !l->status; k++)
        operand[k] = lower_node(l, e->operand[k], wide);
    if (l->status) return 0;
    switch (e->kind) {
    case EXPR_NOT: return lane_unary(l->program, LANE_MNOT, operand[0]);
    case EXPR_MIN:
    case EXPR_MAX: /* the op gives the second operand if either is NaN */
        return keep_nan(l, operand[0], lane_binary(l->program, ops[e->kind], operand[0], operand[1]));
    default: break;
    }
    if (!ops[e->kind]) { /* LANE_LOAD, the first op, is no arithmetic */
        l->status = diag_set(l->error, DIAG_BACKEND,
                             "`%s` of several operands cannot be lowered; this is a fault of actgen",
                             expr_kind_name(e->kind));
        return 0;
    }
    return lane_binary(l->program, ops[e->kind], operand[0], operand[1]);
}

/* -- types -- */

static enum element_type type_of_leaf(const struct lowering *l, const expr *leaf)
{
    return leaf->kind == EXPR_CAST    ? leaf->type
           : leaf->kind == EXPR_INPUT ? spec_type_in_formulas(&l->request.kernel->operands[leaf->input])
                                      : ELEMENT_F32;
}

bool lower_is_wide(const struct lowering *l, const expr *e)
{
    return spec_is_wide(expr_dag_memory(l->dag), l->request.kernel->operands, e);
}

/* Narrows f64 to f32 by way of 14 bits, rounded to odd: bits that are lost set the last bit that stays. The
 * caller rounds the f32 to a type of 8 or 16 bits, and this rounds as if it were the only rounding (Boldo and
 * Melquiond, 2008), because no such type has more than 11 bits. 14 bits are so few that the conversion to f32
 * loses none of them down to 2^-136. Smaller numbers round to 0 in all these types. */
static lane_value narrow_to_odd(lane_program *p, lane_value wide)
{
    enum { LOST = 52 - 13 };
    const uint64_t mask = (UINT64_C(1) << LOST) - 1;
    const lane_value bits = lane_unary(p, LANE_BITCAST, wide), lost = lane_const_bits(p, LANE_I64, mask);
    /* carries into the last bit unless all lost bits are 0 */
    const lane_value carry = lane_binary(p, LANE_IADD, lane_binary(p, LANE_AND, bits, lost), lost);
    const lane_value odd =
        lane_binary(p, LANE_AND, lane_binary(p, LANE_OR, bits, carry), lane_const_bits(p, LANE_I64, ~mask));
    return lane_unary(p, LANE_NARROW, lane_unary(p, LANE_BITCAST, odd));
}

/* Narrows f64 to f32, unless the type is f64. Rounding the result to the type then rounds only once. */
static lane_value narrowed_for(lane_program *p, lane_value v, enum element_type type)
{
    if (type == ELEMENT_F64 || p->code[v].type != LANE_F64) return v;
    return element_is_rounded(type) ? narrow_to_odd(p, v) : lane_unary(p, LANE_NARROW, v);
}

/* Rounds the value to the type, once. Returns it as f64 if `wide`, otherwise as f32. */
static lane_value converted(lane_program *p, lane_value v, enum element_type type, bool wide)
{
    v = narrowed_for(p, v, type);
    if (element_is_rounded(type) && !lane_is_rounded(p, v, type)) v = lane_rounded_to(p, v, type);
    return wide && p->code[v].type == LANE_F32 ? lane_unary(p, LANE_WIDEN, v) : v;
}

/* -- nodes -- */

/* Returns the default bound of a piece, whose formula is `e`. A function of an operand of 8 or 16 bits is
 * correctly rounded, because every input can be tried. The rounding to a type of 8 or 16 bits hides errors
 * that are small compared with an ulp of that type, so less is asked of functions of f32 and of factors
 * before it. */
static struct spec_bound default_bound(const struct lowering *l, const struct piece *piece, const expr *e,
                                       bool is_whole)
{
    const bool from_half = element_is_half(piece->argument), is_narrowed = element_is_half(piece->result);
    double ulps = SPEC_DEFAULT_ULP;
    if (is_narrowed && !from_half) ulps = SPEC_NARROWED_ULP;
    if (piece->result == ELEMENT_F32) ulps = l->factor_ulps[e->id];
    if (from_half && is_whole) ulps = 0.5;
    return (struct spec_bound){.kind = BOUND_ULP, .value = ulps};
}

/* Returns the request for the function `e` of that value: its types and its bound. The planner makes a result
 * of 8 or 16 bits, and keeps the bound in its ulps. An absolute bound of an integer result is kept before the
 * rounding to an integer. */
static struct piece piece_of(const struct lowering *l, const expr *e, const expr *argument, bool wide,
                             enum element_type rounded_to, bool is_whole)
{
    const enum element_type own = type_of_leaf(l, argument);
    struct piece piece = {.bound = l->request.bound,
                          .argument = wide                   ? ELEMENT_F64
                                      : element_is_half(own) ? own
                                                             : ELEMENT_F32,
                          .result = wide ? ELEMENT_F64 : ELEMENT_F32};
    const bool keeps_before = element_is_integer(rounded_to) && piece.bound.kind == BOUND_ABS;
    if (!wide && element_is_half(rounded_to) && !keeps_before) piece.result = rounded_to;
    if (piece.bound.kind == BOUND_DEFAULT) piece.bound = default_bound(l, &piece, e, is_whole);
    return piece;
}

/* Adds a piece: `e` is a function of one lane value, and its result is rounded to `rounded_to`. */
static lane_value lower_piece(struct lowering *l, const expr *e, const expr *argument, bool wide,
                              enum element_type rounded_to, bool is_whole)
{
    struct hole hole = {lower_node(l, argument, wide), argument, 0};
    if (l->status) return 0;
    struct piece piece = piece_of(l, e, argument, wide, rounded_to, is_whole);
    piece.written = expr_substitute(l->dag, e, argument, expr_input(l->dag, 0));
    hole.piece = add_piece(l, piece, argument);
    return add_hole(l, hole, wide);
}

static lane_value lower_value(struct lowering *l, const expr *e, bool wide, enum element_type rounded_to,
                              bool is_whole);

/* Makes the formula of a result or of a cast to the type, which the caller rounds. A product whose bound does
 * not need f64 is f32. */
static lane_value lower_whole(struct lowering *l, const expr *e, bool wide, enum element_type type)
{
    const lane_value v = lower_value(l, e, wide, type, true);
    const struct scaled *s = l->status ? NULL : lower_find_scaled(l, e, type);
    if (!s) return v;
    lane_value exact = narrowed_for(l->program, v, type); /* a rare value may as well be rounded at once */
    if (element_is_half(type)) exact = lane_rounded_to(l->program, exact, type);
    return lower_scaled(l, s, exact);
}

/* Makes `e`, in f64 if `wide`. `rounded_to` is the type to which the value is rounded next, or ELEMENT_F32
 * (ELEMENT_F64) if it is not rounded further. `is_whole`: `e` is all of a result's or a cast's formula. */
static lane_value lower_value(struct lowering *l, const expr *e, bool wide, enum element_type rounded_to,
                              bool is_whole)
{
    if (!expr_is_truth(e) && is_bit_input(l, e->kind == EXPR_INPUT ? e : e->argument))
        return lower_of_mask(l, e, e->kind == EXPR_INPUT ? e : e->argument, wide);
    if (e->kind == EXPR_INPUT) {
        const enum element_type own =
            l->request.kernel->operands[e->input].type; /* a total may have more bits */
        const enum lane_type type = own == ELEMENT_F64 ? LANE_F64 : LANE_F32;
        const lane_value v = lane_load(l->program, type, e->input);
        if (wide == (type == LANE_F64)) return v;
        return lane_unary(l->program, wide ? LANE_WIDEN : LANE_NARROW, v);
    }
    if (e->kind == EXPR_CAST) {
        const expr *inner = e->operand[0];
        lane_value v;
        if (!lower_fused_product(l, e, &v))
            v = lower_whole(l, inner, lower_is_wide(l, inner) || e->type == ELEMENT_F64, e->type);
        return l->status ? 0 : converted(l->program, v, e->type, wide);
    }
    if (expr_is_constant(e) && !expr_is_truth(e)) return lower_constant(l, e, wide);
    unsigned place;
    const bool is_choice = e->kind == EXPR_IF && limit_of_draws(l, e->operand[0], &place);
    if (e->argument == e || expr_is_truth(e) || is_choice || expr_is_inverse_of_power(e))
        return lower_arithmetic(l, e, wide);
    return lower_piece(l, e, e->argument, wide, rounded_to, is_whole);
}

static lane_value lower_anew(struct lowering *l, const expr *e, bool wide)
{
    return lower_value(l, e, wide, wide ? ELEMENT_F64 : ELEMENT_F32, false);
}

lane_value lower_node(struct lowering *l, const expr *e, bool wide)
{
    return lower_once(l, &l->made[wide], lower_anew, e, wide);
}

void lower_result(struct lowering *l, const struct spec_result *r)
{
    const enum element_type type = l->request.kernel->operands[r->operand].type;
    const bool wide = type == ELEMENT_F64 || lower_is_wide(l, r->value);
    if (element_is_bit(type)) {
        const lane_value bit = lower_bit(l, r->value, wide);
        if (!l->status) lane_store(l->program, bit, r->operand);
        return;
    }
    const lane_value value = lower_whole(l, r->value, wide, type);
    if (!l->status) lane_store(l->program, narrowed_for(l->program, value, type), r->operand);
}
