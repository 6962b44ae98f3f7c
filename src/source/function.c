/* Prints a lane program as a function of one vector. Each value is a constant variable, with the number that
 * it has in the lane program. */
#include "rare.h"
#include "style.h"
#include "sum_behind.h"

#include <stdlib.h>
#include <string.h>

struct source_form source_form_of(const struct source_style *s, const lane_program *p)
{
    bool wide = s->lanes && strcmp(s->lanes, s->wide_lanes) != 0;
    for (uint32_t n = 0; wide && n < p->count; n++)
        wide = p->code[n].op == LANE_STORE || p->code[n].type == LANE_TRUTH || lane_is_wide(p->code[n].type);
    return (struct source_form){s, wide};
}

unsigned source_registers(struct source_form form, enum lane_type type)
{
    const struct source_style *s = form.style;
    return lane_is_wide(type) && !form.is_wide && s->lanes && strcmp(s->lanes, s->wide_lanes) != 0 ? 2 : 1;
}

const char *source_type(struct source_form form, enum lane_type type)
{
    const struct source_style *s = form.style;
    return type == LANE_TRUTH && form.is_wide && s->wide_truth ? s->wide_truth : s->type[type];
}

const char *source_register(arena *memory, const char *name, unsigned registers, unsigned part)
{
    struct text t = text_new(memory);
    text_add(&t, registers > 1 ? "%s_%u" : "%s", name, part);
    return t.data;
}

const struct source_lookup *source_lookup_find(const struct source_style *s, const struct lane_table *t)
{
    for (size_t i = 0; i < s->lookup_count; i++)
        if (s->lookups[i].type == t->type && s->lookups[i].log2_entries >= t->log2_size)
            return &s->lookups[i];
    return NULL;
}

struct printer {
    struct text *out;
    struct source_writer *writer;
    const struct source_function *function;
    const lane_program *program;
    struct source_form form;
    const char **names;        /* By value. */
    const char *(*inlined)[2]; /* By value and register: the text that stands in its user, or NULL. */
    bool *is_summed; /* By value: a sum takes it, so that a product could become a part of the sum. */
    uint32_t *uses;  /* By value: how many operands it is, except amounts of shifts. */
    uint32_t *user;  /* By value: the first instruction that takes it. */
    uint32_t *rare;  /* By value: the choice that alone needs it (rare.h), or 0. */
    bool *is_joined; /* By value: a user takes the truth values of both registers together. */
    const char *indent;
};

static bool is_shift(enum lane_op op) { return op == LANE_SHL || op == LANE_SHR || op == LANE_SAR; }

/* Returns true for a product, and for the negative of one, which compilers make a product. */
static bool is_signed_product(const lane_program *p, uint32_t n)
{
    const struct lane_instruction *i = &p->code[n];
    return i->op == LANE_MUL || (i->op == LANE_NEG && is_signed_product(p, i->operand[0]));
}

/* Returns true if a compiler may see an operand after the op's result. */
static bool passes_on(enum lane_op op)
{
    return lane_is_choice(op) || op == LANE_NEG || op == LANE_ABS || op == LANE_MIN || op == LANE_MAX ||
           op == LANE_BITCAST || op == LANE_XOR;
}

/* Returns true if a helper scales value n by the bits of a sum (sum_behind.h). */
static bool scales_by_sum(const struct printer *p, uint32_t n, struct sum_behind *sum)
{
    const struct lane_instruction *i = &p->program->code[n];
    return (i->op == LANE_SCALE2 || i->op == LANE_SCALE2_FLOOR) && !p->form.style->ops[i->op].text[i->type] &&
           sum_find(sum, p->program, i->operand[1]);
}

/* Returns operand k as the text of instruction n takes it. */
static lane_value operand_of(const struct printer *p, uint32_t n, unsigned k)
{
    struct sum_behind sum;
    return k == 1 && scales_by_sum(p, n, &sum) ? sum.sum : p->program->code[n].operand[k];
}

/* Returns true if the value has the truth values of two registers, by comparing each. */
static bool compares_registers(const struct printer *p, lane_value v)
{
    const struct lane_instruction *i = &p->program->code[v];
    return i->type == LANE_TRUTH && lane_ops[i->op].arity &&
           source_registers(p->form, p->program->code[i->operand[0]].type) > 1;
}

/* Returns true if the instruction chooses by the truth values of each register. */
static bool chooses_by_register(const struct printer *p, const struct lane_instruction *i)
{
    return lane_is_choice(i->op) && source_registers(p->form, i->type) > 1;
}

