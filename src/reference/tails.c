/* Finds limits node by node, operands first.
 *
 * A node has the limit that its operands' limits give on the extended reals: exp(-inf) = 0, 1 / inf = 0. A
 * sine of a growing argument takes all values of [-1, 1]. A sum with such a sine also does so, and the
 * product with 0 is 0.
 *
 * Some limits are not found this way. The operands may give no value (inf - inf, 0 * inf). Poles, steps and
 * comparisons need the side from which a limit is reached. In these cases values at growing arguments tell
 * the limit (settling.h). The arguments go from 4 to 2^(2^58.5) at irregular distances. Intervals hold the
 * whole wave of a sine. The samples are made when first asked for.
 *
 * Formulas that use the inputs only in logarithms change too slowly for this. In these, log(x) itself goes
 * through the arguments. */
#include "tails.h"

#include "settling.h"

#include <math.h>
#include <stdlib.h>

/* The arguments 2^e. The first, four per octave, serve formulas in which exp(exp(x)) leaves MPFR's range or
 * most digits cancel. Fewer follow. The next reach as far as numbers of f64 can make terms change places, and
 * as bits tell where. The last serve formulas such as 1/log(x). */
enum {
    DENSE = 20,  /* arguments from 4 to 128 */
    NEAR = 27,   /* arguments from 2^8 to 2^60, two octaves apart */
    MIDDLE = 13, /* arguments from 2^64 to 2^4096, exponents apart by a factor of sqrt(2) */
    FAR = 24,    /* arguments from 2^(2^12.5) to 2^(2^58.5), exponents apart by a factor of 4 */
    SAMPLES = DENSE + NEAR + MIDDLE + FAR,
    MOST_BITS = 4096 * 1280, /* bits of all nodes of one sample, a bound on memory and time */
    MOST_INPUTS = 64,
};

struct tails {
    struct reference *r;
    const struct evaluator *e;
    uint64_t infinite;           /* mask of the inputs that are infinite */
    bool by_logarithms;          /* the arguments stand for logarithms of the infinite inputs */
    unsigned scale[MOST_INPUTS]; /* log2 of an input's factor of the argument */
    enum tail_form form;
    mpfr_prec_t bits;
    double octaves[SAMPLES];   /* log2 of the arguments */
    interval *limit;           /* indexed by node; also DEFINED if it is a set of limits */
    bool *waves;               /* indexed by node */
    interval *values[SAMPLES]; /* indexed by node, made for the first `sampled` nodes */
    struct magnitude *magnitudes[SAMPLES];
    uint32_t sampled; /* number of nodes whose samples have been made */
    interval scratch[INTERVAL_SCRATCH];
};

/* -- arguments -- */

/* Sets the argument of a sample. An irregular amount of 2^-10 to 2^-5 of it is added, so that no argument is
 * an integer. */
static void set_argument(mpfr_ptr out, unsigned sample)
{
    mpfr_exp_t exponent = 2 + (mpfr_exp_t)(sample / 4);
    const unsigned quarter = sample < DENSE ? sample % 4 : 0;
    if (sample >= DENSE + NEAR + MIDDLE) {
        exponent = (mpfr_exp_t)5760 << 2 * (sample - DENSE - NEAR - MIDDLE);
    } else if (sample >= DENSE + NEAR) {
        const unsigned k = sample - DENSE - NEAR;
        exponent = (mpfr_exp_t)(k % 2 ? 90 : 64) << k / 2;
    } else if (sample >= DENSE) {
        exponent = 8 + 2 * (mpfr_exp_t)(sample - DENSE);
    }
    const uint64_t mixed = (sample + 1) * UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t fraction = (mixed >> 5 | UINT64_C(1) << 53) & ((UINT64_C(1) << 58) - 1);
    mpfr_set_ui_2exp(out, 4 + quarter, exponent - 2, MPFR_RNDN);
    mpfr_t part;
    mpfr_init2(part, 64);
    mpfr_set_ui_2exp(part, fraction, exponent - 63, MPFR_RNDN);
    mpfr_add(out, out, part, MPFR_RNDN);
    mpfr_clear(part);
}

/* Moves three of four arguments to even integers, or to half-way points between integers. Steps that cancel
 * elsewhere may differ there. */
static void set_step(mpfr_ptr x, unsigned sample)
{
    if (sample % 4 == 0) return;
    mpfr_div_2ui(x, x, 1, MPFR_RNDN);
    mpfr_rint(x, x, MPFR_RNDN);
    mpfr_mul_2ui(x, x, 1, MPFR_RNDN);
    if (sample % 4 > 1) mpfr_add_d(x, x, sample % 4 == 2 ? 0.5 : 1.5, MPFR_RNDN);
}

