/* Implements the stack of the printers, and writes numbers as text. */
#include "printer.h"

#include <string.h>

static void push(struct printer *p, struct printer_item item)
{
    if (p->count == p->capacity) {
        struct printer_item *grown = arena_alloc(p->out->memory, 2 * p->capacity * sizeof *grown);
        memcpy(grown, p->items, p->count * sizeof *grown);
        p->items = grown;
        p->capacity *= 2;
    }
    p->items[p->count++] = item;
}

void printer_say(struct printer *p, const char *text) { push(p, (struct printer_item){.text = text}); }
void printer_visit(struct printer *p, const expr *e, int level)
{
    push(p, (struct printer_item){.node = e, .level = level});
}

void printer_call(struct printer *p, const expr *e, const char *name)
{
    printer_say(p, ")");
    for (unsigned i = expr_arity(e->kind); i-- > 0;) {
        printer_visit(p, e->operand[i], LEVEL_IF);
        if (i) printer_say(p, ", ");
    }
    printer_say(p, "(");
    printer_say(p, name);
}

void printer_choice(struct printer *p, const expr *e, int level, const char *const texts[3])
{
    for (int i = 3; i-- > 0;) {
        printer_visit(p, e->operand[i], i == 2 ? LEVEL_IF : level);
        printer_say(p, texts[i]);
    }
}

const char *printer_integer(struct printer *p, mpz_srcptr z, int base)
{
    char *digits = arena_alloc(p->out->memory, mpz_sizeinbase(z, base) + 2);
    return mpz_get_str(digits, base, z);
}

/* Finds an integer m without trailing zeros and k with q = m * 10^-k. Returns false if there is no such k.
 * `m` is initialised. */
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

/* Returns m * 10^-k as people write it, for m >= 0. */
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

const char *printer_number(struct printer *p, mpq_srcptr q)
{
    enum { LONGEST_DECIMAL = 60 };
    mpz_t m;
    long k = 0;
    mpz_init(m);
    const char *digits = decimal(q, m, &k) ? printer_integer(p, m, 10) : NULL;
    mpz_clear(m);
    if (!digits) return NULL;
    bool binary = mpz_popcount(mpq_denref(q)) == 1 && mpz_cmp_ui(mpq_denref(q), 1) > 0;
    if (strlen(digits) <= LONGEST_DECIMAL || !binary) return decimal_text(p, digits, k);
    struct text t = text_new(p->out->memory);
    text_add(&t, "0x%sp-%lu", printer_integer(p, mpq_numref(q), 16),
             (unsigned long)mpz_scan1(mpq_denref(q), 0));
    return t.data;
}

int printer_number_level(mpq_srcptr q, bool fraction)
{
    return fraction ? LEVEL_PRODUCT : mpq_sgn(q) < 0 ? LEVEL_NEGATE : LEVEL_PRIMARY;
}

/* The operators between two operands. Operators that chain bind to the left. */
static const struct infix {
    const char *sign, *in_c; /* NULL if C writes it in another way */
    int level;
    bool chains;
} infixes[EXPR_KIND_COUNT] = {
    [EXPR_OR] = {" or ", NULL, LEVEL_OR, true},         [EXPR_AND] = {" and ", " && ", LEVEL_AND, true},
    [EXPR_LT] = {" < ", " < ", LEVEL_COMPARE, false},   [EXPR_LE] = {" <= ", " <= ", LEVEL_COMPARE, false},
    [EXPR_EQ] = {" == ", " == ", LEVEL_COMPARE, false}, [EXPR_ADD] = {" + ", " + ", LEVEL_SUM, true},
    [EXPR_SUB] = {" - ", " - ", LEVEL_SUM, true},       [EXPR_MUL] = {" * ", " * ", LEVEL_PRODUCT, true},
    [EXPR_DIV] = {" / ", " / ", LEVEL_PRODUCT, true},
};

static const char *input_name(struct printer *p, const expr *e)
{
    if (p->names) return p->names[e->input];
    struct text t = text_new(p->out->memory);
    text_add(&t, "x%u", e->input);
    return t.data;
}

static void visit_node(struct printer *p, const expr *e, int level)
{
    if (p->node_names && p->node_names[e->id] && e->id != p->root) {
        printer_say(p, p->node_names[e->id]);
        return;
    }
    const struct infix *infix = &infixes[e->kind];
    const char *sign = p->suffix ? infix->in_c : infix->sign;
    int own = infix->sign ? infix->level : p->level(e);
    const char *number = e->kind == EXPR_NUMBER ? p->number(p, e->number, &own) : NULL;
    if (own < level) printer_say(p, ")");
    if (sign) {
        printer_visit(p, e->operand[1], own + 1);
        printer_say(p, sign);
        printer_visit(p, e->operand[0], infix->chains ? own : own + 1);
    } else if (number || e->kind == EXPR_INPUT) {
        printer_say(p, number ? number : input_name(p, e));
    } else {
        p->node(p, e, own);
    }
    if (own < level) printer_say(p, "(");
}

void printer_run(struct printer *p, const expr *e)
{
    static const char *const only_x[] = {"x"};
    if (!p->names && !(e->inputs & ~UINT64_C(1))) p->names = only_x;
    p->capacity = 64;
    p->items = arena_alloc(p->out->memory, p->capacity * sizeof *p->items);
    p->root = e->id;
    printer_visit(p, e, LEVEL_IF);
    while (p->count) {
        struct printer_item item = p->items[--p->count];
        if (++p->work > PRINTER_MAX_ITEMS) {
            text_add(p->out, "...");
            return;
        }
        if (item.node) {
            visit_node(p, item.node, item.level);
        } else {
            text_bytes(p->out, item.text, strlen(item.text));
        }
    }
}
