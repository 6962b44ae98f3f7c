/* Formulas as text: in the language's own syntax, and as C.
 *
 * Both printers keep a stack of what is still to be said, so that neither the depth nor the sharing of a DAG can overflow
 * the stack; a formula that would be longer than MAX_ITEMS words ends in "...". */
#include "expr.h"

#include <string.h>

enum { MAX_ITEMS = 1 << 18 };

/* Binding strength, loosest first; the parser's levels. */
enum { LEVEL_IF, LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_NEGATE, LEVEL_POWER, LEVEL_PRIMARY };

struct item { /* text, or a node where at least `level` must bind */
    const char *text;
    const expr *node;
    int level;
};

struct printer {
    struct text *out;
    const char *const *names;
    const char *const *node_names; /* by id, or NULL */
    uint32_t named_root;           /* printed in full although it has a name */
    const char *suffix;            /* of C functions and constants */
    struct item *items;
    size_t count, capacity, work;
};

static void push(struct printer *p, struct item item)
{
    if (p->count == p->capacity) {
        struct item *grown = arena_alloc(p->out->memory, 2 * p->capacity * sizeof *grown);
        memcpy(grown, p->items, p->count * sizeof *grown);
        p->items = grown;
        p->capacity *= 2;
    }
    p->items[p->count++] = item;
}

/* What is pushed last is said first. */
static void say(struct printer *p, const char *text) { push(p, (struct item){.text = text}); }
static void visit(struct printer *p, const expr *e, int level) { push(p, (struct item){.node = e, .level = level}); }

static const char *integer_text(struct printer *p, mpz_srcptr z, int base)
{
    char *digits = arena_alloc(p->out->memory, mpz_sizeinbase(z, base) + 2);
    return mpz_get_str(digits, base, z);
}

/* q = m * 10^-k with an integer m without trailing zeros, if there is such a k. `m` is initialised. */
static bool decimal(mpq_srcptr q, mpz_ptr m, long *k)
{
    mpz_t rest, five;
    mpz_inits(rest, five, NULL);
    mpz_set_ui(five, 5);
    unsigned long twos = mpz_scan1(mpq_denref(q), 0);
    mpz_tdiv_q_2exp(rest, mpq_denref(q), twos);
    unsigned long fives = mpz_remove(rest, rest, five);
    bool good = !mpz_cmp_ui(rest, 1);
    if (good) {
        unsigned long places = twos > fives ? twos : fives;
        mpz_ui_pow_ui(rest, 10, places);
        mpz_mul(m, mpq_numref(q), rest);
        mpz_divexact(m, m, mpq_denref(q));
        *k = (long)places;
        while (mpz_sgn(m) && mpz_divisible_ui_p(m, 10)) {
            mpz_divexact_ui(m, m, 10);
            --*k;
        }
    }
    mpz_clears(rest, five, NULL);
    return good;
}

/* m * 10^-k as people write it; m >= 0. */
static const char *decimal_text(struct printer *p, const char *digits, long k)
{
    struct text t = text_new(p->out->memory);
    long count = (long)strlen(digits), whole = count - k; /* digits before the point */
    if (!strcmp(digits, "0")) {
        text_add(&t, "0");
    } else if (whole > 25 || whole < -5) {
        text_add(&t, "%c%s%se%ld", digits[0], count > 1 ? "." : "", digits + 1, whole - 1);
    } else if (k <= 0) {
        text_add(&t, "%s", digits);
        for (long i = k; i < 0; i++) text_add(&t, "0");
    } else if (whole <= 0) {
        text_add(&t, "0.");
        for (long i = whole; i < 0; i++) text_add(&t, "0");
        text_add(&t, "%s", digits);
    } else {
        text_add(&t, "%.*s.%s", (int)whole, digits, digits + whole);
    }
    return t.data;
}

/* q >= 0 as one word of the language, or NULL if it is a fraction like 1/3. */
static const char *number_text(struct printer *p, mpq_srcptr q)
{
    enum { LONGEST_DECIMAL = 60 };
    mpz_t m;
    long k = 0;
    mpz_init(m);
    const char *digits = decimal(q, m, &k) ? integer_text(p, m, 10) : NULL;
    mpz_clear(m);
    if (!digits) return NULL;
    bool binary = mpz_popcount(mpq_denref(q)) == 1 && mpz_cmp_ui(mpq_denref(q), 1) > 0;
    if (strlen(digits) <= LONGEST_DECIMAL || !binary) return decimal_text(p, digits, k);
    struct text t = text_new(p->out->memory);
    text_add(&t, "0x%sp-%lu", integer_text(p, mpq_numref(q), 16), (unsigned long)mpz_scan1(mpq_denref(q), 0));
    return t.data;
}

static int number_level(mpq_srcptr q, bool fraction)
{
    return fraction ? LEVEL_PRODUCT : mpq_sgn(q) < 0 ? LEVEL_NEGATE : LEVEL_PRIMARY;
}

/* Any number; *level is how tightly its text binds. */
static const char *signed_number(struct printer *p, mpq_srcptr q, int *level)
{
    mpq_t magnitude;
    mpq_init(magnitude);
    mpq_abs(magnitude, q);
    const char *word = number_text(p, magnitude);
    mpq_clear(magnitude);
    *level = number_level(q, !word);
    struct text t = text_new(p->out->memory);
    if (word) {
        text_add(&t, "%s%s", mpq_sgn(q) < 0 ? "-" : "", word);
    } else {
        text_add(&t, "%s/%s", integer_text(p, mpq_numref(q), 10), integer_text(p, mpq_denref(q), 10));
    }
    return t.data;
}

