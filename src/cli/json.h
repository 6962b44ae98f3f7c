/* Writes JSON to stdout: an array of flat objects, which is all that --json prints. */
#ifndef ACTGEN_CLI_JSON_H
#define ACTGEN_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json { /* start with {0} */
    size_t objects, members;
};
void json_begin(struct json *j);                                    /* the array */
void json_object(struct json *j);                                   /* its next object */
void json_text(struct json *j, const char *name, const char *text); /* NULL gives null */
void json_number(struct json *j, const char *name, double value);   /* what is not finite gives null */
void json_count(struct json *j, const char *name, uint64_t value);
void json_truth(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);
void json_close(struct json *j); /* the object */
void json_end(struct json *j);   /* the array */

#endif
