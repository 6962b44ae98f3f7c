/* Reads the comments that `actgen list` shows. The lines directly in front of a declaration are its
 * summary. "## text" begins a family. "# form: text" names the form of the declaration that follows. */
#include "syntax.h"

#include <string.h>

struct line {
    const char *text; /* without "#" and the blanks around it */
    size_t length;
    bool comment, heading;
};

static struct line read_line(const char *text, uint32_t *at, uint32_t end)
{
    struct line line = {0};
    uint32_t i = *at;
    while (i < end && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r')) i++;
    line.comment = i < end && text[i] == '#';
    if (line.comment) {
        i++;
        line.heading = i < end && text[i] == '#';
        i += line.heading;
        while (i < end && (text[i] == ' ' || text[i] == '\t')) i++;
    }
    uint32_t start = i;
    while (i < end && text[i] != '\n') i++;
    *at = i < end ? i + 1 : i;
    while (i > start && (text[i - 1] == ' ' || text[i - 1] == '\t' || text[i - 1] == '\r')) i--;
    line.text = text + start;
    line.length = i - start;
    return line;
}

void parse_comments(struct parser *p, struct declaration *d, uint32_t offset)
{
    static const char form[] = "form:";
    const char *text = p->source->text;
    struct text summary = text_new(p->memory);
    d->form = "";
    uint32_t at = p->documented;
    /* A comment after a declaration, on the same line, is no summary of the next one. */
    if (at) {
        while (at < offset && text[at] != '\n') at++;
        if (at < offset) at++;
    }
    while (at < offset) {
        struct line line = read_line(text, &at, offset);
        bool is_form = line.comment && line.length > strlen(form) && !memcmp(line.text, form, strlen(form));
        if (line.heading) p->family = arena_text(p->memory, line.text, line.length);
        if (is_form) {
            size_t skip = strlen(form);
            while (skip < line.length && line.text[skip] == ' ') skip++;
            d->form = arena_text(p->memory, line.text + skip, line.length - skip);
        } else if (!line.comment || line.heading) {
            /* A blank line or a heading separates earlier comments from this declaration. */
            if (text[at - 1] == '\n') {
                summary = text_new(p->memory);
                d->form = "";
            }
        } else {
            if (summary.length) text_bytes(&summary, " ", 1);
            text_bytes(&summary, line.text, line.length);
        }
    }
    d->summary = summary.data;
    d->family = p->family;
}

const char *declaration_text(arena *memory, const struct declaration *d)
{
    struct diag ignored = {0}; /* the text has been parsed */
    struct lexer lexer = {
        .source = d->source, .error = &ignored, .position = d->extent.offset, .last = TOKEN_END};
    struct text t = text_new(memory);
    uint32_t behind = d->extent.offset;
    bool ends = false;
    for (;;) {
        const struct token token = lexer_next(&lexer);
        if (token.kind == TOKEN_EOF || token.kind == TOKEN_ERROR ||
            token.place.offset >= d->extent.offset + d->extent.length)
            return t.data;
        if (token.kind == TOKEN_END) {
            ends = true;
            continue;
        }
        if (ends && token.kind != TOKEN_CLOSE_BRACE) text_bytes(&t, ";", 1);
        if (token.place.offset > behind) text_bytes(&t, " ", 1);
        text_bytes(&t, d->source->text + token.place.offset, token.place.length);
        behind = token.place.offset + token.place.length;
        ends = false;
    }
}
