/* The names that belong to the language, to C and to C++. */
#include "vocabulary.h"

#include <string.h>

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static const struct {
    const char *name;
    enum special special;
} specials[] = {
    {"min", SPECIAL_MIN},     {"max", SPECIAL_MAX},         {"clamp", SPECIAL_CLAMP},
    {"diff", SPECIAL_DIFF},   {"uniform", SPECIAL_UNIFORM}, {"bernoulli", SPECIAL_BERNOULLI},
    {"where", SPECIAL_WHERE}, {"detach", SPECIAL_DETACH},   {"row", SPECIAL_ROW},
};

static const char *const constants[] = {"pi", "e", "inf"};

/* The keywords of C17 6.4.1 and C++20 [lex.key], with the alternative tokens, because generated headers
 * serve both languages. */
static const char keywords[] =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class compl concept const consteval constexpr constinit const_cast continue co_await "
    "co_return co_yield decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof union unsigned using virtual "
    "void volatile wchar_t while xor xor_eq _Alignas _Alignof _Atomic _Bool _Complex _Generic "
    "_Imaginary _Noreturn _Static_assert _Thread_local ";

enum special special_of(const char *name)
{
    for (size_t i = 0; i < COUNT(specials); i++)
        if (!strcmp(specials[i].name, name)) return specials[i].special;
    return SPECIAL_NONE;
}

bool special_is_reserved(enum special special) { return special < SPECIAL_WHERE; }

const char *special_use(enum special special)
{
    static const char *const uses[] = {[SPECIAL_MIN] = "min(x, 6)",
                                       [SPECIAL_MAX] = "max(x, 0)",
                                       [SPECIAL_CLAMP] = "clamp(x, -1, 1)",
                                       [SPECIAL_DIFF] = "diff(gelu(x), x)",
                                       [SPECIAL_UNIFORM] = "uniform(seed, offset)",
                                       [SPECIAL_BERNOULLI] = "x * bernoulli(0.9, seed, offset)",
                                       [SPECIAL_WHERE] = "where(x > 0, x, 0)",
                                       [SPECIAL_DETACH] = "detach(amax(x))",
                                       [SPECIAL_ROW] = "where(col <= row(first), x, -inf)"};
    return uses[special];
}

bool type_of(const char *name, enum element_type *out)
{
    for (int i = 0; i < ELEMENT_TYPE_COUNT; i++)
        if (*element_types[i].name == *name && !strcmp(element_types[i].name, name)) {
            *out = (enum element_type)i;
            return true;
        }
    return false;
}

static bool is_keyword(const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = keywords; (at = strstr(at, name)); at++)
        if (at[-1] == ' ' && at[length] == ' ') return true;
    return false;
}

const char *reserved_as(const char *name)
{
    enum expr_kind kind;
    enum element_type type;
    if (expr_kind_of_function(name, strlen(name), &kind)) return "an elementary function";
    if (special_of(name) && special_is_reserved(special_of(name))) return "a function of the language";
    if (type_of(name, &type)) return "a type";
    for (size_t i = 0; i < COUNT(constants); i++)
        if (!strcmp(constants[i], name)) return "a constant";
    if (!strcmp(name, "rows") || !strcmp(name, "cols")) return "a size of the operands";
    return is_keyword(name) ? "a keyword of C or C++" : NULL;
}

const expr *constant_of(expr_dag *dag, const char *name)
{
    if (!strcmp(name, "pi")) return expr_pi(dag);
    if (!strcmp(name, "inf")) return expr_infinity(dag);
    if (!strcmp(name, "e")) return expr_unary(dag, EXPR_exp, expr_integer(dag, 1));
    return NULL;
}

size_t vocabulary_functions(const char **names)
{
    size_t count = 0;
    for (unsigned kind = EXPR_FIRST_FUNCTION; kind < EXPR_KIND_COUNT; kind++)
        names[count++] = expr_kind_name((enum expr_kind)kind);
    for (size_t i = 0; i < COUNT(specials); i++) names[count++] = specials[i].name;
    return count;
}

size_t vocabulary_constants(const char **names)
{
    memcpy(names, constants, sizeof constants);
    return COUNT(constants);
}
