/* Prints failures: the message, the place, the source line with carets below, and objects for --json. */
#include "diagnostics.h"
#include "nearest.h"
#include "spellings.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONGEST_MESSAGE = 1200 };
static const char red[] = "\033[1;31m";

bool wants_colour(int descriptor)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (no_colour && *no_colour) return false;
    return terminal && strcmp(terminal, "dumb") && isatty(descriptor);
}

/* Returns the length of the UTF-8 sequence at `s` if it may be shown, else 0. C1 controls and characters that
 * turn the direction of writing are not shown: a stranger's text must not move the cursor or look like other
 * text. */
static size_t shown_sequence(const unsigned char *s, size_t left)
{
    uint32_t code;
    if (s[0] >= 0x20 && s[0] < 0x7f) return 1;
    const size_t length = utf8_sequence(s, left, &code);
    if (!length) return 0;
    if (code < 0xa0 || code == 0x61c || (code >= 0x200b && code <= 0x200f) ||
        (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0xfeff)
        return 0;
    return length;
}

/* Writes the character at `s` as it is shown to `out` (at least 5 bytes), and its width to *columns. Returns
 * the number of bytes read. */
static size_t show_character(const char *s, size_t left, char *out, size_t *columns)
{
    size_t length = shown_sequence((const unsigned char *)s, left);
    if (length) {
        memcpy(out, s, length);
        out[length] = 0;
        *columns = 1;
        return length;
    }
    if (*s == '\t') {
        memcpy(out, " ", 2);
        *columns = 1;
    } else {
        snprintf(out, 5, "\\x%02x", (unsigned char)*s);
        *columns = 4;
    }
    return 1;
}

static void print_escaped(const char *text)
{
    char shown[8];
    size_t columns, length = strlen(text);
    for (size_t i = 0; i < length;) {
        if (text[i] == '\n') {
            fputc('\n', stderr);
            i++;
        } else {
            i += show_character(text + i, length - i, shown, &columns);
            fputs(shown, stderr);
        }
    }
}

static void print_kind(const char *kind, const char *colour)
{
    bool colours = wants_colour(STDERR_FILENO);
    fprintf(stderr, "%s%s:%s ", colours ? colour : "", kind, colours ? "\033[0m" : "");
}

static void print_message(const char *kind, const char *colour, const char *message)
{
    fflush(stdout);
    fputs("actgen: ", stderr);
    print_kind(kind, colour);
    print_escaped(message);
    fputc('\n', stderr);
}

void print_note(const char *format, ...)
{
    char message[LONGEST_MESSAGE];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    print_message("note", "\033[1;36m", message);
}

/* Prints the source line with carets below the range. If the line is long, prints only the part around the
 * range. */
static void print_excerpt(const char *line, size_t length, size_t from, size_t to, uint32_t number)
{
    enum { BEFORE = 60, WIDEST = 100 };
    char shown[8];
    size_t columns, start = from > BEFORE ? from - BEFORE : 0, carets = 0;
    while (start && start < from && ((unsigned char)line[start] & 0xc0) == 0x80)
        start++; /* not inside a character */
    size_t i = start, used = start ? 3 : 0, caret = used;
    fprintf(stderr, "%5u | %s", number, start ? "..." : "");
    while (i < length && used < WIDEST) {
        size_t at = i;
        i += show_character(line + i, length - i, shown, &columns);
        fputs(shown, stderr);
        used += columns;
        if (at < from)
            caret += columns;
        else if (at < to)
            carets += columns;
    }
    fprintf(stderr, "%s\n      | %*s", i < length ? "..." : "", (int)caret, "");
    bool colours = wants_colour(STDERR_FILENO);
    fputs(colours ? "\033[1;32m^" : "^", stderr);
    for (size_t k = 1; k < carets; k++) fputc('~', stderr);
    fputs(colours ? "\033[0m\n" : "\n", stderr);
}

static void print_place(const struct problem *p)
{
    const actgen_error *error = p->error;
    fflush(stdout);
    print_escaped(p->file);
    if (error->line) fprintf(stderr, ":%u:%u", error->line, error->column);
    fputs(": ", stderr);
    print_kind("error", red);
    print_escaped(p->message);
    fputc('\n', stderr);
    if (error->line && error->offset <= p->text_length) {
        size_t from = error->offset, to = from + error->length, start = from, end = from;
        while (start && p->text[start - 1] != '\n') start--;
        while (end < p->text_length && p->text[end] != '\n') end++;
        print_excerpt(p->text + start, end - start, from - start, (to < end ? to : end) - start, error->line);
    }
}

/* ---- the same as objects ---- */

static const char *word_of(int code)
{
    switch (code) {
    case EXIT_INPUT: return "input";
    case EXIT_USAGE: return "usage";
    case EXIT_IO: return "file";
    case EXIT_TARGET: return "target";
    case EXIT_INTERRUPTED: return "interrupted";
    case EXIT_LIMIT: return "limit";
    case EXIT_MEMORY: return "memory";
    default: return "internal";
    }
}

void json_problem(struct json *j, const struct problem *p)
{
    const actgen_error *place = p->error && p->error->line ? p->error : NULL;
    const char *begin = p->hint ? NULL : strstr(p->message, "did you mean");
    const char *advice = p->hint || begin ? NULL : strstr(p->message, "; write ");
    if (!p->hint && !begin && !advice) advice = strstr(p->message, "; as a formula, ");
    char *meant = begin    ? must_format("%.*s?", (int)strcspn(begin, "?"), begin)
                  : advice ? must_format("%s", advice + strlen("; "))
                           : NULL;
    json_text(j, "error", word_of(p->code));
    json_text(j, "file", p->file);
    if (place) {
        json_count(j, "line", place->line);
        json_count(j, "column", place->column);
    } else {
        json_null(j, "line");
        json_null(j, "column");
    }
    json_text(j, "message", p->message);
    json_text(j, "hint", meant ? meant : p->hint);
    free(meant);
}

static bool are_objects = true;

bool problems_are_objects(bool wanted)
{
    const bool before = are_objects;
    are_objects = wanted;
    return before;
}

int print_problem(const struct problem *p)
{
    struct json *j = are_objects ? json_standard() : NULL;
    char *about = p->name && !p->text ? must_format("%s (%s): %s", p->name, p->isa, p->message) : NULL;
    if (p->text)
        print_place(p);
    else
        print_message("error", red, about ? about : p->message);
    free(about);
    if (j) {
        json_object(j);
        json_text(j, "name", p->name);
        json_text(j, "isa", p->isa);
        json_problem(j, p);
        json_close(j);
    }
    return p->code;
}

/* ---- short forms ---- */

int print_error(int code, const char *format, ...)
{
    char message[LONGEST_MESSAGE];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return print_problem(&(struct problem){.code = code, .message = message});
}

int print_file_error(int code, const char *file, const char *format, ...)
{
    char message[LONGEST_MESSAGE];
    va_list list;
    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    return print_problem(&(struct problem){.code = code, .file = file, .message = message});
}

int print_unknown(int code, const char *kind, const char *name, const char *const *names)
{
    size_t count = 0;
    while (names[count]) count++;
    const bool is_type = !strcmp(kind, "type"); /* only types have spellings of other languages */
    struct spelling_meaning meaning = spelling_find(SPELLING_TYPE, name, strlen(name), names, count);
    if (!is_type) meaning.advice = NULL;
    const char *nearest = meaning.known ? meaning.known : nearest_name(name, names, count);
    char *known = must_join(names);
    char *hint = meaning.advice ? must_format("%s", meaning.advice)
                 : nearest      ? must_format("did you mean '%s'?", nearest)
                                : must_format("known are %s", known);
    char *message = must_format("there is no %s '%s'; %s", kind, name, hint);
    print_problem(&(struct problem){.code = code, .message = message, .hint = hint});
    free(message);
    free(hint);
    free(known);
    return code;
}

int print_diagnostic(const char *file, const char *text, size_t length, const actgen_error *error)
{
    return print_problem(&(struct problem){.code = exit_of_status(error->status),
                                           .file = file,
                                           .text = text,
                                           .text_length = length,
                                           .error = error,
                                           .message = error->message});
}
