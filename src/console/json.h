/* Writes JSON: an array of flat objects, which is all that --json prints. */
#ifndef ACTGEN_CLI_JSON_H
#define ACTGEN_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json {  /* an array; starts with {0} */
    FILE *out; /* NULL: stdout */
    size_t objects, members;
    uint64_t hash; /* of the object's names and values so far */
};
void json_object(struct json *j);                                            /* the array's next object */
void json_text(struct json *j, const char *name, const char *text);          /* NULL gives null */
void json_texts(struct json *j, const char *name, const char *const *texts); /* an array; NULL at the end */
void json_number(struct json *j, const char *name, double value); /* what is not finite gives null */
/* With as many digits as it takes; NaN gives null, and infinity 1e999, which readers of JSON take for it. */
void json_exact(struct json *j, const char *name, double value);
void json_numbers(struct json *j, const char *name, const double *values, size_t count); /* as json_exact */
void json_count(struct json *j, const char *name, uint64_t value);
void json_truth(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);
void json_checksum(struct json *j); /* the last member: shows readers that nothing before it was changed */
void json_close(struct json *j);    /* the object */
void json_end(struct json *j);      /* the array */

/* The array that --json prints on the standard output; NULL before json_standard_begin, without --json. */
struct json *json_standard(void);
void json_standard_begin(void);

#define JSON_CHECKSUM   "checksum"
#define JSON_HASH_START UINT64_C(0xcbf29ce484222325)
/* Goes on with a text and its final 0: each member's name, then its text or word. */
uint64_t json_hash(uint64_t hash, const char *text);

#endif
