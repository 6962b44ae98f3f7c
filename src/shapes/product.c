/* The shape of products and quotients: f = a b or f = a / b. Both a and b have plans of their own, each
 * within a bound of its own. For example, tanh(x) sigmoid(x) has no exponential in common, but each factor
 * has a fast plan.
 *
 * The factors of f are divided between a and b in all ways, because not every function of the factors can be
 * planned: x sigmoid(x) can be where sigmoid(x) alone has become too small a number. */
#include "parts.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_FACTORS = 5, MOST_COPIES = 3, MOST_SPLITS = 8, MOST_DETAILED = 2 };

/* The factors of a product. A factor whose exponent is an integer appears that many times. */
struct factors {
    const expr *list[MOST_FACTORS];
    unsigned count;
    bool too_many;
};

struct product {
    const lane_program *part[2];
    bool divides; /* f is the first part over the second one */
    bool squares; /* f is the first part times the square of the second one */
    /* Keeps the rounding error of the first of two products. Needs fma. */
    bool careful;
};

/* -- factors -- */

static void add_copies(struct factors *f, const expr *factor, unsigned copies)
{
    for (unsigned i = 0; i < copies; i++) {
        if (f->count == MOST_FACTORS) {
            f->too_many = true;
            return;
        }
        f->list[f->count++] = factor;
    }
}

static bool has_integral_exponent(const expr *e)
{
    return e->kind == EXPR_POWER && !mpz_cmp_ui(mpq_denref(e->number), 1) &&
           mpz_cmpabs_ui(mpq_numref(e->number), MOST_COPIES) <= 0;
}

static void collect(struct factors *f, expr_dag *dag, const expr *e)
{
    for (; e->kind == EXPR_MUL; e = e->operand[1]) collect(f, dag, e->operand[0]);
    if (!has_integral_exponent(e)) {
        add_copies(f, e, 1);
        return;
    }
    const long exponent = mpz_get_si(mpq_numref(e->number));
    const expr *one = exponent < 0 ? expr_power_ratio(dag, e->operand[0], -1, 1) : e->operand[0];
    add_copies(f, one, (unsigned)labs(exponent));
}

/* -- the two parts -- */

/* Returns the product of the factors whose bit is set. */
static const expr *product_of(const struct factors *f, expr_dag *dag, unsigned chosen)
{
    const expr *product = expr_integer(dag, 1);
    for (unsigned i = f->count; i-- > 0;)
        if (chosen >> i & 1) product = expr_times(dag, f->list[i], product);
    return expr_simplify(dag, product, NULL);
}

static bool is_below_bar(const expr *e) { return e->kind == EXPR_POWER && mpq_sgn(e->number) < 0; }

static lane_value build_of_parts(void *parameters, lane_program *p, lane_value x, bool *possible)
{
    const struct product *w = parameters;
    const lane_value a = lane_inline(p, w->part[0], &x), b = lane_inline(p, w->part[1], &x);
    (void)possible;
    if (w->divides) return lane_binary(p, LANE_DIV, a, b);
    const lane_value y = lane_mul(p, a, b);
    if (!w->squares) return y;
    /* The square itself may be subnormal where f is not. */
    if (!w->careful) return lane_mul(p, y, b);
    const lane_value lost = lane_fma(p, a, b, lane_unary(p, LANE_NEG, y));
    return lane_fma(p, y, b, lane_mul(p, lost, b));
}

/* The candidates so far. */
struct list {
    struct candidate *out;
    size_t room, count;
};

/* The parts of f, and how they make f. `cost` is that of the candidate with the loosest bounds. */
struct split {
    const expr *part[2];
    bool divides, squares;
    double cost;
};

static void add(struct list *l, const struct split *split, bool careful, const struct planned_part part[2],
                const double ulps[2], const struct shape_context *context)
{
    static const char *const names[] = {"x"};
    struct product *w = arena_alloc(context->memory, sizeof *w);
    struct text t = text_new(context->memory);
    *w = (struct product){
        {part[0].program, part[1].program}, split->divides, split->squares, .careful = careful};
    for (unsigned i = 0; i < 2; i++) {
        text_add(&t, "%s(", !i ? "" : w->divides ? " / " : " ");
        expr_print(&t, split->part[i], names);
        text_add(&t, " within %.3g ulp, %s)%s", ulps[i], part[i].shape, i && w->squares ? "^2" : "");
    }
    if (careful) text_add(&t, ", multiplied with care");
    l->out[l->count] = (struct candidate){
        .shape = "product", .description = t.data, .build = build_of_parts, .parameters = w};
    if (candidate_finish(&l->out[l->count], context)) l->count++;
}

