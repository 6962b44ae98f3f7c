/* Finds the name that a misspelt one may have been, for "did you mean". */
#include "nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST_NAME = 40 };

/* Computes the distance between two short names: the number of letters inserted, left out, changed, or
 * swapped with the next one (optimal string alignment). */
static size_t distance(const char *a, const char *b)
{
    size_t m = strlen(a), n = strlen(b), rows[3][LONGEST_NAME + 1];
    if (m > LONGEST_NAME || n > LONGEST_NAME) return LONGEST_NAME;
    for (size_t j = 0; j <= n; j++) rows[0][j] = j;
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && two_above[j - 2] + 1 < best) best = two_above[j - 2] + 1;
            row[j] = best;
        }
    }
    return rows[m % 3][n];
}

const char *nearest_name(const char *name, const char *const *names, size_t count)
{
    const char *nearest = NULL;
    const size_t length = strlen(name);
    /* A name that differs in more than a third of its letters is no misspelling. */
    size_t best = (length + 1) / 3;
    for (size_t i = 0; i < count; i++) {
        const size_t d = distance(name, names[i]);
        if (d > best || d >= length || (length < 3 && *names[i] != *name) || (nearest && d == best)) continue;
        nearest = names[i];
        best = d;
    }
    return nearest;
}