static void find_uses(struct printer *p)
{
    for (uint32_t n = p->program->count; n-- > 0;) {
        const struct lane_instruction *i = &p->program->code[n];
        if (!p->uses[n] && i->op != LANE_STORE) continue;
        const bool sums = i->op == LANE_ADD || i->op == LANE_SUB ||
                          (p->is_summed[n] && passes_on(i->op) && !is_signed_product(p->program, n));
        for (unsigned k = 0; k < lane_ops[i->op].arity; k++) {
            const lane_value v = operand_of(p, n, k);
            if (sums) p->is_summed[v] = true;
            if (is_shift(i->op) && k > 0) continue;
            p->uses[v]++;
            p->user[v] = n;
            if (k > 0 || i->op == LANE_RARELY || !chooses_by_register(p, i)) p->is_joined[v] = true;
        }
    }
}

static bool is_inlined_constant(const struct printer *p, lane_value v)
{
    return p->program->code[v].op == LANE_CONST && p->uses[v] == 1;
}

/* Returns true if the value is short, and its only user reads well around it: a sum of products, a conversion
 * between bits and numbers. Texts of these users have each operand once. */
static bool stands_in_user(const struct printer *p, lane_value v)
{
    const enum lane_op user = p->program->code[p->user[v]].op;
    if (p->uses[v] != 1) return false;
    switch (p->program->code[v].op) {
    case LANE_MUL: return user == LANE_ADD || user == LANE_SUB;
    case LANE_AND:
    case LANE_SHL: return user == LANE_BITCAST;
    case LANE_BITCAST: return user == LANE_AND || user == LANE_SHL || user == LANE_MUL;
    default: return false;
    }
}

static const struct source_parameter *parameter_of(const struct printer *p, uint32_t operand)
{
    const struct source_parameter *found = p->function->parameters;
    while (found->operand != operand) found++;
    return found;
}

static const char *constant_text(struct printer *p, const struct lane_instruction *i)
{
    const struct source_words w = {.constant = source_number(p->writer, i->type, i->bits)};
    return source_expanded(p->writer, p->form.style->ops[LANE_CONST].text[i->type], 0, &w);
}

/* Names the values. A constant that is used once stands where it is used. */
static void find_names(struct printer *p)
{
    for (uint32_t n = 0; n < p->program->count; n++) {
        const struct lane_instruction *i = &p->program->code[n];
        struct text name = text_new(p->writer->memory);
        text_add(&name, "%c%u", i->op == LANE_CONST ? 'c' : 'v', (unsigned)n);
        p->names[n] = i->op == LANE_LOAD          ? parameter_of(p, i->index)->name
                      : is_inlined_constant(p, n) ? constant_text(p, i)
                                                  : name.data;
    }
}

/* Returns the name of a register. All registers of a constant are one. */
static const char *register_of(const struct printer *p, lane_value v, unsigned part)
{
    const struct lane_instruction *i = &p->program->code[v];
    const unsigned registers = i->op == LANE_CONST ? 1 : source_registers(p->form, i->type);
    if (p->inlined[v][0]) return p->inlined[v][registers > 1 ? part : 0];
    return source_register(p->writer->memory, p->names[v], registers, registers > 1 ? part : 0);
}

static const char *number_text(const struct printer *p, const char *format, unsigned long long number)
{
    struct text t = text_new(p->writer->memory);
    text_add(&t, format, number);
    return t.data;
}

static bool is_zero(const struct printer *p, lane_value v)
{
    const struct lane_instruction *i = &p->program->code[v];
    const uint64_t sign = lane_is_wide(i->type) ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    return i->op == LANE_CONST && (i->bits & ~sign) == 0;
}

static const char *text_of(const struct printer *p, const struct lane_instruction *i)
{
    const struct source_style *s = p->form.style;
    struct sum_behind sum;
    if (scales_by_sum(p, (uint32_t)(i - p->program->code), &sum)) {
        struct text call = text_new(p->writer->memory);
        text_add(&call, "@scale2_by_sum%u_%s($1, $2)", sum.fraction, lane_types[i->type].name);
        return call.data;
    }
    const enum lane_type type = i->op == LANE_CONST ? i->type : lane_type_that_chooses(p->program, i);
    const struct source_lookup *own =
        i->op == LANE_LOOKUP ? source_lookup_find(s, &p->program->tables[i->index]) : NULL;
    if (own) return own->text;
    if (s->masked_scale && type == LANE_F32 &&
        lane_masked_scale(p->program, (lane_value)(i - p->program->code)))
        return s->masked_scale;
    if ((i->op == LANE_TO_BF16 || i->op == LANE_TO_BF16_AWAY) && p->function->low_bits)
        return source_to_bf16_text(s, i->op, (enum low_bits)p->function->low_bits[i->operand[0]]);
    return source_op_text(p->writer->memory, s, i->op, type);
}

