/* Splits text into tokens, one at a time. A newline ends a statement, except inside parentheses and
 * brackets and after a token that cannot end a line. */
#include "advice.h"
#include "spellings.h"
#include "tokens.h"

#include <string.h>

/* Returns the length of the UTF-8 sequence at `s`, or 0 if there is none. By RFC 3629 there are no overlong
 * forms, no surrogates, and nothing above U+10FFFF. */
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

/* The texts of tokens. Words and signs stand in backquotes, which `length` does not count. */
static const struct {
    const char *text;
    uint32_t length;
} tokens[TOKEN_KIND_COUNT] = {
#define TOKEN(name, text) {text, sizeof(text) - sizeof "``"},
#include "tokens.def"
#undef TOKEN
};

const char *token_text(enum token_kind kind) { return tokens[kind].text; }

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Returns true if a line that ends in this token goes on. */
static bool goes_on_after(enum token_kind kind)
{
    return (kind >= TOKEN_IF && kind <= TOKEN_COLON) || kind == TOKEN_BAR || kind == TOKEN_ARROW ||
           kind == TOKEN_OPEN_BRACE || kind == TOKEN_END;
}

/* Skips blanks and comments. Returns true if a newline that ends a statement was passed, and its place. */
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

/* Returns true if the text goes on with the sign. The first letters are compared first, because they seldom
 * agree and this test is most of the work. */
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

/* Scans a number and whatever is glued to it. number_parse checks the text. */
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

/* Returns the code point of a character of `length` bytes in UTF-8. */
static unsigned code_point(const char *s, uint32_t length)
{
    unsigned code = length == 1 ? (unsigned char)*s : (unsigned char)*s & (0x7f >> length);
    for (uint32_t i = 1; i < length; i++) code = code << 6 | ((unsigned char)s[i] & 0x3f);
    return code;
}

static struct token refuse_character(struct lexer *l)
{
    const char *text = l->source->text + l->position, *advice = "a spec is ASCII outside of comments";
    const size_t left = l->source->length - l->position;
    const uint32_t length = utf8_length((const unsigned char *)text, left);
    const bool is_known = spelling_prefix(SPELLING_CHARACTER, text, left, &advice) > 0;
    const struct span place = {l->position, length};
    diag_at(l->error, DIAG_SYNTAX, l->source->text, place, "unexpected character `%.*s` (U+%04X)%s%s",
            (int)length, text, code_point(text, length), is_known ? ", " : "; ", advice);
    return (struct token){TOKEN_ERROR, place};
}

/* Reports that `length` bytes at the position mean nothing in the language, and what to write instead. */
static struct token refuse_token(struct lexer *l, uint32_t length, const char *advice)
{
    const struct span place = {l->position, length};
    const char *text = l->source->text + l->position, *between = *advice ? "; " : "";
    const char *quote = *text == '`' ? "" : "`";
    diag_at(l->error, DIAG_SYNTAX, l->source->text, place, "%s%.*s%s means nothing here%s%s", quote,
            *quote ? (int)(length > 60 ? 60 : length) : 11, *quote ? text : "a backquote", quote, between,
            advice);
    return (struct token){TOKEN_ERROR, place};
}

/* Reports a backslash and the LaTeX command after it. */
static struct token refuse_latex(struct lexer *l)
{
    const char *text = l->source->text, *command = text + l->position + 1;
    const uint32_t left = l->source->length - l->position - 1;
    uint32_t length = 0;
    while (length < left && is_letter(command[length])) length++;
    if (!length && left) length = utf8_length((const unsigned char *)command, left);
    const char *advice = spelling_advice(SPELLING_LATEX, command, length);
    char found[ADVICE_SIZE] = "";
    if (!advice) advice_on_name(found, command, length, true, "x", 1);
    if (!advice && !*found) advice = spelling_advice(SPELLING_SIGN, "\\", 1);
    return refuse_token(l, length + 1, advice ? advice : found);
}

