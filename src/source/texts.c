/* Fills in the texts of a style, and collects the helpers that they use. */
#include "style.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t name_length(const char *text)
{
    size_t length = 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_') length++;
    return length;
}

static const struct source_helper *find_helper(const struct source_style *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->helper_count; i++)
        if (strlen(s->helpers[i].name) == length && !memcmp(s->helpers[i].name, name, length))
            return &s->helpers[i];
    return NULL;
}

const char *source_op_text(arena *memory, const struct source_style *s, enum lane_op op, enum lane_type type)
{
    static const char *const operands[] = {"", "$1", "$1, $2", "$1, $2, $3"};
    const char *own = s->ops[op == LANE_RARELY ? LANE_SELECT : op].text[type];
    if (own) return own;
    struct text name = text_new(memory), call = text_new(memory);
    text_add(&name, "%s_%s", lane_ops[op].name, lane_types[type].name);
    if (!find_helper(s, name.data, name.length) && !source_expansion_find(name.data, name.length))
        return NULL;
    text_add(&call, "@%s(%s)", name.data, operands[lane_ops[op].arity]);
    return call.data;
}

const char *source_to_bf16_text(const struct source_style *s, enum lane_op op, enum low_bits low)
{
    if (low == LOW_ZERO) return "$1";
    if (op == LANE_TO_BF16_AWAY)
        return s->nan_of_ones ? "@to_bf16_away_if_number_f32($1)" : "@to_bf16_away_f32($1)";
    return low == LOW_ZERO_IN_NAN ? "@to_bf16_by_sum_f32($1)" : "@to_bf16_f32($1)";
}

const char *source_to_high_half_text(enum low_bits low)
{
    if (low == LOW_ZERO) return "$1";
    return low == LOW_ZERO_IN_NAN ? "@to_high_half_by_sum_f32($1)" : "@to_high_half_f32($1)";
}

static const char *word_of(const struct source_words *words, const char *key)
{
    switch (*key) {
    case '0': return words->name;
    case 'c': return words->constant;
    case 'n': return words->amount;
    case 't': return words->table;
    case 'k': return words->mask;
    case 'e': return words->element;
    case 'v': return words->value;
    case 'A': return words->operand[0][0];
    case 'B': return words->operand[0][1];
    default: return NULL;
    }
}

static void include_helper(struct source_writer *w, const char *name, size_t length);

static void fill_in(struct text *out, struct source_writer *w, const char *text, size_t length, unsigned part,
                    const struct source_words *words)
{
    for (size_t i = 0; i < length; i++) {
        const char *word = NULL;
        if (text[i] == '@') {
            const size_t name = name_length(text + i + 1);
            include_helper(w, text + i + 1, name);
            text_add(out, "actgen_%.*s%s", (int)name, text + i + 1, w->style->suffix);
            i += name;
            continue;
        }
        if (text[i] == '%' && text[i + 1] == '1') word = words->half;
        if (text[i] == '$' && text[i + 1] >= '1' && text[i + 1] <= '3')
            word = words->operand[text[i + 1] - '1'][part];
        else if (text[i] == '$')
            word = word_of(words, text + i + 1);
        if (word)
            text_add(out, "%s", word), i++;
        else
            text_bytes(out, text + i, 1);
    }
}

void source_add(struct text *out, struct source_writer *w, const char *text, unsigned part,
                const struct source_words *words)
{
    const char *end = strchr(text, '\n');
    if (part && end)
        fill_in(out, w, end + 1, strlen(end + 1), part, words);
    else
        fill_in(out, w, text, end ? (size_t)(end - text) : strlen(text), part, words);
}

const char *source_expanded(struct source_writer *w, const char *text, unsigned part,
                            const struct source_words *words)
{
    struct text out = text_new(w->memory);
    source_add(&out, w, text, part, words);
    return out.data;
}

/* Returns the end of the parentheses that begin the text. */
static const char *after_parentheses(const char *text)
{
    unsigned depth = 0;
    do {
        if (*text == '(') depth++;
        if (*text == ')') depth--;
        text++;
    } while (depth);
    return text;
}

const char *source_in_parentheses(arena *memory, const char *text)
{
    const char *end = *text == '(' ? after_parentheses(text) : text;
    end += strcspn(end, "( ");
    if (*end == '(') end = after_parentheses(end);
    if (!*end) return text;
    struct text t = text_new(memory);
    text_add(&t, "(%s)", text);
    return t.data;
}