/* Returns true if the text of the instruction has a comparison that the C compiler sees. */
static bool compares(const struct printer *p, const struct lane_instruction *i)
{
    switch (i->op) {
    case LANE_EQ:
    case LANE_LT:
    case LANE_LE: return true;
    case LANE_MIN:
    case LANE_MAX: return strpbrk(text_of(p, i), "<>") != NULL;
    default: return false;
    }
}

/* Returns the text of a value that instruction n compares with another. */
static const char *compared_text(struct printer *p, uint32_t n, unsigned k, const char *name)
{
    const struct lane_instruction *i = &p->program->code[n];
    const char *text = p->form.style->compared[p->program->code[i->operand[k]].type];
    if (!compares(p, i) || !text || !is_zero(p, i->operand[1 - k])) return name;
    return source_expanded(p->writer, text, 0, &(struct source_words){.value = name});
}

/* Returns what the placeholders stand for in the texts of instruction n. */
static struct source_words words_of(struct printer *p, uint32_t n, unsigned part)
{
    const lane_program *program = p->program;
    const struct lane_instruction *i = &program->code[n];
    arena *memory = p->writer->memory;
    struct source_words w = {.name = p->names[n]};
    for (unsigned k = 0; k < lane_ops[i->op].arity; k++)
        for (unsigned r = 0; r < 2; r++)
            w.operand[k][r] = compared_text(p, n, k, register_of(p, operand_of(p, n, k), r));
    if (i->op == LANE_CONST) w.constant = source_number(p->writer, i->type, i->bits);
    if (is_shift(i->op)) w.amount = number_text(p, "%llu", program->code[i->operand[1]].bits);
    if (i->op == LANE_LOOKUP) {
        struct text table = text_new(memory);
        text_add(&table, "%s_t%u", p->function->tables, (unsigned)i->index);
        w.table = table.data;
        w.mask = number_text(p, "%lluu", (1ull << program->tables[i->index].log2_size) - 1);
    }
    if (lane_is_choice(i->op)) w.half = w.operand[0][0];
    if (chooses_by_register(p, i))
        w.half = compares_registers(p, i->operand[0])
                     ? source_register(memory, p->names[i->operand[0]], 2, part)
                     : source_expanded(p->writer, p->form.style->half_truth, part, &w);
    return w;
}

static void begin_value(struct printer *p, const char *type, const char *name)
{
    text_add(p->out, "%sconst %s %s = ", p->indent, type, name);
}

/* Prints a comparison of values of two registers: each register's truth values, and if a user takes them,
 * both together. */
static void print_joined(struct printer *p, uint32_t n)
{
    const struct source_style *s = p->form.style;
    const struct lane_instruction *i = &p->program->code[n];
    struct source_words joined = {0};
    for (unsigned part = 0; part < 2; part++) {
        const struct source_words w = words_of(p, n, part);
        joined.operand[0][part] = source_register(p->writer->memory, p->names[n], 2, part);
        begin_value(p, s->wide_truth, joined.operand[0][part]);
        source_add(p->out, p->writer, text_of(p, i), part, &w);
        text_add(p->out, ";\n");
    }
    if (!p->is_joined[n]) return;
    begin_value(p, s->type[LANE_TRUTH], p->names[n]);
    source_add(p->out, p->writer, s->joined_truth, 0, &joined);
    text_add(p->out, ";\n");
}

/* Makes the index of a lookup as wide as the table's entries. The lookup uses only the low bits. */
static void match_index(struct printer *p, uint32_t n, struct source_words *w)
{
    const struct lane_instruction *i = &p->program->code[n];
    const enum lane_type from = p->program->code[i->operand[0]].type;
    const bool to_wide = lane_is_wide(i->type);
    if (i->op != LANE_LOOKUP || !p->form.style->lanes || to_wide == lane_is_wide(from)) return;
    const enum lane_op op = to_wide ? LANE_IWIDEN : LANE_INARROW;
    const enum lane_type to = to_wide ? LANE_I64 : LANE_I32;
    const unsigned registers = source_registers(p->form, to);
    const char *name = number_text(p, "i%llu", n);
    const struct source_words before = *w;
    for (unsigned part = 0; part < registers; part++) {
        const char *own = source_register(p->writer->memory, name, registers, part);
        begin_value(p, source_type(p->form, to), own);
        source_add(p->out, p->writer, source_op_text(p->writer->memory, p->form.style, op, from), part,
                   &before);
        text_add(p->out, ";\n");
        w->operand[0][part] = own;
    }
}