static double octaves_of(unsigned sample)
{
    mpfr_t x;
    mpfr_init2(x, 64);
    set_argument(x, sample);
    const double size = size_of(x);
    mpfr_clear(x);
    return size;
}

static bool is_logarithm(const expr *node)
{
    return node->kind == EXPR_log || node->kind == EXPR_log1p || node->kind == EXPR_log2 ||
           node->kind == EXPR_log10;
}

/* Returns true if only logarithms use the infinite inputs, and these inputs are positive. */
static bool has_logarithms_alone(const struct tails *t)
{
    for (uint32_t i = 0; i < t->e->count; i++) {
        const expr *node = t->e->nodes[i];
        if (node->kind == EXPR_INPUT && node->inputs & t->infinite &&
            (i + 1 == t->e->count || mpfr_signbit(t->r->points[node->input])))
            return false;
        for (unsigned k = 0; k < expr_arity(node->kind) && !is_logarithm(node); k++) {
            const expr *operand = t->e->nodes[t->e->operands[i][k]];
            if (operand->kind == EXPR_INPUT && operand->inputs & t->infinite) return false;
        }
    }
    return true;
}

/* Converts `a` from log(x) to another logarithm of x. log1p(x) is log(x) + log1p(1/x). */
static void set_logarithm(struct tails *t, interval *a, enum expr_kind kind)
{
    interval *other = &t->scratch[0];
    if (kind == EXPR_log) return;
    if (kind == EXPR_log1p) {
        mpfr_neg(other->lo, a->lo, MPFR_RNDN);
        mpfr_exp(other->hi, other->lo, MPFR_RNDU);
        mpfr_exp(other->lo, other->lo, MPFR_RNDD);
        mpfr_log1p(other->hi, other->hi, MPFR_RNDU);
        mpfr_log1p(other->lo, other->lo, MPFR_RNDD);
        mpfr_add(a->lo, a->lo, other->lo, MPFR_RNDD);
        mpfr_add(a->hi, a->hi, other->hi, MPFR_RNDU);
        return;
    }
    const unsigned base = kind == EXPR_log2 ? 2 : 10;
    mpfr_log_ui(other->lo, base, MPFR_RNDD);
    mpfr_log_ui(other->hi, base, MPFR_RNDU);
    mpfr_div(a->lo, a->lo, other->hi, MPFR_RNDD);
    mpfr_div(a->hi, a->hi, other->lo, MPFR_RNDU);
}

static void set_input(struct tails *t, interval *value, unsigned sample, uint32_t input)
{
    set_argument(value->lo, sample);
    if (t->form == TAIL_AFTER_WAVES && !t->by_logarithms) set_step(value->lo, sample);
    mpfr_mul_2ui(value->lo, value->lo, t->scale[input], MPFR_RNDN);
    mpfr_setsign(value->lo, value->lo, mpfr_signbit(t->r->points[input]), MPFR_RNDN);
    mpfr_set(value->hi, value->lo, MPFR_RNDN);
    value->state = INTERVAL_DEFINED;
}

/* -- samples -- */

static bool moves(const struct tails *t, uint32_t i) { return t->e->nodes[i]->inputs & t->infinite; }

/* Returns true for a sine or step of an argument that is not known to have a finite limit. */
static bool is_wave(const struct tails *t, uint32_t i)
{
    const struct expr_function *f = &expr_functions[t->e->nodes[i]->kind];
    return (f->nature == NATURE_WAVE || f->nature == NATURE_STEPS) && moves(t, i) &&
           !interval_is_finite(&t->limit[t->e->operands[i][0]]);
}

/* Widens floor(u) to [u - 1, u], round(u) to [u - 1/2, u + 1/2], and the exponent e to [e, e + 1]. */
static void widen_step(interval *value, const interval *u, enum expr_kind kind)
{
    const double below = kind == EXPR_floor ? 1 : kind == EXPR_exponent ? 0 : 0.5;
    if (value->state != INTERVAL_DEFINED) return;
    if (kind == EXPR_exponent) u = value;
    mpfr_sub_d(value->lo, u->lo, below, MPFR_RNDD);
    mpfr_add_d(value->hi, u->hi, 1 - below, MPFR_RNDU);
}

