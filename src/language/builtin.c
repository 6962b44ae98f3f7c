/* Finds built-ins, which are the templates and the elementary functions, by name and as a list. */
#include "kernels.h"
#include "language.h"

#include <string.h>

static const char elementary_family[] = "elementary functions";

/* Loads the templates as the file of the program, so that messages point into them. */
static bool load_templates(struct program *p, arena *memory, struct diag *error)
{
    if (!program_load(p, memory, "templates", "", 0, error)) return false;
    p->file = p->templates;
    p->templates = (struct library){0};
    return true;
}

/* Reports an unknown name. Advice is on formulas, which are no names of built-ins. */
static void refuse_unknown(struct program *p, const char *name, const char *advice)
{
    static const char write[] = "; write ";
    const bool is_formula = !strncmp(advice, write, strlen(write));
    diag_set(p->error, DIAG_INVALID, "unknown built-in `%.64s`%s%s", name,
             is_formula ? "; as a formula, " : "", is_formula ? advice + strlen("; ") : advice);
}

/* Reports why the name is no built-in. */
static void refuse_name(struct program *p, const char *name, struct target t)
{
    if (t.kind == TARGET_SPECIAL)
        diag_set(p->error, DIAG_INVALID, "`%s` is a function of the language for formulas, such as `%s`",
                 name, special_use(t.special));
    else if (t.kind == TARGET_TYPE)
        diag_set(p->error, DIAG_INVALID, "`%s` is a type; a cast of x is the formula `%s(x)`", name, name);
    else
        refuse_unknown(p, name, program_advice(p, NULL, name, false, true, true));
}

static struct spec *make_builtin(struct program *p, const char *name)
{
    struct target t = program_resolve(p, &p->file.source, name, false);
    struct spec_kernel *k = NULL;
    if (t.kind == TARGET_KERNEL) {
        k = make_kernel(p, t.declaration);
    } else if (t.kind == TARGET_FUNCTION || t.kind == TARGET_ELEMENTARY) {
        k = make_function_kernel(p, name, t);
    } else {
        refuse_name(p, name, t);
    }
    if (!k) return NULL;
    struct spec *s = arena_alloc(p->memory, sizeof *s);
    *s = (struct spec){
        .dag = p->dag, .file = p->file.source.file, .text = p->file.source.text, .kernel_count = 1};
    s->kernels = arena_copy(p->memory, k, sizeof *k);
    s->kernels->name = name;
    return s;
}

int spec_builtin(struct spec **out, arena *memory, const char *name, struct diag *error)
{
    struct diag diag = {0};
    struct program *p = arena_alloc(memory, sizeof *p);
    *out = NULL;
    if (load_templates(p, memory, &diag)) *out = make_builtin(p, arena_copied(memory, name));
    if (!*out && error) *error = diag;
    return *out ? DIAG_OK : diag.status;
}

static struct spec_builtin_info describe(struct program *p, const struct declaration *d)
{
    struct target t = program_resolve(p, &p->file.source, d->name, false);
    const struct declaration *stands_for = t.declaration ? t.declaration : d;
    struct spec_builtin_info info = {
        .name = d->name, .family = d->family, .form = d->form, .summary = d->summary};
    info.text = declaration_text(p->memory, d);
    info.is_kernel = t.kind == TARGET_KERNEL;
    if (d->kind == DECLARE_ALIAS) {
        info.alias_of = d->target;
        info.family = stands_for->family;
        if (!*info.form) info.form = stands_for->form;
    }
    return info;
}

int spec_builtins(const struct spec_builtin_info **out, size_t *count, arena *memory, struct diag *error)
{
    struct diag diag = {0};
    struct program *p = arena_alloc(memory, sizeof *p);
    *out = NULL;
    *count = 0;
    if (!load_templates(p, memory, &diag) || !library_load(p, &p->file)) {
        if (error) *error = diag;
        return diag.status;
    }
    size_t room = p->file.count + EXPR_KIND_COUNT;
    struct spec_builtin_info *list = arena_alloc(memory, room * sizeof *list);
    for (const struct declaration *d = p->file.first; d; d = d->next) list[(*count)++] = describe(p, d);
    for (unsigned kind = EXPR_FIRST_FUNCTION; kind < EXPR_KIND_COUNT; kind++) {
        struct text text = text_new(memory);
        const char *name = expr_kind_name((enum expr_kind)kind);
        text_add(&text, "%s(x)", name);
        list[(*count)++] = (struct spec_builtin_info){
            .name = name, .family = elementary_family, .form = "", .summary = "", .text = text.data};
    }
    *out = list;
    return DIAG_OK;
}
