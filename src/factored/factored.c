/* Candidates of factored plans, for every arithmetic: the factors of f, the inputs of its parts, and the step
 * from the parts to f.
 *
 * The other side of f is a straight line plus or minus the same part. Examples are gelu(x) = x + gelu(-x),
 * the derivative of gelu, which is 1 minus its mirror image, and exp(-x^2), which is even. Or it is a line
 * plus another such term with an R of its own (mish in f32). Or f decays there as well, by another
 * exponent (the derivative of tanh(x/4) sigmoid(x)). A root of f on its own side is a factor t -
 * root, and R is the rest. The power of two comes last. */
#include "factored.h"
#include "factored_shapes.h"
#include "float_bits.h"

#include <math.h>

/* -- from x to the part -- */

bool factored_is_odd(const struct factor *f)
{
    return f->line.mirrors && f->line.sign < 0 && f->line.slope == 0 && f->line.constant == 0 && f->power % 2;
}

struct factored_argument factored_argument(const struct factor *f, lane_program *p, lane_value x, double last)
{
    const enum lane_type type = p->code[x].type;
    const lane_value most = lane_const(p, type, last), least = lane_const(p, type, -last);
    struct factored_argument a = {.x = x, .t = lane_min(p, most, lane_unary(p, LANE_ABS, x))};
    a.v = factored_is_odd(f) ? lane_max(p, least, lane_min(p, most, x)) : a.t;
    a.near = a.t;
    return a;
}

/* -- from the part to f -- */

/* Returns whether a select is as cheap as an addition. A select is then a masked addition that reads x from
 * memory. The alternative max(-0, x) would occupy a register throughout, which costs softplus a fifth of its
 * speed. */
static bool has_masks(const struct target_costs *costs)
{
    return costs->op[CLASS_SELECT][0].count <= costs->op[CLASS_ADD][0].count;
}

/* Returns slope x + constant. A slope that is no number of the lane's type has a second word, so that the
 * product is rounded once. Both words have one sign, so that a zero keeps the sign of the product. */
static lane_value emit_line(const struct factor_line *line, lane_program *p, lane_value x, double constant)
{
    const enum lane_type type = p->code[x].type;
    const double high = type == LANE_F64 ? line->slope : (double)f32_towards_0(line->slope);
    const double low = line->slope - high + line->slope_low;
    lane_value base = lane_const(p, type, constant);
    if (line->slope == 1 && constant == 0) return x;
    if (low != 0) {
        const lane_value rest = lane_const(p, type, low);
        base = constant == 0 ? lane_mul(p, x, rest) : lane_fma(p, x, rest, base);
    } else if (constant == 0) {
        return lane_mul(p, x, lane_const(p, type, high));
    }
    return lane_fma(p, x, lane_const(p, type, high), base);
}

lane_value factored_joined(const struct factor *f, lane_program *p, lane_value x, struct factored_part part,
                           const struct target_costs *costs)
{
    const struct factor_line *line = &f->line;
    const enum lane_type type = p->code[x].type;
    const bool has_line = line->slope != 0 || line->constant != 0;
    const lane_value own = part.factor ? lane_mul(p, part.value, part.factor) : part.value;
    if (factored_is_odd(f) || (!has_line && line->sign > 0)) return own;
    if (line->constant == 0 && line->sign > 0 && (type == LANE_F64 || !has_masks(costs))) {
        /* max or min with -0 keeps the sign of a zero. */
        lane_value base = lane_binary(p, f->own ? LANE_MAX : LANE_MIN, lane_const(p, type, -0.0), x);
        base = emit_line(line, p, base, 0);
        return part.factor ? lane_fma(p, part.value, part.factor, base) : lane_add(p, base, own);
    }
    const lane_value base =
        line->slope != 0 ? emit_line(line, p, x, line->constant) : lane_const(p, type, line->constant);
    lane_value other;
    if (line->sign < 0 && part.factor)
        other = lane_fma(p, lane_unary(p, LANE_NEG, part.value), part.factor, base);
    else if (line->sign < 0 && !has_line)
        other = lane_unary(p, LANE_NEG, own);
    else
        other = lane_binary(p, line->sign < 0 ? LANE_SUB : LANE_ADD, base, own);
    const lane_value is_negative = lane_less(p, x, lane_const(p, type, 0));
    return f->own ? lane_select(p, is_negative, own, other) : lane_select(p, is_negative, other, own);
}

/* Returns the centre, cut to the last place of the largest x that matters. */
static double first_word(const struct factored *w)
{
    int exponent;
    frexp(w->last + fabs((double)w->centre), &exponent);
    const double unit = ldexp(1, exponent - 24);
    return rint((double)w->centre / unit) * unit;
}

/* Computes x minus the centre, and the rounding error of that difference. x is clamped to the range in which
 * f is neither at its end nor on its line.
 *
 * The first difference plus the centre's first word is a number near x. The error of the first difference is
 * therefore found without a rounding. If the word is larger than x, this step is Fast2Sum (Dekker). Otherwise
 * the step is exact because the word's last place is not below x's last place. */