/* Widens a wave to all values that it takes near the argument. */
static void widen(const struct tails *t, uint32_t i, interval *values)
{
    const enum expr_kind kind = t->e->nodes[i]->kind;
    interval *value = &values[i];
    if (expr_functions[kind].nature == NATURE_STEPS) {
        widen_step(value, &values[t->e->operands[i][0]], kind);
    } else if (kind == EXPR_tan) {
        interval_doubtful(value);
    } else if (value->state == INTERVAL_DEFINED) {
        mpfr_set_si(value->lo, -1, MPFR_RNDD);
        mpfr_set_si(value->hi, 1, MPFR_RNDU);
    }
}

static void take_sample(struct tails *t, unsigned sample, uint32_t i)
{
    interval *values = t->values[sample];
    const expr *node = t->e->nodes[i];
    if (node->kind == EXPR_INPUT && moves(t, i)) {
        set_input(t, &values[i], sample, node->input);
        return;
    }
    if (t->by_logarithms && is_logarithm(node) && moves(t, i) &&
        t->e->nodes[t->e->operands[i][0]]->kind == EXPR_INPUT) {
        interval_copy(&values[i], &values[t->e->operands[i][0]]);
        set_logarithm(t, &values[i], node->kind);
        return;
    }
    evaluator_step(t->e, values, t->magnitudes[sample], t->scratch, i, t->r->inputs);
    if (t->form == TAIL_ALONG_WAVES && is_wave(t, i)) widen(t, i, values);
}

/* Makes the samples of all nodes up to `last`. Returns false if the work was stopped. */
static bool take_samples(struct tails *t, uint32_t last)
{
    for (; t->sampled <= last; t->sampled++) {
        if (!progress_goes_on(t->r->progress)) return false;
        for (unsigned k = 0; k < SAMPLES; k++) {
            interval_init(&t->values[k][t->sampled], t->bits);
            take_sample(t, k, t->sampled);
        }
    }
    return true;
}

/* -- limits -- */

/* Collects the samples of a node. Returns false if the work was stopped. */
static bool trail_of(struct trail *trail, const interval **list, struct tails *t, uint32_t i)
{
    if (!take_samples(t, i)) return false;
    for (unsigned k = 0; k < SAMPLES; k++) list[k] = &t->values[k][i];
    *trail = (struct trail){list, t->octaves, SAMPLES, t->waves[i]};
    return true;
}

/* Returns the side from which a limit of 0 is reached: 1 or -1, or 0 if it is both or unknown. */
static int side_of_zero(struct tails *t, uint32_t i, bool *exact)
{
    const interval *list[SAMPLES];
    struct trail trail;
    *exact = false;
    if (!moves(t, i)) {
        *exact = true;
        return mpfr_signbit(t->limit[i].lo) ? -1 : 1;
    }
    return trail_of(&trail, list, t, i) ? trail_sign(&trail, exact) : 0;
}

static bool contains(const interval *a, long number)
{
    return mpfr_cmp_si(a->lo, number) <= 0 && mpfr_cmp_si(a->hi, number) >= 0;
}

/* Returns true if the limit of a divisor, or of an operand that must be positive, may be used. If the limit
 * is zero, its side must be known, and becomes the zero's sign. */
static bool has_side(struct tails *t, uint32_t i, bool above)
{
    bool exact;
    if (t->limit[i].state != INTERVAL_DEFINED) return false;
    if (!interval_is_zero(&t->limit[i])) return !contains(&t->limit[i], 0);
    const int side = side_of_zero(t, i, &exact);
    if (!side || exact || (above && side < 0)) return false;
    mpfr_set_zero(t->limit[i].lo, side);
    mpfr_set_zero(t->limit[i].hi, side);
    return true;
}

/* Returns true if the limit of a function's argument may be used: it is not at the end of the domain, or its
 * side of an end at 0 is known. */
static bool is_off_end(struct tails *t, uint32_t argument, const struct expr_function *f)
{
    if (!f->domain.has_end) return true;
    if (!f->domain.from) return has_side(t, argument, true);
    const interval *limit = &t->limit[argument];
    return limit->state == INTERVAL_DEFINED && !contains(limit, f->domain.from) &&
           !(f->domain.is_two_sided && contains(limit, -f->domain.from));
}

static bool are_apart(const interval *a, const interval *b)
{
    return a->state == INTERVAL_DEFINED && b->state == INTERVAL_DEFINED &&
           (mpfr_less_p(a->hi, b->lo) || mpfr_less_p(b->hi, a->lo));
}

/* Returns true if the operands' limits tell the node's limit. Either the node is continuous there, or the
 * side is known. */
