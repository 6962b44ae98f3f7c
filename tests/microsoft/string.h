/* Stands for Microsoft's string.h, as math.h does for its own. */
#ifndef ACTGEN_TEST_MICROSOFT_STRING_H
#define ACTGEN_TEST_MICROSOFT_STRING_H
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *, const void *, size_t);
#ifdef __cplusplus
}
#endif
#endif
