/* Writes JSON. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static FILE *out(const struct json *j) { return j->out ? j->out : stdout; }

/* FNV-1a. */
uint64_t json_hash(uint64_t hash, const char *text)
{
    do hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    while (*text++);
    return hash;
}

size_t utf8_sequence(const unsigned char *s, size_t left, uint32_t *code)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t length = s[0] >= 0xf0 && s[0] < 0xf5   ? 4
                          : s[0] >= 0xe0 && s[0] < 0xf0 ? 3
                          : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                                                        : 0;
    if (!length || length > left) return 0;
    *code = s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) return 0;
        *code = *code << 6 | (s[i] & 0x3fu);
    }
    return *code < smallest[length] || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff ? 0 : length;
}

/* Writes a string. UTF-8 stays as it is. Any other byte becomes U+FFFD, because JSON is UTF-8 and words of
 * the command line may be anything. */
static void put_string(const struct json *j, const char *text)
{
    fputc('"', out(j));
    for (size_t length = 1; *text; text += length) {
        const unsigned char c = (unsigned char)*text;
        uint32_t code;
        length = c < 0x80 ? 1 : utf8_sequence((const unsigned char *)text, strlen(text), &code);
        if (c == '"' || c == '\\')
            fprintf(out(j), "\\%c", c);
        else if (c == '\n')
            fputs("\\n", out(j));
        else if (c < 0x20 || c == 0x7f)
            fprintf(out(j), "\\u%04x", c);
        else if (length)
            fwrite(text, 1, length, out(j));
        else
            length = 1, fputs("\\ufffd", out(j));
    }
    fputc('"', out(j));
}

static void put_name(struct json *j, const char *name)
{
    fputs(j->members++ ? ", " : "", out(j));
    put_string(j, name);
    fputs(": ", out(j));
    j->hash = json_hash(j->hash, name);
}

static void put_word(struct json *j, const char *name, const char *format, ...)
{
    char word[64];
    va_list list;
    va_start(list, format);
    vsnprintf(word, sizeof word, format, list);
    va_end(list);
    put_name(j, name);
    fputs(word, out(j));
    j->hash = json_hash(j->hash, word);
}

void json_object(struct json *j)
{
    fputs(j->objects++ ? ",\n {" : "[\n {", out(j));
    j->members = 0;
    j->hash = JSON_HASH_START;
}

void json_text(struct json *j, const char *name, const char *text)
{
    if (!text) {
        put_word(j, name, "null");
        return;
    }
    put_name(j, name);
    put_string(j, text);
    j->hash = json_hash(j->hash, text);
}

void json_texts(struct json *j, const char *name, const char *const *texts)
{
    put_name(j, name);
    fputc('[', out(j));
    for (const char *const *t = texts; *t; t++) {
        if (t != texts) fputs(", ", out(j));
        put_string(j, *t);
        j->hash = json_hash(j->hash, *t);
    }
    fputc(']', out(j));
}

void json_number(struct json *j, const char *name, double value)
{
    put_word(j, name, isfinite(value) ? "%.9g" : "null", value);
}

enum { EXACT_SIZE = 40 };

static const char *exact_text(char text[EXACT_SIZE], double value)
{
    if (isnan(value)) return "null";
    if (isinf(value)) return value < 0 ? "-1e999" : "1e999";
    for (int digits = 9; digits <= 17; digits++) {
        snprintf(text, EXACT_SIZE, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return text;
}

void json_exact(struct json *j, const char *name, double value)
{
    char text[EXACT_SIZE];
    put_word(j, name, "%s", exact_text(text, value));
}

void json_numbers(struct json *j, const char *name, const double *values, size_t count)
{
    char text[EXACT_SIZE];
    put_name(j, name);
    fputc('[', out(j));
    for (size_t i = 0; i < count; i++) {
        const char *word = exact_text(text, values[i]);
        fprintf(out(j), "%s%s", i ? ", " : "", word);
        j->hash = json_hash(j->hash, word);
    }
    fputc(']', out(j));
}

void json_count(struct json *j, const char *name, uint64_t value) { put_word(j, name, "%" PRIu64, value); }

void json_truth(struct json *j, const char *name, bool value) { put_word(j, name, value ? "true" : "false"); }

void json_null(struct json *j, const char *name) { json_text(j, name, NULL); }

void json_checksum(struct json *j)
{
    fprintf(out(j), ", \"" JSON_CHECKSUM "\": \"%016" PRIx64 "\"", j->hash);
}

void json_close(struct json *j)
{
    fputc('}', out(j));
    fflush(out(j));
}

void json_end(struct json *j) { fputs(j->objects ? "\n]\n" : "[]\n", out(j)); }

static struct json standard;
static bool has_standard;

struct json *json_standard(void) { return has_standard ? &standard : NULL; }
void json_standard_begin(void) { has_standard = true; }
