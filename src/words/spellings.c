/* Spellings that people bring from other languages: the table, and how a spelling is found in it. */
#include "spellings.h"

#include <string.h>

static const struct row {
    enum spelling_kind kind;
    const char *spellings, *advice;
} rows[] = {
#define SPELLING(kind, spellings, advice) {SPELLING_##kind, spellings, advice},
#include "spellings.def"
#undef SPELLING
};

enum { ROW_COUNT = sizeof rows / sizeof *rows, LONGEST_NAME = 64 };

/* A name in lower case, without underscores and hyphens. No known name is longer, so the rest of a longer one
 * does not matter. */
struct folded {
    char text[LONGEST_NAME + 1];
    size_t length;
};

static struct folded fold(const char *name, size_t length)
{
    struct folded f = {.length = 0};
    for (size_t i = 0; i < length && f.length < LONGEST_NAME; i++) {
        const char c = name[i];
        if (c != '_' && c != '-') f.text[f.length++] = c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
    }
    return f;
}

static bool is_same(const struct folded *f, const char *name, size_t length)
{
    const struct folded other = fold(name, length);
    return f->length && f->length == other.length && !memcmp(f->text, other.text, f->length);
}

/* Goes to the next spelling of a list that blanks separate. Returns false at the end. */
static bool next_spelling(const char **at, size_t *length)
{
    *at += *length;
    *at += strspn(*at, " ");
    *length = strcspn(*at, " ");
    return *length > 0;
}

const char *spelling_advice(enum spelling_kind kind, const char *spelling, size_t length)
{
    for (const struct row *r = rows; r < rows + ROW_COUNT; r++) {
        const char *at = r->spellings;
        for (size_t n = 0; r->kind == kind && next_spelling(&at, &n);)
            if (n == length && !memcmp(at, spelling, n)) return r->advice;
    }
    return NULL;
}

size_t spelling_prefix(enum spelling_kind kind, const char *text, size_t length, const char **advice)
{
    size_t longest = 0;
    for (const struct row *r = rows; r < rows + ROW_COUNT; r++) {
        const char *at = r->spellings;
        for (size_t n = 0; r->kind == kind && next_spelling(&at, &n);)
            if (n <= length && n > longest && !memcmp(at, text, n)) {
                longest = n;
                *advice = r->advice;
            }
    }
    return longest;
}

static const char *folded_advice(enum spelling_kind kind, const struct folded *f)
{
    for (const struct row *r = rows; r < rows + ROW_COUNT; r++) {
        const char *at = r->spellings;
        for (size_t n = 0; r->kind == kind && next_spelling(&at, &n);)
            if (is_same(f, at, n)) return r->advice;
    }
    return NULL;
}

/* The affixes that libraries put around the names of functions: expf and logl of C, hexp of CUDA,
 * GELUActivation of transformers. */
static const struct {
    const char *prefix, *suffix;
} affixes[] = {{"", ""},         {"", "f"},       {"", "l"},      {"", "activation"}, {"", "function"},
               {"", "layer"},    {"", "approx"},  {"", "f32"},    {"", "f64"},        {"", "f16"},
               {"", "bf16"},     {"", "impl"},    {"h", ""},      {"fast", ""},       {"fast", "f"},
               {"mm512", "ps"},  {"mm256", "ps"}, {"mm", "ps"},   {"nv", "f"},        {"nv", ""},
               {"llvm", ""},     {"amdgcn", ""},  {"aten", ""},   {"native", ""},     {"half", ""},
               {"builtin", "f"}, {"builtin", ""}, {"approx", ""}, {"h2", ""},         {"v", "qf32"},
               {"ggml", ""},     {"f", "rn"},     {"", "rn"}};

enum { AFFIX_COUNT = sizeof affixes / sizeof *affixes };

/* Takes the affix off. Returns false if the name lacks it, or is nothing else. */
static bool strip(struct folded *f, const char *prefix, const char *suffix)
{
    const size_t before = strlen(prefix), after = strlen(suffix);
    if (f->length <= before + after || memcmp(f->text, prefix, before) != 0 ||
        memcmp(f->text + f->length - after, suffix, after) != 0)
        return false;
    f->length -= before + after;
    memmove(f->text, f->text + before, f->length);
    return true;
}

struct spelling_meaning spelling_find(enum spelling_kind kind, const char *name, size_t length,
                                      const char *const *names, size_t count)
{
    struct spelling_meaning found = {NULL, NULL};
    for (int a = 0; a < AFFIX_COUNT && !found.known && !found.advice; a++) {
        struct folded f = fold(name, length);
        if (!strip(&f, affixes[a].prefix, affixes[a].suffix)) continue;
        for (size_t i = 0; i < count && !found.known; i++)
            if (is_same(&f, names[i], strlen(names[i]))) found.known = names[i];
        if (!found.known) found.advice = folded_advice(kind, &f);
        if (kind != SPELLING_FUNCTION) break; /* only functions have affixes */
    }
    return found;
}
