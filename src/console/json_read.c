/* Reads JSON, by cutting the text into names and values in place. */
#include "json_read.h"
#include "json.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static char *skip_space(char *c)
{
    while (isspace((unsigned char)*c)) c++;
    return c;
}

/* Reads a string from after its opening quote, and ends it with 0. Returns NULL if it has no end. */
static char *read_text(char *from, const char **value)
{
    char *to = from;
    *value = from;
    for (; *from != '"'; from++) {
        if (!*from) return NULL;
        if (*from != '\\') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from == 'u') {
            char digits[5] = {0};
            for (int i = 0; i < 4; i++) {
                if (!isxdigit((unsigned char)from[1])) return NULL;
                digits[i] = *++from;
            }
            *to++ = (char)strtoul(digits, NULL, 16); /* only control characters are written so */
        } else if (*from) {
            *to++ = *from == 'n' ? '\n' : *from;
        } else {
            return NULL;
        }
    }
    *to = 0;
    return from + 1;
}

/* Reads a number or a word. `*next` gets the character after it, which is overwritten. */
static char *read_word(char *from, const char **value, char *next)
{
    char *end = from + strcspn(from, ",}] \t\r\n");
    if (end == from || !*end) return NULL;
    *value = from;
    *next = *end;
    *end = 0;
    return end;
}

/* Reads a member from the opening quote of its name. Returns the place after the member; *next gets the
 * character there. */
static char *read_member(struct json_members *o, char *c, char *next)
{
    if (*c != '"' || o->count == JSON_MOST_MEMBERS) return NULL;
    struct json_member *m = &o->list[o->count++];
    c = read_text(c + 1, &m->name);
    if (!c) return NULL;
    c = skip_space(c);
    if (*c != ':') return NULL;
    c = skip_space(c + 1);
    m->is_text = *c == '"';
    if (!m->is_text) return read_word(c, &m->value, next);
    c = read_text(c + 1, &m->value);
    if (c) *next = *c;
    return c;
}

static bool checksum_fits(const struct json_members *o)
{
    uint64_t hash = JSON_HASH_START;
    if (!o->count || strcmp(o->list[o->count - 1].name, JSON_CHECKSUM)) return false;
    for (size_t i = 0; i + 1 < o->count; i++)
        hash = json_hash(json_hash(hash, o->list[i].name), o->list[i].value);
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return !strcmp(text, o->list[o->count - 1].value);
}

bool json_next(struct json_members *out, char **text, const char **problem)
{
    char *c = skip_space(*text), next = 0;
    *problem = NULL;
    out->count = 0;
    if (*c == ']') {
        if (*skip_space(c + 1)) *problem = "something follows the end of the report";
        return false;
    }
    if (*c == '[' || *c == ',') c = skip_space(c + 1);
    if (*c == ']') return *text = c, json_next(out, text, problem);
    *problem = "it is cut off, or no report of actgen verify";
    if (*c++ != '{') return false;
    do {
        c = read_member(out, skip_space(c), &next);
        if (!c) return false;
        if (isspace((unsigned char)next)) next = *(c = skip_space(c + 1));
        c++;
    } while (next == ',');
    if (next != '}') return false;
    *problem = "its checksum does not fit: it was changed";
    if (!checksum_fits(out)) return false;
    *problem = NULL;
    *text = c;
    return true;
}

const char *json_find(const struct json_members *o, const char *name)
{
    for (size_t i = 0; i < o->count; i++)
        if (!strcmp(o->list[i].name, name))
            return o->list[i].is_text || strcmp(o->list[i].value, "null") ? o->list[i].value : NULL;
    return NULL;
}
