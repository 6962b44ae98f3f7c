/* Reads the judge's formulas. */
#include "formula.h"

#include <ctype.h>
#include <string.h>

struct reader {
    struct formula *out;
    const char *at;
    int is_wrong;
    int named[26]; /* The step of each name of one letter, or 0. Step 0 is never named. */
};

static int add_step(struct reader *r, enum code code, int a, int b, int c, int d)
{
    struct formula *f = r->out;
    const int operand[] = {a, b, c, d};
    if (r->is_wrong || f->count == MOST_STEPS) {
        r->is_wrong = 1;
        return 0;
    }
    struct step *s = &f->step[f->count];
    memset(s, 0, sizeof *s);
    s->code = code;
    memcpy(s->operand, operand, sizeof operand);
    s->is_constant = code != CODE_X;
    for (int i = 0; i < 4; i++)
        if (operand[i] >= 0) s->is_constant &= f->step[operand[i]].is_constant;
    return f->count++;
}

static int takes(struct reader *r, const char *sign)
{
    while (isspace((unsigned char)*r->at)) r->at++;
    if (strncmp(r->at, sign, strlen(sign))) return 0;
    r->at += strlen(sign);
    return 1;
}

static void want(struct reader *r, const char *sign)
{
    if (!takes(r, sign)) r->is_wrong = 1;
}

static int read_choice(struct reader *r);

static int read_number(struct reader *r, size_t length)
{
    const int n = add_step(r, CODE_NUMBER, -1, -1, -1, -1);
    if (length >= sizeof r->out->step[n].number) r->is_wrong = 1;
    if (r->is_wrong) return 0;
    memcpy(r->out->step[n].number, r->at, length);
    r->at += length;
    return n;
}

static int read_name(struct reader *r)
{
    static const struct {
        const char *name;
        enum code code;
    } functions[] = {
#define F(name) {#name, CODE_##name},
#include "functions.def"
#undef F
    };
    size_t length = 0;
    while (isalnum((unsigned char)r->at[length])) length++;
    const char *name = r->at;
    if (length == 1 && *name == 'x') {
        r->at++;
        return add_step(r, CODE_X, -1, -1, -1, -1);
    }
    if (length == 1 && islower((unsigned char)*name) && r->named[*name - 'a']) {
        r->at++;
        return r->named[*name - 'a'];
    }
    if (length == 2 && !strncmp(name, "pi", 2)) { /* acos(-1) */
        r->at = "1";
        const int one = read_number(r, 1);
        r->at = name + 2;
        return add_step(r, CODE_acos, add_step(r, CODE_NEGATE, one, -1, -1, -1), -1, -1, -1);
    }
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strlen(functions[i].name) == length && !strncmp(name, functions[i].name, length)) {
            r->at += length;
            want(r, "(");
            const int argument = read_choice(r);
            want(r, ")");
            return add_step(r, functions[i].code, argument, -1, -1, -1);
        }
    r->is_wrong = 1;
    return 0;
}

static int read_factor(struct reader *r)
{
    if (r->is_wrong) return 0;
    if (takes(r, "-")) return add_step(r, CODE_NEGATE, read_factor(r), -1, -1, -1);
    if (takes(r, "(")) {
        const int value = read_choice(r);
        want(r, ")");
        return value;
    }
    const size_t digits = strspn(r->at, "0123456789.");
    return digits ? read_number(r, digits) : read_name(r);
}

static int read_product(struct reader *r)
{
    int value = read_factor(r);
    for (;;)
        if (takes(r, "*"))
            value = add_step(r, CODE_MULTIPLY, value, read_factor(r), -1, -1);
        else if (takes(r, "/"))
            value = add_step(r, CODE_DIVIDE, value, read_factor(r), -1, -1);
        else
            return value;
}

static int read_sum(struct reader *r)
{
    int value = read_product(r);
    for (;;)
        if (takes(r, "+"))
            value = add_step(r, CODE_ADD, value, read_product(r), -1, -1);
        else if (takes(r, "-"))
            value = add_step(r, CODE_SUBTRACT, value, read_product(r), -1, -1);
        else
            return value;
}

static int read_choice(struct reader *r)
{
    int a = read_sum(r), b;
    if (takes(r, "<"))
        b = read_sum(r);
    else if (takes(r, ">")) {
        b = a;
        a = read_sum(r);
    } else
        return a;
    want(r, "?");
    const int yes = read_choice(r);
    want(r, ":");
    const int no = read_choice(r);
    return add_step(r, CODE_CHOOSE, a, b, yes, no);
}

const char *formula_parse(struct formula *f, const char *text)
{
    struct reader r = {.out = f, .at = text};
    f->count = 0;
    while (islower((unsigned char)*r.at) && !strncmp(r.at + 1, " = ", 3)) {
        int *step = &r.named[*r.at - 'a'];
        r.at += 4;
        *step = read_choice(&r);
        want(&r, ";");
        takes(&r, "");
    }
    const int value = read_choice(&r);
    takes(&r, "");
    return r.is_wrong || *r.at || value != f->count - 1 ? r.at : 0;
}