static struct factored_argument centred_argument(const struct factored *w, lane_program *p, lane_value x)
{
    const double first = first_word(w), rest = (double)(w->centre - (quad)first);
    const lane_value most = lane_f32(p, first + w->last), least = lane_f32(p, first - w->last);
    x = lane_max(p, least, lane_min(p, most, x));
    const lane_value high = lane_f32(p, first), far = lane_sub(p, x, high);
    lane_value lost = lane_sub(p, x, lane_add(p, far, high));
    if (rest != 0) lost = lane_sub(p, lost, lane_f32(p, rest));
    const lane_value d = lane_add(p, far, lost);
    lost = lane_sub(p, lost, lane_sub(p, d, far));
    const lane_value t = lane_unary(p, LANE_ABS, d);
    return (struct factored_argument){
        .x = d, .t = t, .v = factored_is_odd(&w->f) ? d : t, .near = t, .low = lost};
}

/* Returns x minus the centre for f's line, with x not clamped. */
static lane_value centred_line(const struct factored *w, lane_program *p, lane_value x, lane_value held)
{
    const double first = first_word(w);
    if (w->f.line.slope == 0) return held;
    x = lane_sub(p, x, lane_f32(p, first));
    return lane_sub(p, x, lane_f32(p, (double)(w->centre - (quad)first)));
}

bool factored_has_low(const struct factored *w)
{
    return w->centre != 0 || !f64_is_power_of_two(w->f.stretch);
}

/* Returns the argument for x times the stretch of its side. A stretch that is no power of two leaves a
 * rounding error, for which x is clamped to the range in which f is not at its end. */
static struct factored_argument stretched_argument(const struct factored *w, lane_program *p, lane_value x)
{
    const bool is_exact = f64_is_power_of_two(w->f.stretch);
    double stretch[2] = {1, 1}; /* x > 0, x < 0 */
    stretch[!w->f.own] = w->f.stretch;
    if (!is_exact) x = lane_min(p, lane_f32(p, w->last / stretch[0]), x);
    if (!is_exact) x = lane_max(p, lane_f32(p, -w->last / stretch[1]), x);
    const lane_value is_negative = lane_less(p, x, lane_f32(p, 0));
    const lane_value factor = lane_select(p, is_negative, lane_f32(p, stretch[1]), lane_f32(p, stretch[0]));
    const lane_value y = lane_mul(p, x, factor);
    struct factored_argument a = factored_argument(&w->f, p, y, w->last);
    if (!is_exact) a.low = lane_fma(p, x, factor, lane_unary(p, LANE_NEG, y));
    return a;
}

/* Returns |x| without a clamp, and where f has ended. */
static struct factored_argument masked_argument(const struct factored *w, lane_program *p, lane_value x)
{
    struct factored_argument a = {.x = x};
    a.t = a.v = a.near = ended_argument(&w->end, p, LANE_MIN, w->last, lane_unary(p, LANE_ABS, x), &a.beyond);
    return a;
}

static lane_value build_factored(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct factored *w = parameters;
    (void)possible;
    if (w->in->widens) x = lane_unary(p, LANE_WIDEN, x);
    struct factored_argument a = w->centre != 0      ? centred_argument(w, p, x)
                                 : w->f.stretch != 1 ? stretched_argument(w, p, x)
                                 : w->end.by_mask    ? masked_argument(w, p, x)
                                                     : factored_argument(&w->f, p, x, w->last);
    if (w->centre != 0) x = centred_line(w, p, x, a.x);
    if (w->settled < w->last) a.near = lane_min(p, lane_const(p, p->code[x].type, w->settled), a.t);
    const lane_value y =
        w->in->whole ? w->in->whole(w, p, a) : factored_joined(&w->f, p, x, w->in->part(w, p, a), w->costs);
    return w->in->widens ? lane_unary(p, LANE_NARROW, y) : y;
}

/* -- candidates -- */

static bool make_factored(struct candidate *out, const struct factored *found, const struct segments *rest,
                          unsigned care, const struct shape_context *context)
{
    struct factored *w = arena_alloc(context->memory, sizeof *w);
    struct text t = text_new(context->memory);
    *w = *found;
    w->rest = *rest;
    w->care = care;
    static const double margin = 1 + 0x1p-12; /* The segments' index may round t up. */
    const bool is_quiet = w->quiet > w->last && segments_end(rest) > margin * w->quiet;
    if (w->settled == w->last) w->settled = w->last = is_quiet ? w->quiet : fmin(w->last, rest->limit);
    if (w->centre != 0) text_add(&t, "of x - %.6g: ", (double)w->centre);
    text_add(&t, "x^%u exp(q(|x|)) R(|x|)%s, %sR: ", w->f.power, w->f.has_root ? " (x - root)" : "",
             rest->vanishes ? "x " : "");
    segments_describe(&t, rest);
    if (w->exp.as.log2_entries)
        text_add(&t, "; exp by a table of %u and", 1u << w->exp.as.log2_entries);
    else if (w->exp.terms)
        text_add(&t, "; exp by");
    if (w->exp.terms) text_add(&t, " %u terms", w->exp.terms);
    text_add(&t, "%s", w->in->care[care]);
    *out = (struct candidate){.shape = w->in->shape,
                              .description = t.data,
                              .build = build_factored,
                              .parameters = w,
                              .many_roundings = care < w->in->many_roundings_below};
    return candidate_finish(out, context);
}

