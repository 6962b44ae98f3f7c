/* Text to tokens, one at a time. Newlines count as ends of statements except inside parentheses and brackets
 * and where a line cannot be over. */
#include "syntax.h"

#include <string.h>

/* Length of the UTF-8 sequence at `s`, 0 if it is none (RFC 3629: no overlong forms, no surrogates, up to
 * U+10FFFF). */
static uint32_t utf8_length(const unsigned char *s, size_t left)
{
    uint32_t length = s[0] < 0x80   ? 1
                      : s[0] < 0xc2 ? 0
                      : s[0] < 0xe0 ? 2
                      : s[0] < 0xf0 ? 3
                      : s[0] < 0xf5 ? 4
                                    : 0;
    if (!length || length > left) return 0;
    for (uint32_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    if (s[0] == 0xe0 && s[1] < 0xa0) return 0;
    if (s[0] == 0xed && s[1] > 0x9f) return 0;
    if (s[0] == 0xf0 && s[1] < 0x90) return 0;
    if (s[0] == 0xf4 && s[1] > 0x8f) return 0;
    return length;
}

int spec_check_length(size_t length, struct diag *error)
{
    if (length <= SPEC_MAX_BYTES) return DIAG_OK;
    return diag_set(error, DIAG_SYNTAX, "the text has %zu bytes; a spec has at most %d", length,
                    SPEC_MAX_BYTES);
}

int source_check(const struct source *source, size_t length, struct diag *error)
{
    if (spec_check_length(length, error)) return DIAG_SYNTAX;
    const unsigned char *text = (const unsigned char *)source->text;
    for (uint32_t i = 0; i < length;) {
        struct span here = {i, 1};
        uint32_t sequence = utf8_length(text + i, length - i);
        if (!sequence)
            return diag_at(error, DIAG_SYNTAX, source->text, here, "byte 0x%02x is not valid UTF-8", text[i]);
        bool blank = text[i] == '\t' || text[i] == '\n' || text[i] == '\r';
        if ((text[i] < 0x20 && !blank) || text[i] == 0x7f)
            return diag_at(error, DIAG_SYNTAX, source->text, here,
                           "control character 0x%02x; a spec is plain text", text[i]);
        i += sequence;
    }
    return DIAG_OK;
}

/* Words and signs stand in backquotes; `length` is theirs, without those. */
static const struct {
    const char *text;
    uint32_t length;
} tokens[TOKEN_KIND_COUNT] = {
#define TOKEN(name, text) {text, sizeof(text) - sizeof "``"},
#include "tokens.def"
#undef TOKEN
};

const char *token_text(enum token_kind kind) { return tokens[kind].text; }

/* What people write from habit, and what they mean. */
static const struct {
    const char *text;
    enum token_kind kind;
} foreign[] = {
    {"&&", TOKEN_AND},
    {"||", TOKEN_OR},
    {"**", TOKEN_CARET},
    {"!", TOKEN_NOT},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A line that ends in one of these goes on. */
static bool goes_on_after(enum token_kind kind)
{
    return (kind >= TOKEN_IF && kind <= TOKEN_COLON) || kind == TOKEN_BAR || kind == TOKEN_ARROW ||
           kind == TOKEN_OPEN_BRACE || kind == TOKEN_END;
}

/* Skips blanks and comments; true if a newline that counts was passed, with its place. */
static bool skip_blanks(struct lexer *l, struct span *newline)
{
    const char *text = l->source->text;
    bool found = false;
    if (!l->position && l->source->length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        l->position = 3; /* a byte order mark */
    for (; l->position < l->source->length; l->position++) {
        char c = text[l->position];
        if (c == '#') {
            while (l->position + 1 < l->source->length && text[l->position + 1] != '\n') l->position++;
        } else if (c == '\n') {
            if (!found && !l->brackets && !goes_on_after(l->last)) {
                *newline = (struct span){l->position, 1};
                found = true;
            }
        } else if (c != ' ' && c != '\t' && c != '\r') {
            break;
        }
    }
    return found;
}

/* The first letters seldom agree, and most of reading a text is to ask this. */
static bool starts_with(const struct lexer *l, const char *sign, size_t length)
{
    const char *text = l->source->text + l->position;
    return l->source->length - l->position >= length && *text == *sign && !memcmp(text, sign, length);
}

static bool is_word(enum token_kind kind, const char *word, uint32_t length)
{
    const char *text = tokens[kind].text + 1;
    return tokens[kind].length == length && *text == *word && !memcmp(text, word, length);
}

static struct token scan_word(struct lexer *l)
{
    const char *text = l->source->text;
    uint32_t start = l->position;
    while (l->position < l->source->length && (is_letter(text[l->position]) || is_digit(text[l->position])))
        l->position++;
    struct span place = {start, l->position - start};
    for (enum token_kind kind = TOKEN_FUNCTION; kind <= TOKEN_NOT; kind++)
        if (is_word(kind, text + start, place.length)) return (struct token){kind, place};
    return (struct token){TOKEN_NAME, place};
}

/* A number and whatever is glued to it; number_parse judges it. */
static struct token scan_number(struct lexer *l)
{
    const char *text = l->source->text;
    uint32_t start = l->position;
    bool hex = text[start] == '0' && start + 1 < l->source->length && (text[start + 1] | 32) == 'x';
    for (; l->position < l->source->length; l->position++) {
        char c = text[l->position];
        char before = l->position > start ? (char)(text[l->position - 1] | 32) : 0;
        bool exponent_sign = (c == '+' || c == '-') && before == (hex ? 'p' : 'e');
        if (!is_letter(c) && !is_digit(c) && c != '.' && !exponent_sign) break;
    }
    if (l->position - start > 3 && !memcmp(text + l->position - 3, "ulp", 3)) l->position -= 3; /* "3ulp" */
    return (struct token){TOKEN_NUMBER, {start, l->position - start}};
}

static struct token refuse(struct lexer *l)
{
    const char *text = l->source->text + l->position;
    struct span place = {l->position,
                         utf8_length((const unsigned char *)text, l->source->length - l->position)};
    for (size_t i = 0; i < COUNT(foreign); i++)
        if (starts_with(l, foreign[i].text, strlen(foreign[i].text))) {
            place.length = (uint32_t)strlen(foreign[i].text);
            diag_at(l->error, DIAG_SYNTAX, l->source->text, place, "`%s` is no operator here; write %s",
                    foreign[i].text, token_text(foreign[i].kind));
        }
    const char *hint = *text == '?'   ? "; a choice is written `if c then a else b`"
                       : *text == '%' ? "; there is no remainder"
                       : *text == '.' ? "; functions are named alone, as `exp(x)`"
                                      : "";
    diag_at(l->error, DIAG_SYNTAX, l->source->text, place, "unexpected character `%.*s`%s", (int)place.length,
            text, hint);
    return (struct token){TOKEN_ERROR, place};
}

static struct token scan_sign(struct lexer *l)
{
    for (size_t i = 0; i < COUNT(foreign); i++)
        if (starts_with(l, foreign[i].text, strlen(foreign[i].text)) && !starts_with(l, "!=", 2))
            return refuse(l);
    struct token token = {TOKEN_ERROR, {l->position, 0}};
    for (enum token_kind kind = TOKEN_PLUS; kind <= TOKEN_CLOSE_BRACE; kind++) /* the longest */
        if (tokens[kind].length > token.place.length &&
            starts_with(l, tokens[kind].text + 1, tokens[kind].length))
            token = (struct token){kind, {l->position, tokens[kind].length}};
    if (token.kind == TOKEN_ERROR) return refuse(l);
    l->position += token.place.length;
    if (token.kind == TOKEN_OPEN || token.kind == TOKEN_OPEN_BRACKET) l->brackets++;
    const bool closes = token.kind == TOKEN_CLOSE || token.kind == TOKEN_CLOSE_BRACKET;
    if (closes && l->brackets) l->brackets--;
    if (token.kind == TOKEN_SEMICOLON && !l->brackets) token.kind = TOKEN_END;
    return token;
}

static struct token scan(struct lexer *l)
{
    struct span newline;
    if (skip_blanks(l, &newline)) return (struct token){TOKEN_END, newline};
    if (l->position >= l->source->length) return (struct token){TOKEN_EOF, {l->source->length, 0}};
    const char *text = l->source->text + l->position;
    bool fraction = *text == '.' && l->position + 1 < l->source->length && is_digit(text[1]);
    if (is_letter(*text)) return scan_word(l);
    if (is_digit(*text) || fraction) return scan_number(l);
    return scan_sign(l);
}

struct token lexer_next(struct lexer *l)
{
    struct token token = scan(l);
    l->last = token.kind;
    return token;
}