static bool limits_tell(struct tails *t, uint32_t i)
{
    const expr *node = t->e->nodes[i];
    const uint32_t *place = t->e->operands[i];
    const interval *a = &t->limit[place[0]], *b = &t->limit[place[1]];
    if (!moves(t, i)) return true;
    switch (node->kind) {
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return are_apart(a, b);
    case EXPR_DIV: return has_side(t, place[1], false);
    case EXPR_POWER: {
        const bool integer = !mpz_cmp_ui(mpq_denref(node->number), 1);
        return (integer && mpq_sgn(node->number) > 0) || has_side(t, place[0], !integer);
    }
    case EXPR_sign: return a->state == INTERVAL_DEFINED && !contains(a, 0);
    case EXPR_CAST:
    case EXPR_floor:
    case EXPR_round:
    case EXPR_exponent: return interval_is_infinite(a);
    case EXPR_IF: return a->state == INTERVAL_DEFINED && a->truth != TRUTH_UNKNOWN;
    default: return is_off_end(t, place[0], &expr_functions[node->kind]);
    }
}

/* Returns true for a single limit, and for a set of several values without 0. In a set with 0, terms might
 * cancel. */
static bool is_clear(const interval *a)
{
    return a->state == INTERVAL_DEFINED && (interval_is_point(a) || !contains(a, 0));
}

/* Sets the limit of a sine of a growing argument to [-1, 1]. The evaluation gives no value if the argument is
 * infinite. */
static void set_wave(struct tails *t, uint32_t i)
{
    if (!is_wave(t, i) || !isfinite(expr_functions[t->e->nodes[i]->kind].high)) return;
    if (t->limit[t->e->operands[i][0]].state != INTERVAL_DEFINED) return;
    t->limit[i].state = INTERVAL_DEFINED;
    t->limit[i].lo_open = t->limit[i].hi_open = false;
    mpfr_set_si(t->limit[i].lo, -1, MPFR_RNDD);
    mpfr_set_si(t->limit[i].hi, 1, MPFR_RNDU);
}

/* Returns true for log1p(u) where u approaches -1. Its limit is -infinity wherever it has values, however
 * slowly they fall. */
static bool is_end_of_log1p(const struct tails *t, uint32_t i)
{
    const interval *u = &t->limit[t->e->operands[i][0]];
    return t->e->nodes[i]->kind == EXPR_log1p && interval_is_point(u) && contains(u, -1);
}

static const interval *minus_infinity(interval *a)
{
    a->state = INTERVAL_DEFINED;
    mpfr_set_inf(a->lo, -1);
    mpfr_set_inf(a->hi, -1);
    return a;
}

static bool ask_samples(struct tails *t, uint32_t i, bool is_safe)
{
    const interval *list[SAMPLES];
    struct trail trail;
    interval *limit = &t->limit[i], found;
    if (!trail_of(&trail, list, t, i)) return false;
    if (expr_is_truth(t->e->nodes[i])) {
        limit->state = INTERVAL_DEFINED;
        limit->truth = trail_truth(&trail);
        return true;
    }
    interval_init(&found, t->bits);
    if (trail_is_undefined(&trail))
        interval_undefined(limit);
    else if (is_end_of_log1p(t, i) && trail_has_values(&trail))
        interval_copy(limit, minus_infinity(&found));
    else if (trail_limit(&found, &trail))
        interval_copy(limit, &found);
    else if (!is_safe || limit->state == INTERVAL_UNDEFINED)
        interval_doubtful(limit);
    interval_clear(&found);
    return true;
}

/* Checks if waves cancel. If they do, the node has one number at all arguments, which follow no pattern. The
 * node then counts as free of waves. */
static bool ask_after_waves(struct tails *t, uint32_t i)
{
    const interval *list[SAMPLES];
    struct trail trail;
    interval number;
    if (!trail_of(&trail, list, t, i)) return false;
    /* farther out no sine is known */
    trail.count = DENSE + NEAR;
    interval_init(&number, t->bits);
    if (!expr_is_truth(t->e->nodes[i]) && trail_is_constant(&number, &trail)) {
        interval_copy(&t->limit[i], &number);
        t->waves[i] = false;
    }
    interval_clear(&number);
    return true;
}

static bool find_limit(struct tails *t, uint32_t i)
{
    const expr *node = t->e->nodes[i];
    interval *limit = &t->limit[i];
    t->waves[i] = is_wave(t, i);
    for (unsigned k = 0; k < expr_arity(node->kind); k++) t->waves[i] |= t->waves[t->e->operands[i][k]];
    const bool is_safe = limits_tell(t, i);
    mpfr_clear_flags();
    evaluator_step(t->e, t->limit, NULL, t->scratch, i, t->r->inputs);
    set_wave(t, i);
    if (!moves(t, i)) return true;
    if (t->form == TAIL_AFTER_WAVES && t->waves[i]) return ask_after_waves(t, i);
    const bool known = expr_is_truth(node) ? limit->state == INTERVAL_DEFINED && limit->truth != TRUTH_UNKNOWN
                                           : is_clear(limit);
    return (is_safe && known) || ask_samples(t, i, is_safe || node->kind == EXPR_IF);
}