/* Makes a candidate with w's exponential for each R that was found at w's scale. */
static size_t candidates_of(const struct factored *w, const struct segments *found, unsigned rests,
                            struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct factored_arithmetic *in = w->in;
    size_t count = 0;
    for (unsigned i = 0; i < rests; i++)
        for (unsigned care = 0; care < FACTORED_CARES && in->care[care] && count < room; care++)
            if ((!in->has_care || in->has_care(w, &found[i], care)) &&
                make_factored(&out[count], w, &found[i], care, context))
                count++;
    return count;
}

/* Makes the candidates with w's exponential and with each of the others. */
static size_t candidates_at_scale(struct factored *w, struct factor_rest *rest, struct candidate *out,
                                  size_t room, const struct shape_context *context)
{
    struct segments found[FACTORED_MOST_RESTS];
    struct factored_exp more[FACTORED_MORE_EXPONENTIALS];
    const struct factored_exp own = w->exp;
    rest->scale = w->scale;
    const unsigned rests = w->in->fit(found, w, rest, context);
    const unsigned others = w->in->more_exponentials ? w->in->more_exponentials(more, w, context) : 0;
    size_t count = candidates_of(w, found, rests, out, room, context);
    for (unsigned i = 0; i < others; i++) {
        w->exp = more[i];
        count += candidates_of(w, found, rests, out + count, room - count, context);
    }
    w->exp = own;
    return count;
}

/* Returns the value of w->quiet, see ended_last. */
static double quiet_last(const struct factored *w, struct factor_rest rest)
{
    struct factor_side side = w->f.side[w->f.own];
    quad share;
    side.last = w->last; /* It is nearer if the arithmetic finds_end. */
    rest.has_root = false;
    if (!w->in->masks || w->f.stretch != 1 || !factor_rest_at(&rest, w->last, &share)) return w->last;
    return ended_last(&side, w->f.power, (double)quad_abs(share), &w->end);
}

static size_t candidates_in(const struct factored_arithmetic *in, struct candidate *out, size_t room,
                            const struct shape_context *context)
{
    struct factored w = {.in = in, .costs = context->request->costs, .scale = 1};
    struct traits *of = in->centres ? traits_centred(context->traits, &w.centre) : NULL;
    if (!of) of = context->traits, w.centre = 0;
    const struct factor *f = traits_factor_part(of);
    if (!f)
        return no_candidates(context, in->shape,
                             "no side decays as exp(q) R while the other decays, too, or is near a line");
    w.f = *f;
    if (in->masks && w.centre == 0 && !factored_is_odd(f)) w.end = ended_on_side(context, f->own);
    struct factor_rest rest = {.f = &w.f,
                               .truth = of->fitted,
                               .q = *factor_own_exponent(&w.f),
                               .side = w.f.own,
                               .has_root = w.f.has_root,
                               .of_size = !factored_is_odd(&w.f)};
    const bool finds_end = in->finds_end && w.f.line.mirrors; /* Otherwise the other side ends elsewhere. */
    w.last = finds_end ? factor_last(&w.f, of->fitted, false) : w.f.side[w.f.own].last;
    if (w.f.decays_twice) w.last = fmax(w.last, w.f.side[!w.f.own].last * w.f.stretch);
    w.settled = w.last;
    w.quiet = quiet_last(&w, rest);
    if (!in->set_exponent(&w, &rest.q, context))
        return no_candidates(context, in->shape,
                             "its exponential or its line cannot be kept within the bound");
    size_t count = candidates_at_scale(&w, &rest, out, room, context);
    w.scale = in->scale ? in->scale(&w, &rest, context) : 1;
    if (w.scale != 1) count += candidates_at_scale(&w, &rest, out + count, room - count, context);
    return count ? count : no_candidates(context, in->shape, WHY_NO_FIT);
}

size_t factored_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    static const struct factored_arithmetic *const all[] = {&factored_f32, &factored_f32_words,
                                                            &factored_f64_lanes, &factored_f64};
    size_t count = 0;
    bool suits = false;
    if (context->traits->is_algebraic) return no_candidates(context, "factored", WHY_ALGEBRAIC);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (!all[i]->suits(context)) continue;
        suits = true;
        count += candidates_in(all[i], out + count, room - count, context);
    }
    if (suits) return count;
    return no_candidates(context, "factored",
                         "none of its arithmetics serves this bound and instruction set");
}
