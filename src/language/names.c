/* Finds what names mean: the hash table, frames, libraries and suggestions. */
#include "advice.h"
#include "nearest.h"
#include "program.h"
#include "spellings.h"
#include "templates.h"

#include <string.h>

/* Computes the 32-bit FNV-1a hash of a name. */
static uint32_t hash_name(const char *name)
{
    uint32_t h = 2166136261u;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

static struct name_slot *slot_of(const struct name_map *map, const char *name)
{
    uint32_t i = hash_name(name) & (map->capacity - 1);
    while (map->slots[i].name && strcmp(map->slots[i].name, name) != 0) i = (i + 1) & (map->capacity - 1);
    return &map->slots[i];
}

struct name_map name_map_new(arena *memory)
{
    struct name_map map = {.memory = memory, .capacity = 16};
    map.slots = arena_alloc(memory, map.capacity * sizeof *map.slots);
    return map;
}

void *name_map_get(const struct name_map *map, const char *name) { return slot_of(map, name)->value; }

void name_map_put(struct name_map *map, const char *name, void *value)
{
    if (2 * map->count >= map->capacity) {
        struct name_map larger = {.memory = map->memory, .capacity = 2 * map->capacity, .count = map->count};
        larger.slots = arena_alloc(map->memory, larger.capacity * sizeof *larger.slots);
        for (uint32_t i = 0; i < map->capacity; i++)
            if (map->slots[i].name) *slot_of(&larger, map->slots[i].name) = map->slots[i];
        *map = larger;
    }
    struct name_slot *slot = slot_of(map, name);
    map->count += !slot->name;
    *slot = (struct name_slot){name, value};
}

struct binding *frame_find(const struct frame *f, const char *name)
{
    if (f->map) return name_map_get(f->map, name);
    for (struct binding *b = f->bindings; b; b = b->next)
        if (!strcmp(b->name, name)) return b;
    return NULL;
}

struct binding *frame_bind(struct program *p, struct frame *f, const char *name, struct span place,
                           const expr *value)
{
    struct binding *b = arena_alloc(p->memory, sizeof *b);
    *b = (struct binding){.name = name, .place = place, .value = value, .next = f->bindings};
    f->bindings = b;
    if (f->map) name_map_put(f->map, name, b);
    return b;
}

static bool is_kernel(const struct declaration *d)
{
    return d->kind == DECLARE_KERNEL || d->kind == DECLARE_GRADIENT;
}

static bool fail_twice(struct program *p, const struct declaration *d, const char *what)
{
    diag_at(p->error, DIAG_SYNTAX, d->source->text, d->place, "`%s` is already the name of %s of this file",
            d->name, what);
    return false;
}

bool library_load(struct program *p, struct library *library)
{
    struct parser parser;
    parser_start(&parser, p->memory, &library->source, p->error);
    if (!parse_file(&parser, &library->first, &library->count)) return false;
    library->is_on_demand = false;
    library->functions = name_map_new(p->memory);
    library->kernels = name_map_new(p->memory);
    for (struct declaration *d = library->first; d; d = d->next) {
        bool kernel = is_kernel(d), alias = d->kind == DECLARE_ALIAS;
        struct declaration *function = name_map_get(&library->functions, d->name);
        if (function && function->kind == DECLARE_ALIAS) return fail_twice(p, d, "an alias");
        if (function && !kernel) return fail_twice(p, d, "a function");
        if (name_map_get(&library->kernels, d->name) && (kernel || alias))
            return fail_twice(p, d, "a kernel");
        name_map_put(kernel ? &library->kernels : &library->functions, d->name, d);
    }
    return true;
}

static struct declaration *find_in(struct program *p, struct library *library, const char *name, bool kernel)
{
    const struct name_map *map = kernel ? &library->kernels : &library->functions;
    if (library->is_on_demand) return template_find(p, library, name, kernel);
    return map->capacity ? name_map_get(map, name) : NULL; /* a library that is not loaded has no map */
}

/* Finds a declaration by name among functions and kernels. One kind comes first, and for each kind the file
 * comes before the templates, because a kernel may have the name of the function that it computes. */
static struct declaration *find(struct program *p, bool in_file, const char *name, bool kernels_first)
{
    for (int i = 0; i < 4; i++) {
        /* For calls: the functions of both, then the kernels of both. For gradients: all of the file, then
         * all of the templates. */
        int kernels = kernels_first ? 1 - i % 2 : i / 2, templates = kernels_first ? i / 2 : i % 2;
        if (!templates && !in_file) continue;
        struct declaration *d = find_in(p, templates ? &p->templates : &p->file, name, kernels);
        if (d) return d;
    }
    return NULL;
}

static struct target builtin_target(const char *name)
{
    struct target t = {.special = special_of(name)};
    if (t.special) {
        t.kind = TARGET_SPECIAL;
    } else if (expr_kind_of_function(name, strlen(name), &t.function)) {
        t.kind = TARGET_ELEMENTARY;
    } else if (type_of(name, &t.type)) {
        t.kind = TARGET_TYPE;
    }
    return t;
}

struct target program_resolve(struct program *p, const struct source *from, const char *name,
                              bool kernels_first)
{
    bool in_file = from == &p->file.source;
    uint32_t links = p->file.count + p->templates.count + 1; /* more links than names form a circle */
    for (; links > 0; links--) {
        struct target t = builtin_target(name);
        const bool can_be_hidden = t.kind == TARGET_SPECIAL && !special_is_reserved(t.special);
        if (t.kind && !can_be_hidden) return t;
        struct declaration *d = find(p, in_file, name, kernels_first);
        if (t.kind && (!d || (is_kernel(d) && !kernels_first))) return t;
        if (!d) break;
        if (d->kind != DECLARE_ALIAS)
            return (struct target){.kind = is_kernel(d) ? TARGET_KERNEL : TARGET_FUNCTION, .declaration = d};
        in_file = d->source == &p->file.source;
        name = d->target;
    }
    return (struct target){.kind = TARGET_NONE};
}

static size_t count_bindings(const struct frame *f)
{
    size_t count = 0;
    for (const struct binding *b = f ? f->bindings : NULL; b; b = b->next) count++;
    return count;
}

/* Returns true if the two names have the same letters, in some order. */
static bool is_anagram(const char *a, const char *b)
{
    int left[256] = {0};
    for (; *a; a++) left[(unsigned char)*a]++;
    for (; *b; b++)
        if (left[(unsigned char)*b]-- == 0) return false;
    for (size_t i = 0; i < 256; i++)
        if (left[i]) return false;
    return true;
}

/* Returns true if `name` may be a misspelling of this function, and not another function that the language
 * lacks. For example, acos is no misspelling of cos, and tan is none of tanh or cot. */
static bool may_mean(const char *name, const char *function)
{
    const size_t a = strlen(name), b = strlen(function), shorter = a < b ? a : b;
    if (shorter <= 3 && !is_anagram(name, function)) return false;
    if (a != b && (!strncmp(name, function, shorter) || !strcmp(name + a - shorter, function + b - shorter)))
        return false;
    const char *one = name + strcspn(name, "0123456789"), *other = function + strcspn(function, "0123456789");
    return *one == *other; /* digits are rarely a slip, as in exp2 and log10 */
}

/* Appends the names of functions, kernels and aliases, as asked, of the file and the templates. Returns
 * their number. */
static size_t own_names(const struct program *p, bool callables, bool kernels, const char **names)
{
    size_t count = 0;
    const struct library *libraries[] = {&p->file, &p->templates};
    for (int i = 0; i < 2; i++) {
        for (const struct declaration *d = libraries[i]->first; d && !libraries[i]->is_on_demand; d = d->next)
            if (d->kind == DECLARE_ALIAS || (is_kernel(d) ? kernels : callables)) names[count++] = d->name;
        for (const struct template_place *t = spec_template_places; t->name && libraries[i]->is_on_demand;
             t++)
            if (t->kind == TOKEN_ALIAS || (t->kind == TOKEN_KERNEL ? kernels : callables))
                names[count++] = t->name;
    }
    return count;
}

const char *program_advice(const struct program *p, const struct frame *f, const char *name, bool values,
                           bool callables, bool kernels)
{
    size_t count = 0, room = VOCABULARY_MAX + count_bindings(f) + p->file.count + p->templates.count;
    const char **names = arena_alloc(p->memory, room * sizeof *names);
    for (const struct binding *b = f && values ? f->bindings : NULL; b; b = b->next) names[count++] = b->name;
    if (values) count += vocabulary_constants(names + count);
    const size_t first = count, functions = callables ? vocabulary_functions(names + count) : 0;
    count += functions;
    count += own_names(p, callables, kernels, names + count);

    const size_t length = strlen(name);
    char advice[ADVICE_SIZE] = "";
    const char *meant = spelling_find(SPELLING_FUNCTION, name, length, names, count).known;
    if (!meant) advice_on_name(advice, name, length, !values, "x", 1);
    if (!meant && !*advice) {
        size_t kept = first;
        for (size_t i = first; i < count; i++)
            if (i >= first + functions || may_mean(name, names[i])) names[kept++] = names[i];
        meant = nearest_name(name, names, kept);
    }
    struct text t = text_new(p->memory);
    text_add(&t, meant ? "; did you mean `%s`?" : *advice ? "; %s" : "%s", meant ? meant : advice);
    return t.data;
}

const char *program_functions(const struct program *p)
{
    const char *names[VOCABULARY_MAX];
    const size_t count = vocabulary_functions(names);
    struct text t = text_new(p->memory);
    for (size_t i = 0; i < count; i++) text_add(&t, "%s%s", i ? " " : "", names[i]);
    return t.data;
}
