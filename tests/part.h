/* The parts of large tables that a test takes. The release build takes rows that differ in kind, a
 * sanitizer's build fewer of them, and so does a build with another LLVM. With ACTGEN_TEST_ALL=1 in the
 * environment, each of them takes whole tables. */
#ifndef ACTGEN_TEST_PART_H
#define ACTGEN_TEST_PART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

/* Returns true if whole tables are asked for. */
static inline bool takes_all(void)
{
    const char *all = getenv("ACTGEN_TEST_ALL");
    return all && *all && *all != '0';
}

/* Returns the step from one row that is taken to the next: the argument of that number, or 1. */
static inline unsigned step_argument(int count, char **arguments, int number)
{
    return count > number && !takes_all() ? (unsigned)atoi(arguments[number]) : 1;
}

/* Returns a number from the environment, or another one. */
static inline unsigned long from_environment(const char *name, unsigned long otherwise)
{
    const char *text = getenv(name);
    return text && *text ? strtoul(text, NULL, 0) : otherwise;
}

/* Returns the number that chooses rows and random kernels: the days since 1970, so that the next day has
 * others. ACTGEN_SEED repeats another day's choice. */
static inline unsigned long seed_of_today(void)
{
    enum { DAY = 86400 /* in seconds */ };
    return from_environment("ACTGEN_SEED", (unsigned long)(time(NULL) / DAY));
}

/* Returns true if a row of a table has its turn today. Each row of such a table takes seconds, and the rows
 * take turns: within `of` days, each has one. */
static inline bool is_row_of_today(size_t number, size_t of)
{
    return takes_all() || (number + seed_of_today()) % of == 0;
}

/* Returns true in a sanitizer build. A sanitizer sees only C code, and makes it several times slower. */
static inline bool is_sanitized(void)
{
#ifdef ACTGEN_TEST_SANITIZED
    return true;
#else
    return false;
#endif
}

/* Returns true if the test runs again, with another LLVM than the release build's. It then asks each question
 * only once. */
static inline bool runs_again(void) { return getenv("ACTGEN_TEST_LLVM") && !takes_all(); }

/* Returns true if one kind of work on C code stands for all. */

/* Returns true if the library's frames are as large as those that its users have. */
static inline bool has_usual_frames(void)
{
#ifdef ACTGEN_TEST_COVERAGE
    return false;
#else
    return !is_sanitized();
#endif
}
static inline bool takes_one_kind(void) { return is_sanitized() && !takes_all(); }

/* Returns true if the set is tried. C code is the same for all sets, so under a sanitizer the first one
 * stands for all. */
static inline bool is_set_tried(size_t number) { return !takes_one_kind() || !number; }

/* Returns true if a row or kernel of a table is tried. Further rows run the same C code, so under a
 * sanitizer one of `of` stands for all. */
static inline bool is_row_tried(size_t number, size_t of) { return !takes_one_kind() || number % of == 0; }

/* Returns true if a table's kernel of that number is verified. */
static inline bool is_kernel_verified(size_t number) { return is_row_tried(number, 8); }

#endif