static int level_of(const expr *e)
{
    switch (e->kind) {
    case EXPR_IF: return LEVEL_IF;
    case EXPR_OR: return LEVEL_OR;
    case EXPR_AND: return LEVEL_AND;
    case EXPR_NOT: return LEVEL_NOT;
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_EQ: return LEVEL_COMPARE;
    case EXPR_ADD:
    case EXPR_SUB: return LEVEL_SUM;
    case EXPR_MUL:
    case EXPR_DIV: return LEVEL_PRODUCT;
    case EXPR_NEG: return LEVEL_NEGATE;
    case EXPR_POWER: return LEVEL_POWER;
    default: return LEVEL_PRIMARY;
    }
}

static const char *input_name(struct printer *p, const expr *e)
{
    if (p->names) return p->names[e->input];
    struct text t = text_new(p->out->memory);
    text_add(&t, "x%u", e->input);
    return t.data;
}

static void visit_infix(struct printer *p, const expr *e, int level, const char *sign)
{
    bool chains = level != LEVEL_COMPARE;
    visit(p, e->operand[1], level + 1);
    say(p, sign);
    visit(p, e->operand[0], chains ? level : level + 1);
}

static void visit_call(struct printer *p, const expr *e, const char *name)
{
    say(p, ")");
    for (unsigned i = expr_arity(e->kind); i-- > 0;) {
        visit(p, e->operand[i], LEVEL_IF);
        if (i) say(p, ", ");
    }
    say(p, "(");
    say(p, name);
}

/* x^3, x^-2, x^(1/2) */
static void visit_power(struct printer *p, const expr *e)
{
    int level;
    const char *exponent = signed_number(p, e->number, &level);
    bool fraction = mpz_cmp_ui(mpq_denref(e->number), 1) != 0;
    if (fraction) {
        struct text t = text_new(p->out->memory);
        text_add(&t, "%s/%s", integer_text(p, mpq_numref(e->number), 10), integer_text(p, mpq_denref(e->number), 10));
        exponent = t.data;
        say(p, ")");
    }
    say(p, exponent);
    say(p, fraction ? "^(" : "^");
    visit(p, e->operand[0], LEVEL_PRIMARY);
}

static void visit_node(struct printer *p, const expr *e, int level)
{
    if (p->node_names && p->node_names[e->id] && e->id != p->named_root) {
        say(p, p->node_names[e->id]);
        return;
    }
    int own = level_of(e);
    const char *number = e->kind == EXPR_NUMBER ? signed_number(p, e->number, &own) : NULL;
    if (own < level) say(p, ")");
    switch (e->kind) {
    case EXPR_NUMBER: say(p, number); break;
    case EXPR_PI:
    case EXPR_INFINITY: say(p, expr_kind_name(e->kind)); break;
    case EXPR_INPUT: say(p, input_name(p, e)); break;
    case EXPR_ADD: visit_infix(p, e, own, " + "); break;
    case EXPR_SUB: visit_infix(p, e, own, " - "); break;
    case EXPR_MUL: visit_infix(p, e, own, " * "); break;
    case EXPR_DIV: visit_infix(p, e, own, " / "); break;
    case EXPR_LT: visit_infix(p, e, own, " < "); break;
    case EXPR_LE: visit_infix(p, e, own, " <= "); break;
    case EXPR_EQ: visit_infix(p, e, own, " == "); break;
    case EXPR_AND: visit_infix(p, e, own, " and "); break;
    case EXPR_OR: visit_infix(p, e, own, " or "); break;
    case EXPR_NEG:
    case EXPR_NOT:
        visit(p, e->operand[0], own);
        say(p, e->kind == EXPR_NEG ? "-" : "not ");
        break;
    case EXPR_POWER: visit_power(p, e); break;
    case EXPR_CAST: visit_call(p, e, element_types[e->type].name); break;
    case EXPR_IF:
        visit(p, e->operand[2], LEVEL_IF);
        say(p, " else ");
        visit(p, e->operand[1], LEVEL_IF);
        say(p, " then ");
        visit(p, e->operand[0], LEVEL_IF);
        say(p, "if ");
        break;
    default: visit_call(p, e, expr_kind_name(e->kind)); break;
    }
    if (own < level) say(p, "(");
}

static void run(struct printer *p, const expr *e, void (*node)(struct printer *, const expr *, int), int level)
{
    p->capacity = 64;
    p->items = arena_alloc(p->out->memory, p->capacity * sizeof *p->items);
    visit(p, e, level);
    while (p->count) {
        struct item item = p->items[--p->count];
        if (++p->work > MAX_ITEMS) {
            text_add(p->out, "...");
            return;
        }
        if (item.node) {
            node(p, item.node, item.level);
        } else {
            text_bytes(p->out, item.text, strlen(item.text));
        }
    }
}

void expr_print_named(struct text *out, const expr *e, const char *const *input_names, const char *const *node_names)
{
    struct printer p = {.out = out, .names = input_names, .node_names = node_names, .named_root = e->id};
    static const char *const only_x[] = {"x"};
    if (!input_names && !(e->inputs & ~UINT64_C(1))) p.names = only_x;
    run(&p, e, visit_node, LEVEL_IF);
}

void expr_print(struct text *out, const expr *e, const char *const *input_names)
{
    expr_print_named(out, e, input_names, NULL);
}