/* Skips names that `.` or `::` joins. Returns the last name's offset, or 0 if there is only one. */
static uint32_t skip_qualified(struct lexer *l)
{
    const char *text = l->source->text;
    uint32_t last = 0;
    for (;;) {
        const uint32_t left = l->source->length - l->position;
        const char *at = text + l->position;
        const uint32_t joint = left > 1 && at[0] == '.'                   ? 1
                               : left > 2 && at[0] == ':' && at[1] == ':' ? 2
                                                                          : 0;
        if (!joint || !is_letter(at[joint])) return last;
        last = l->position += joint;
        while (l->position < l->source->length &&
               (is_letter(text[l->position]) || is_digit(text[l->position])))
            l->position++;
    }
}

/* Returns true for a type, and for a part of a name that says how a function is computed. */
static bool is_modifier(const char *text, struct span part)
{
    char ignored[ADVICE_SIZE];
    const char *name = text + part.offset;
    return spelling_advice(SPELLING_MODIFIER, name, part.length) ||
           advice_on_type(ignored, name, part.length);
}

/* Returns the part of a qualified name in front of its modifiers, such as tanh of tanh.approx.f32. Parts are
 * separated by "." or "::". `part` is the last one. */
static struct span before_modifiers(const char *text, uint32_t first, struct span part)
{
    while (part.offset > first && is_modifier(text, part)) {
        uint32_t end = part.offset;
        while (end > first && !is_letter(text[end - 1]) && !is_digit(text[end - 1])) end--;
        uint32_t start = end;
        while (start > first && (is_letter(text[start - 1]) || is_digit(text[start - 1]))) start--;
        part = (struct span){start, end - start};
    }
    return part;
}

/* Reports a qualified name such as np.exp, std::max or x.sigmoid. The language has the last name alone, or
 * the table has advice on it. */
static struct token refuse_qualified(struct lexer *l, struct span first, uint32_t last)
{
    const char *text = l->source->text;
    const uint32_t length = l->position - last, end = l->position;
    const bool is_called = end < l->source->length && text[end] == '(';
    const bool is_empty = is_called && end + 1 < l->source->length && text[end + 1] == ')';
    /* x.sigmoid() means sigmoid(x) */
    const bool is_method =
        is_empty && is_known_function(text + last, length) && last == first.offset + first.length + 1;
    const char *argument = is_method ? text + first.offset : "x";
    const size_t argument_length = is_method ? first.length : 1;
    char advice[ADVICE_SIZE] = "";
    const struct span function = before_modifiers(text, first.offset, (struct span){last, length});
    if (function.offset != last)
        advice_on_name(advice, text + function.offset, function.length, true, "x", 1);
    if (!*advice) advice_on_name(advice, text + last, length, is_called, argument, argument_length);
    if (!*advice) advice_on_name(advice, text + last, length, true, argument, argument_length);
    l->position = first.offset;
    return refuse_token(l, end - first.offset, *advice ? advice : spelling_advice(SPELLING_SIGN, ".", 1));
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
    const uint32_t last = skip_qualified(l);
    if (last) return refuse_qualified(l, place, last);
    return (struct token){TOKEN_NAME, place};
}

/* Scans a sign. The table of foreign signs is asked only where a sign may go on, because most of them do not.
 */
static struct token scan_sign(struct lexer *l)
{
    const char *text = l->source->text + l->position, *advice = NULL;
    if ((unsigned char)*text >= 0x80) return refuse_character(l);
    if (*text == '\\') return refuse_latex(l);
    struct token token = {TOKEN_ERROR, {l->position, 0}};
    for (enum token_kind kind = TOKEN_PLUS; kind <= TOKEN_CLOSE_BRACE; kind++) /* the longest */
        if (tokens[kind].length > token.place.length &&
            starts_with(l, tokens[kind].text + 1, tokens[kind].length))
            token = (struct token){kind, {l->position, tokens[kind].length}};
    const uint32_t left = l->source->length - l->position, length = token.place.length;
    const bool may_be_longer = token.kind < TOKEN_OPEN && length < left && strchr("*^|><=+/", text[length]);
    if (!length || may_be_longer) {
        const size_t foreign = spelling_prefix(SPELLING_SIGN, text, left, &advice);
        if (foreign > length) return refuse_token(l, (uint32_t)foreign, advice);
    }
    if (!length) return refuse_token(l, 1, "");
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
