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
    uint64_t hash; /* the hash of the object's names and values so far */
};
void json_object(struct json *j);                                   /* begins the next object of the array */
void json_text(struct json *j, const char *name, const char *text); /* NULL gives null */
void json_texts(struct json *j, const char *name, const char *const *texts); /* an array; NULL at the end */
void json_number(struct json *j, const char *name, double value); /* NaN and infinities give null */
/* Writes as many digits as the number needs. NaN gives null. Infinity gives 1e999, which JSON readers take
 * for infinity. */
void json_exact(struct json *j, const char *name, double value);
void json_numbers(struct json *j, const char *name, const double *values, size_t count); /* as json_exact */
void json_count(struct json *j, const char *name, uint64_t value);
void json_truth(struct json *j, const char *name, bool value);
void json_null(struct json *j, const char *name);
void json_checksum(struct json *j); /* the last member, which shows readers whether a member was changed */
void json_close(struct json *j);    /* ends the object */
void json_end(struct json *j);      /* ends the array */

/* Returns the array of --json on the standard output. It is NULL without --json, before json_standard_begin.
 */
struct json *json_standard(void);
void json_standard_begin(void);

#define JSON_CHECKSUM   "checksum"
#define JSON_HASH_START UINT64_C(0xcbf29ce484222325)
/* Continues a hash with a text and its final 0. A checksum hashes the name and the value of each member in
 * turn. */
uint64_t json_hash(uint64_t hash, const char *text);
/* Returns the length of the UTF-8 sequence of two to four bytes at `s`, and its code point. Returns 0 if
 * there is none. */
size_t utf8_sequence(const unsigned char *s, size_t left, uint32_t *code);

#endif
