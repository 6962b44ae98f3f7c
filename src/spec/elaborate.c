/* Trees to the expression DAG, as written: no rewriting. Chains of operators are walked in a loop, so that
 * the stack is bounded by the nesting of the text and of the calls. */
#include "program.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *program_fail(struct program *p, const struct frame *f, int status, struct span place,
                   const char *format, ...)
{
    char message[DIAG_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (p->callee && f->source != &p->file.source) {
        diag_at(p->error, status, p->file.source.text, p->call, "in the template `%s`: %s", p->callee,
                message);
    } else {
        diag_at(p->error, status, f->source->text, place, "%s", message);
    }
    return NULL;
}

static const expr *elaborate_literal(struct program *p, const struct frame *f, const struct syntax *s)
{
    mpq_t value;
    mpq_init(value);
    const expr *e = NULL;
    if (number_parse(f->source, s->place, value, p->error)) e = expr_number(p->dag, value);
    mpq_clear(value);
    return e;
}

static const expr *elaborate_name(struct program *p, const struct frame *f, const struct syntax *s)
{
    struct binding *b = frame_find(f, s->name);
    if (b) {
        b->used = true;
        return b->value;
    }
    const expr *constant = constant_of(p->dag, s->name);
    if (constant) return constant;
    if (!strcmp(s->name, "rows") || !strcmp(s->name, "cols"))
        return program_fail(p, f, DIAG_NOT_YET, s->place, "`%s` in formulas is not supported yet", s->name);
    struct target t = program_resolve(p, f->source, s->name, false);
    if (t.kind == TARGET_TYPE)
        return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` is a type; a cast is written `%s(x)`", s->name,
                            s->name);
    if (t.kind == TARGET_KERNEL)
        return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` is a kernel, not a value", s->name);
    if (t.kind != TARGET_NONE)
        return program_fail(p, f, DIAG_SYNTAX, s->place, "`%s` is a function; a call is written `%s(x)`",
                            s->name, s->name);
    const char *near = program_nearest(p, f, s->name, true, true, false);
    if (!near && p->is_formula)
        return program_fail(
            p, f, DIAG_SYNTAX, s->place,
            "unknown name `%s`; a formula alone has the variable `x`, and several operands make a "
            "kernel: kernel k(%s: f32, ...) -> (y: f32) { y = ... }",
            s->name, s->name);
    return program_fail(p, f, DIAG_SYNTAX, s->place,
                        near ? "unknown name `%s`; did you mean `%s`?" : "unknown name `%s`", s->name, near);
}

static const expr *want(struct program *p, const struct frame *f, const expr *e, const struct syntax *s,
                        bool truth)
{
    if (!e || expr_is_truth(e) == truth) return e;
    return program_fail(p, f, DIAG_SYNTAX, s->place,
                        truth ? "expected a condition such as `x > 0`, this is a number"
                              : "expected a number, this is a condition; `if` makes a number of it");
}

const expr *elaborate_number(struct program *p, struct frame *f, const struct syntax *s)
{
    return want(p, f, elaborate(p, f, s), s, false);
}

static const expr *combine(expr_dag *dag, enum token_kind operator, const expr * a, const expr *b)
{
    switch (operator) {
    case TOKEN_PLUS: return expr_binary(dag, EXPR_ADD, a, b);
    case TOKEN_MINUS: return expr_binary(dag, EXPR_SUB, a, b);
    case TOKEN_STAR: return expr_binary(dag, EXPR_MUL, a, b);
    case TOKEN_SLASH: return expr_binary(dag, EXPR_DIV, a, b);
    case TOKEN_LESS: return expr_binary(dag, EXPR_LT, a, b);
    case TOKEN_LESS_EQUAL: return expr_binary(dag, EXPR_LE, a, b);
    case TOKEN_GREATER: return expr_binary(dag, EXPR_LT, b, a);
    case TOKEN_GREATER_EQUAL: return expr_binary(dag, EXPR_LE, b, a);
    case TOKEN_EQUAL: return expr_binary(dag, EXPR_EQ, a, b);
    case TOKEN_NOT_EQUAL: return expr_unary(dag, EXPR_NOT, expr_binary(dag, EXPR_EQ, a, b));
    case TOKEN_AND: return expr_binary(dag, EXPR_AND, a, b);
    default: return expr_binary(dag, EXPR_OR, a, b);
    }
}

static bool is_chain(const struct syntax *s) { return s->kind == SYNTAX_BINARY && s->operator!= TOKEN_CARET; }

/* ((a + b) + c) + d, innermost first. */
static const expr *elaborate_chain(struct program *p, struct frame *f, const struct syntax *s)
{
    size_t count = 0;
    for (const struct syntax *i = s; is_chain(i); i = i->operand[0]) count++;
    const struct syntax **links = arena_alloc(p->memory, count * sizeof *links), *innermost = s;
    for (size_t i = count; i > 0; innermost = innermost->operand[0]) links[--i] = innermost;
    const expr *left = elaborate(p, f, innermost);
    for (size_t i = 0; i < count && left; i++) {
        bool truths = links[i]->operator== TOKEN_AND || links[i]->operator== TOKEN_OR;
        left = want(p, f, left, links[i]->operand[0], truths);
        if (!left) return NULL;
        const expr *right = want(p, f, elaborate(p, f, links[i]->operand[1]), links[i]->operand[1], truths);
        if (!right) return NULL;
        left = combine(p->dag, links[i]->operator, left, right);
        if (expr_dag_full(p->dag)) break; /* elaborate() says so */
    }
    return left;
}

static const expr *elaborate_if(struct program *p, struct frame *f, const struct syntax *s)
{
    const expr *condition = want(p, f, elaborate(p, f, s->operand[0]), s->operand[0], true);
    const expr *then = condition ? elaborate_number(p, f, s->operand[1]) : NULL;
    const expr *otherwise = then ? elaborate_number(p, f, s->operand[2]) : NULL;
    return otherwise ? expr_if(p->dag, condition, then, otherwise) : NULL;
}

static const expr *elaborate_prefix(struct program *p, struct frame *f, const struct syntax *s)
{
    bool truth = s->kind == SYNTAX_NOT;
    const expr *a = want(p, f, elaborate(p, f, s->operand[0]), s->operand[0], truth);
    return a ? expr_unary(p->dag, truth ? EXPR_NOT : EXPR_NEG, a) : NULL;
}

static const expr *elaborate_kind(struct program *p, struct frame *f, const struct syntax *s)
{
    switch (s->kind) {
    case SYNTAX_NUMBER: return elaborate_literal(p, f, s);
    case SYNTAX_NAME: return elaborate_name(p, f, s);
    case SYNTAX_CALL: return elaborate_call(p, f, s);
    case SYNTAX_IF: return elaborate_if(p, f, s);
    case SYNTAX_BINARY: return is_chain(s) ? elaborate_chain(p, f, s) : elaborate_power(p, f, s);
    default: return elaborate_prefix(p, f, s);
    }
}

const expr *elaborate(struct program *p, struct frame *f, const struct syntax *s)
{
    const char *text = p->file.source.text;
    if (++p->steps > PROGRAM_MAX_STEPS || p->depth >= PROGRAM_MAX_DEPTH) {
        diag_at(p->error, DIAG_SYNTAX, text, p->outer,
                "too large: with its calls inlined this takes more than %d %s",
                p->steps > PROGRAM_MAX_STEPS ? PROGRAM_MAX_STEPS : PROGRAM_MAX_DEPTH,
                p->steps > PROGRAM_MAX_STEPS ? "steps" : "levels");
        return NULL;
    }
    p->depth++;
    const expr *e = elaborate_kind(p, f, s);
    p->depth--;
    if (!e || !expr_dag_full(p->dag)) return e;
    diag_at(p->error, DIAG_SYNTAX, text, p->outer,
            "too large: with this the spec has more than %d operations", SPEC_MAX_NODES);
    return NULL;
}