static double middle_of(struct tails *t, const interval *a)
{
    mpfr_ptr middle = t->scratch[0].lo;
    if (mpfr_inf_p(a->lo)) return mpfr_get_d(a->lo, MPFR_RNDN);
    mpfr_add(middle, a->lo, a->hi, MPFR_RNDN);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDN);
    return mpfr_get_d(middle, MPFR_RNDN);
}

/* Reads the result of the root: one double, or none. */
static void read_root(struct tail *out, struct tails *t)
{
    const uint32_t root = t->e->count - 1;
    interval *a = &t->limit[root];
    bool exact = false;
    out->waves = t->waves[root];
    out->is_undefined = a->state == INTERVAL_UNDEFINED;
    if (a->state != INTERVAL_DEFINED) return;
    if (interval_is_zero(a)) {
        const int side = t->form == TAIL_AFTER_WAVES ? 0 : side_of_zero(t, root, &exact);
        *out = (struct tail){true, false, side < 0 ? -0.0 : 0.0, exact, exact || !side, out->waves};
        return;
    }
    const double lo = mpfr_get_d(a->lo, MPFR_RNDN), hi = mpfr_get_d(a->hi, MPFR_RNDN);
    if (lo == hi || (lo > 0 && nextafter(lo, hi) == hi) || (hi < 0 && nextafter(lo, hi) == hi))
        *out = (struct tail){true, false, lo == 0 ? 0 : middle_of(t, a), false, lo == 0, out->waves};
}

/* -- one walk -- */

static bool prepare_tails(struct tails *t)
{
    const uint32_t count = t->e->count;
    t->limit = malloc(count * sizeof *t->limit);
    t->waves = calloc(count, sizeof *t->waves);
    bool have = t->limit && t->waves;
    for (unsigned k = 0; k < SAMPLES; k++) {
        t->octaves[k] = octaves_of(k);
        t->values[k] = malloc(count * sizeof *t->values[k]);
        t->magnitudes[k] = calloc(count, sizeof *t->magnitudes[k]);
        have = have && t->values[k] && t->magnitudes[k];
    }
    if (!have) return false;
    for (uint32_t i = 0; i < count; i++) interval_init(&t->limit[i], t->bits);
    for (int k = 0; k < INTERVAL_SCRATCH; k++) interval_init(&t->scratch[k], t->bits);
    return true;
}

static void release_tails(struct tails *t, bool prepared)
{
    for (uint32_t i = 0; prepared && i < t->e->count; i++) {
        interval_clear(&t->limit[i]);
        for (unsigned k = 0; i < t->sampled && k < SAMPLES; k++) {
            interval_clear(&t->values[k][i]);
            magnitude_clear(&t->magnitudes[k][i]);
        }
    }
    for (int k = 0; prepared && k < INTERVAL_SCRATCH; k++) interval_clear(&t->scratch[k]);
    for (unsigned k = 0; k < SAMPLES; k++) {
        free(t->values[k]);
        free(t->magnitudes[k]);
    }
    free(t->limit);
    free(t->waves);
}

static void find_infinite(struct tails *t, bool reversed)
{
    unsigned count = 0;
    for (unsigned k = 0; k < t->r->input_count && k < MOST_INPUTS; k++)
        if (mpfr_inf_p(t->r->points[k])) {
            t->infinite |= UINT64_C(1) << k;
            t->scale[k] = count++;
        }
    for (unsigned k = 0; reversed && k < MOST_INPUTS; k++)
        if (t->infinite >> k & 1) t->scale[k] = count - 1 - t->scale[k];
}

bool tail_find(struct tail *out, struct reference *r, const struct evaluator *e, enum tail_form form,
               mpfr_prec_t bits, bool reversed)
{
    struct tails t = {.r = r, .e = e, .form = form, .bits = bits};
    *out = (struct tail){.value = NAN};
    if (e->count > MOST_BITS / bits) return true;
    find_infinite(&t, reversed);
    t.by_logarithms = has_logarithms_alone(&t);
    const bool prepared = prepare_tails(&t);
    bool goes_on = prepared;
    for (uint32_t i = 0; goes_on && i < e->count; i++) goes_on = find_limit(&t, i);
    if (goes_on) read_root(out, &t);
    release_tails(&t, prepared);
    if (!prepared) arena_fail(e->nodes[0]->memory);
    return goes_on;
}