static void print_expansion(struct text *out, struct source_writer *w, const struct source_expansion *e,
                            const char *name)
{
    static const char *const names[] = {"a", "b"};
    static const struct target_profile plain = {.name = "portable-nofma"};
    struct source_parameter parameters[3];
    lane_value x[2];
    lane_program *p = lane_create(w->memory, &plain);
    for (unsigned k = 0; k < e->arity; k++) {
        x[k] = lane_load(p, e->type[k], k);
        parameters[k] = (struct source_parameter){names[k], k, e->type[k], false};
    }
    const lane_value result = e->build(p, x);
    parameters[e->arity] = (struct source_parameter){"y", e->arity, p->code[result].type, true};
    lane_store(p, result, e->arity);
    source_function_print(out, w,
                          &(struct source_function){.name = name,
                                                    .comment = e->comment,
                                                    .program = lane_canonical(p),
                                                    .parameters = parameters,
                                                    .count = e->arity + 1});
}

static const char *full_name(const struct source_writer *w, const char *name, size_t length)
{
    struct text full = text_new(w->memory);
    text_add(&full, "actgen_%.*s%s", (int)length, name, w->style->suffix);
    return full.data;
}

/* Returns true if the file has the helper. If not, notes that it does. */
static bool is_included(struct source_writer *w, const char *name, size_t length)
{
    for (uint32_t i = 0; i < w->known_count; i++)
        if (strlen(w->known[i]) == length && !memcmp(w->known[i], name, length)) return true;
    struct text own = text_new(w->memory);
    text_bytes(&own, name, length);
    w->known = arena_with_room(w->memory, w->known, w->known_count, sizeof *w->known);
    w->known[w->known_count++] = own.data;
    return false;
}

/* Adds the text of a helper after those that it uses. Files may share it. */
static void add_helper(struct source_writer *w, const char *full, const char *text)
{
    struct text guard = text_new(w->memory);
    text_add(&guard, "%s", full);
    for (char *c = guard.data; *c; c++) *c = (char)toupper((unsigned char)*c);
    text_add(&w->helpers, "\n#ifndef %s\n#define %s\n%s#endif\n", guard.data, guard.data, text);
}

static void include_helper(struct source_writer *w, const char *name, size_t length)
{
    if (is_included(w, name, length)) return;
    const char *full = full_name(w, name, length);
    struct text text = text_new(w->memory);
    const struct source_helper *h = find_helper(w->style, name, length);
    if (h)
        fill_in(&text, w, h->text, strlen(h->text), 0, &(struct source_words){.name = full});
    else
        print_expansion(&text, w, source_expansion_find(name, length), full);
    add_helper(w, full, text.data);
}

const char *source_include(struct source_writer *w, const char *name, const char *text,
                           struct source_words words)
{
    struct text filled = text_new(w->memory);
    words.name = full_name(w, name, strlen(name));
    if (is_included(w, name, strlen(name))) return words.name;
    fill_in(&filled, w, text, strlen(text), 0, &words);
    add_helper(w, words.name, filled.data);
    return words.name;
}

/* -- numbers -- */

/* Prints a float as the shortest decimal that gives its bits. */
static void print_float(struct text *out, double x, bool is_f32)
{
    char digits[40];
    if (isnan(x) || isinf(x)) {
        text_add(out, "%s%s%s", x < 0 ? "-" : "", is_f32 ? "" : "(double)", isnan(x) ? "NAN" : "INFINITY");
        return;
    }
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, x);
        if (is_f32 ? strtof(digits, NULL) == (float)x : strtod(digits, NULL) == x) break;
    }
    text_add(out, "%s%s%s", digits, strpbrk(digits, ".e") ? "" : ".0", is_f32 ? "f" : "");
}

const char *source_number(struct source_writer *w, enum lane_type type, uint64_t bits)
{
    enum { MOST_DECIMAL = 255 };
    struct text out = text_new(w->memory);
    float f;
    double d;
    const uint32_t low = (uint32_t)bits;
    memcpy(&f, &low, sizeof f);
    memcpy(&d, &bits, sizeof d);
    if (type == LANE_F64) w->has_doubles = true;
    if (type == LANE_F32)
        print_float(&out, (double)f, true);
    else if (type == LANE_F64)
        print_float(&out, d, false);
    else if (type == LANE_I64)
        text_add(&out, bits <= MOST_DECIMAL ? "%llu" : "UINT64_C(0x%llx)", (unsigned long long)bits);
    else
        text_add(&out, bits <= MOST_DECIMAL ? "%uu" : "0x%xu", (unsigned)bits);
    return out.data;
}