/* Returns the text of a register of value n, by the words for it. */
static const char *register_text(struct printer *p, uint32_t n, unsigned part, const struct source_words *w)
{
    const struct lane_instruction *i = &p->program->code[n];
    const bool of_wide_truth =
        p->form.is_wide && i->type == LANE_TRUTH && lane_type_that_chooses(p->program, i) == LANE_TRUTH;
    /* A helper scales by products, an instruction does not. */
    const bool scales = (i->op == LANE_SCALE2 || i->op == LANE_SCALE2_FLOOR) && *text_of(p, i) == '@';
    const bool is_alone = p->is_summed[n] && (scales || is_signed_product(p->program, n));
    const char *alone = is_alone ? p->form.style->alone[i->type] : NULL;
    const char *text = source_expanded(p->writer, text_of(p, i), of_wide_truth ? 1 : part, w);
    return alone ? source_expanded(p->writer, alone, 0, &(struct source_words){.value = text}) : text;
}

/* Prints the registers of value n. They are variables of their own, unless `is_assigned`. */
static void print_registers(struct printer *p, uint32_t n, bool is_assigned)
{
    const struct lane_instruction *i = &p->program->code[n];
    const unsigned registers = i->op == LANE_CONST ? 1 : source_registers(p->form, i->type);
    struct source_words w = words_of(p, n, 0);
    match_index(p, n, &w);
    const struct source_words matched = w;
    for (unsigned part = 0; part < registers; part++) {
        w = part ? words_of(p, n, part) : w;
        if (i->op == LANE_LOOKUP) w = matched;
        if (is_assigned)
            text_add(p->out, "%s%s = ", p->indent, register_of(p, n, part));
        else
            begin_value(p, source_type(p->form, i->type), register_of(p, n, part));
        text_add(p->out, "%s;\n", register_text(p, n, part, &w));
    }
}

/* Sets the texts of values that stand where they are used. */
static void find_inlined(struct printer *p)
{
    for (uint32_t n = 0; n < p->program->count; n++) {
        if (!stands_in_user(p, n)) continue;
        const unsigned registers = source_registers(p->form, p->program->code[n].type);
        for (unsigned part = 0; part < registers; part++) {
            const struct source_words w = words_of(p, n, part);
            p->inlined[n][part] = source_in_parentheses(p->writer->memory, register_text(p, n, part, &w));
        }
    }
}

static void print_value(struct printer *p, uint32_t n)
{
    if (compares_registers(p, n))
        print_joined(p, n);
    else
        print_registers(p, n, false);
}

/* Returns true if value n is printed with the choice that alone needs it. */
static bool is_behind_branch(const struct printer *p, uint32_t n)
{
    return p->form.style->any_truth && p->rare[n] && !(p->rare[n] & RARE_CONDITION);
}

static bool is_printed(const struct printer *p, uint32_t n)
{
    const bool is_inlined = is_inlined_constant(p, n) || p->inlined[n][0];
    return p->uses[n] && p->program->code[n].op != LANE_LOAD && !is_inlined;
}

/* Prints a rare choice: a branch around all that only its first value needs. */
static void print_rare_choice(struct printer *p, uint32_t n)
{
    const struct lane_instruction *i = &p->program->code[n];
    const unsigned registers = source_registers(p->form, i->type);
    const char *condition = register_of(p, i->operand[0], 0);
    const struct source_words words = {.operand = {{condition, condition}}};
    for (unsigned part = 0; part < registers; part++)
        text_add(p->out, "    %s %s = %s;\n", source_type(p->form, i->type), register_of(p, n, part),
                 register_of(p, i->operand[2], part));
    text_add(p->out, "    if (%s) {\n",
             source_expanded(p->writer, p->form.style->any_truth, p->form.is_wide, &words));
    p->indent = "        ";
    for (uint32_t k = 0; k < n; k++)
        if (p->rare[k] == n + 1 && is_printed(p, k)) print_value(p, k);
    print_registers(p, n, true);
    p->indent = "    ";
    text_add(p->out, "    }\n");
}

