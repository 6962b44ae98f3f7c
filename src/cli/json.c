/* The JSON writer. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Bytes above 0x7f go out as they are: the library's texts are UTF-8. */
static void put_string(const char *text)
{
    putchar('"');
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

static void put_name(struct json *j, const char *name)
{
    fputs(j->members++ ? ", " : "", stdout);
    put_string(name);
    fputs(": ", stdout);
}

void json_begin(struct json *j)
{
    j->objects = 0;
    putchar('[');
}

void json_object(struct json *j)
{
    fputs(j->objects++ ? ",\n {" : "\n {", stdout);
    j->members = 0;
}

void json_text(struct json *j, const char *name, const char *text)
{
    put_name(j, name);
    if (text)
        put_string(text);
    else
        fputs("null", stdout);
}

void json_number(struct json *j, const char *name, double value)
{
    put_name(j, name);
    if (isfinite(value))
        printf("%.9g", value);
    else
        fputs("null", stdout);
}

void json_count(struct json *j, const char *name, uint64_t value)
{
    put_name(j, name);
    printf("%" PRIu64, value);
}

void json_truth(struct json *j, const char *name, bool value)
{
    put_name(j, name);
    fputs(value ? "true" : "false", stdout);
}

void json_null(struct json *j, const char *name) { json_text(j, name, NULL); }

void json_close(struct json *j)
{
    (void)j;
    putchar('}');
    fflush(stdout);
}

void json_end(struct json *j) { puts(j->objects ? "\n]" : "]"); }
