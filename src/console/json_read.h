/* Reads what json.h writes: an array of flat objects with checksums. */
#ifndef ACTGEN_CLI_JSON_READ_H
#define ACTGEN_CLI_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { JSON_MOST_MEMBERS = 48 };

struct json_member {
    const char *name, *value; /* both point into the text; the value is a text without quotes, a number, true,
                                 false or null */
    bool is_text;
};

struct json_members { /* one object */
    struct json_member list[JSON_MOST_MEMBERS];
    size_t count;
};

/* Takes the next object from *text, which it moves after the object. The text is changed, and must outlive
 * the members. Returns false at the end of the array, or with *problem set if the text is no array that
 * json.h wrote. Start with *text at the beginning of the file. */
bool json_next(struct json_members *out, char **text, const char **problem);

const char *json_find(const struct json_members *o, const char *name); /* NULL if absent or null */

#endif