static bool has_own_part(const struct printer *p, uint32_t n)
{
    bool found = false;
    for (uint32_t k = 0; k < n && p->form.style->any_truth; k++)
        found = found || (p->rare[k] == n + 1 && is_printed(p, k));
    return found && p->program->code[n].op == LANE_RARELY;
}

/* Returns the only result if it has one register, else NULL. */
static const struct source_parameter *returned(const struct printer *p)
{
    const struct source_parameter *only = NULL;
    for (uint32_t k = 0; k < p->function->count; k++) {
        const struct source_parameter *given = &p->function->parameters[k];
        if (!given->is_result) continue;
        if (only || source_registers(p->form, given->type) > 1) return NULL;
        only = given;
    }
    return only;
}

static void print_signature(struct printer *p)
{
    const struct source_function *f = p->function;
    const struct source_parameter *only = returned(p);
    const struct source_style *s = p->form.style;
    const char *separator = "", *type = only ? source_type(p->form, only->type) : "void";
    text_add(p->out, "%s %s %s(", s->value ? s->value : s->function, type, f->name);
    for (uint32_t k = 0; k < f->count; k++) {
        const struct source_parameter *given = &f->parameters[k];
        const unsigned registers = source_registers(p->form, given->type);
        for (unsigned r = 0; r < registers && given != only; r++) {
            text_add(p->out, "%s%s %s%s", separator, source_type(p->form, given->type),
                     given->is_result ? "*" : "",
                     source_register(p->writer->memory, given->name, registers, r));
            separator = ", ";
        }
    }
    text_add(p->out, ")\n{\n");
}

/* Names parameters that the program does not use, so that no compiler warns. */
static void print_unused(struct printer *p)
{
    for (uint32_t k = 0; k < p->function->count; k++) {
        const struct source_parameter *given = &p->function->parameters[k];
        bool is_loaded = given->is_result;
        for (uint32_t n = 0; n < p->program->count; n++)
            is_loaded = is_loaded ||
                        (p->program->code[n].op == LANE_LOAD && p->program->code[n].index == given->operand);
        const unsigned registers = source_registers(p->form, given->type);
        for (unsigned r = 0; r < registers && !is_loaded; r++)
            text_add(p->out, "    (void)%s;\n",
                     source_register(p->writer->memory, given->name, registers, r));
    }
}

static void print_store(struct printer *p, const struct lane_instruction *i)
{
    const struct source_parameter *to = parameter_of(p, i->index);
    const unsigned registers = source_registers(p->form, to->type);
    if (to == returned(p)) {
        text_add(p->out, "    return %s;\n", register_of(p, i->operand[0], 0));
        return;
    }
    for (unsigned r = 0; r < registers; r++)
        text_add(p->out, "    *%s = %s;\n", source_register(p->writer->memory, to->name, registers, r),
                 register_of(p, i->operand[0], r));
}

void source_function_print(struct text *out, struct source_writer *w, const struct source_function *f)
{
    const lane_program *program = f->program;
    struct printer p = {.out = out,
                        .writer = w,
                        .function = f,
                        .program = program,
                        .form = source_form_of(w->style, program),
                        .names = arena_alloc(w->memory, program->count * sizeof(char *)),
                        .inlined = arena_alloc(w->memory, program->count * sizeof *p.inlined),
                        .is_summed = arena_alloc(w->memory, program->count * sizeof(bool)),
                        .uses = arena_alloc(w->memory, program->count * sizeof(uint32_t)),
                        .user = arena_alloc(w->memory, program->count * sizeof(uint32_t)),
                        .rare = arena_alloc(w->memory, program->count * sizeof(uint32_t)),
                        .is_joined = arena_alloc(w->memory, program->count * sizeof(bool)),
                        .indent = "    "};
    find_uses(&p);
    find_rare(p.rare, NULL, program);
    find_names(&p);
    find_inlined(&p);
    text_add(out, "/* %s */\n", f->comment);
    print_signature(&p);
    print_unused(&p);
    for (uint32_t n = 0; n < program->count; n++) {
        if (!is_printed(&p, n) || is_behind_branch(&p, n)) continue;
        if (has_own_part(&p, n))
            print_rare_choice(&p, n);
        else
            print_value(&p, n);
    }
    for (uint32_t n = 0; n < program->count; n++)
        if (program->code[n].op == LANE_STORE) print_store(&p, &program->code[n]);
    text_add(out, "}\n");
}