/* Adds the candidates of a split. At least one of the parts is planned by a step from `first` on, and both by
 * steps before `end`. */
static void add_split(struct list *l, const struct split *split, unsigned first, unsigned end,
                      const struct shape_context *context)
{
    const struct part_steps s = part_steps_of(judge_allowed(&context->request->piece.bound));
    for (unsigned i = 0; i < end && i < s.count; i++)
        for (unsigned k = i < first ? first : 0; k < end && k < s.count; k++) {
            const double ulps[2] = {s.ulps[i], s.ulps[k]};
            struct planned_part part[2];
            if (!part_plan(&part[0], split->part[0], ulps[0], context)) return;
            if (!part_plan(&part[1], split->part[1], ulps[1], context)) break;
            if (l->room - l->count < 2) return;
            add(l, split, false, part, ulps, context);
            if (split->squares && context->request->profile.fma) add(l, split, true, part, ulps, context);
        }
}

/* Divides the factors between two parts in all ways. Returns the number of splits. */
static unsigned find_splits(struct split *out, const struct factors *f, expr_dag *dag)
{
    unsigned count = 0;
    const expr *seen[MOST_SPLITS];
    /* The second part never has the first factor, so that no split is met twice. */
    for (unsigned second = 2; second < 1u << f->count && count < MOST_SPLITS; second += 2) {
        const expr *a = product_of(f, dag, ~second), *b = product_of(f, dag, second);
        bool is_new = !expr_is_constant(a) && !expr_is_constant(b);
        for (unsigned i = 0; i < count && is_new; i++) is_new = seen[i] != a && seen[i] != b;
        if (!is_new) continue;
        const bool divides = is_below_bar(b);
        seen[count] = a;
        if (divides) b = expr_simplify(dag, expr_power_ratio(dag, b, -1, 1), NULL);
        out[count++] = (struct split){{a, b}, divides, false, INFINITY};
    }
    for (unsigned i = 0; i + 1 < f->count && f->count > 2 && count < MOST_SPLITS; i++) {
        const unsigned both = 3u << i; /* the copies of a factor are neighbours */
        if (f->list[i] != f->list[i + 1]) continue;
        out[count++] = (struct split){{product_of(f, dag, ~both), f->list[i]}, false, true, INFINITY};
    }
    return count;
}

size_t product_candidates(struct candidate *out, size_t room, const struct shape_context *context)
{
    const struct plan_request *r = context->request;
    struct factors f = {.count = 0};
    struct list l = {out, room, 0};
    struct split split[MOST_SPLITS];
    if (!part_suits(r)) return no_candidates(context, "product", WHY_NO_PARTS);
    collect(&f, r->dag, r->piece.simplified);
    const unsigned count = f.too_many ? 0 : find_splits(split, &f, r->dag);
    if (!count)
        return no_candidates(context, "product",
                             f.too_many ? "it has too many factors" : "it is no product of functions");
    for (unsigned i = 0; i < count; i++) {
        const size_t before = l.count;
        add_split(&l, &split[i], 0, 1, context);
        if (l.count > before) split[i].cost = out[before].cost;
    }
    /* Only the cheapest splits are planned within smaller bounds, which takes time. */
    for (unsigned taken = 0; taken < MOST_DETAILED; taken++) {
        unsigned best = 0;
        for (unsigned i = 1; i < count; i++)
            if (split[i].cost < split[best].cost) best = i;
        if (!count || split[best].cost == (double)INFINITY) break;
        add_split(&l, &split[best], 1, MOST_PART_STEPS, context);
        split[best].cost = INFINITY;
    }
    return l.count ? l.count : no_candidates(context, "product", WHY_NO_PART);
}
