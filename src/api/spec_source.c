/* Makes specs of their sources: text, a formula, a built-in, or the gradient of a kernel. */
#include "api.h"
#include "language.h"
#include "nearest.h"
#include "numbers.h"
#include "tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lists the spec's kernels as "a, b, c", as many as fit. */
static void list_kernels(char *out, size_t size, const struct spec *s)
{
    size_t used = 0;
    *out = 0;
    for (uint32_t i = 0; i < s->kernel_count && used < size; i++) {
        const bool fits = used + strlen(s->kernels[i].name) + 8 < size;
        used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
                                 fits ? s->kernels[i].name : "...");
        if (!fits) return;
    }
}

int choose_kernel(const struct spec_kernel **out, const struct spec *s, const char *name, struct diag *error)
{
    if (!name && s->kernel_count == 1) {
        *out = &s->kernels[0];
        return DIAG_OK;
    }
    if (!s->kernel_count) return diag_set(error, DIAG_INVALID, "%s has no kernel", s->file);
    char known[240];
    list_kernels(known, sizeof known, s);
    if (!name)
        return diag_set(error, DIAG_INVALID, "%s has %u kernels, name one of them: %s", s->file,
                        s->kernel_count, known);
    const char *names[64];
    size_t count = 0;
    for (uint32_t i = 0; i < s->kernel_count; i++) {
        if (!strcmp(s->kernels[i].name, name)) {
            *out = &s->kernels[i];
            return DIAG_OK;
        }
        if (count < sizeof names / sizeof *names) names[count++] = s->kernels[i].name;
    }
    const char *near = nearest_name(name, names, count);
    return diag_set(error, DIAG_INVALID, "%s has no kernel `%.64s`; %s%s%s has %s", s->file, name,
                    near ? "did you mean `" : "", near ? near : "", near ? "`? It" : "it", known);
}

static int gradient_of(struct spec **out, arena *memory, const struct spec_source *s, struct diag *error)
{
    const struct spec_kernel *kernel;
    int status = choose_kernel(&kernel, s->of, s->length ? s->text : NULL, error);
    if (!status) status = spec_gradient(out, memory, s->of, kernel, s->inputs, s->input_count, error);
    return status;
}

static int parse_source(struct spec **out, arena *memory, const struct spec_source *s, struct diag *error)
{
    switch (s->kind) {
    case SPEC_TEXT: return spec_parse(out, memory, s->file, s->text, s->length, error);
    case SPEC_EXPRESSION: return spec_parse_expression(out, memory, s->text, s->length, error);
    case SPEC_GRADIENT: return gradient_of(out, memory, s, error);
    default: return spec_builtin(out, memory, s->text, error);
    }
}

struct parse_work {
    actgen_spec *spec;
    const struct spec_source *source;
    struct progress *progress;
};

static int parse_work(arena *memory, void *context, struct diag *error)
{
    const struct parse_work *w = context;
    struct spec *parsed;
    progress_begin(w->progress, "reading", 0);
    watch_arena(memory, w->progress);
    int status = parse_source(&parsed, memory, w->source, error);
    if (!status && w->source->kind != SPEC_GRADIENT) status = check_constants(parsed, w->progress, error);
    if (!status && w->source->type) status = spec_retype(parsed, w->source->type, error);
    if (!status) w->spec->parsed = parsed;
    watch_arena(memory, NULL); /* The spec keeps the arena. */
    return status;
}

int spec_source_check(struct spec_source *s, struct diag *error)
{
    if (!s->text && s->length) return diag_set(error, DIAG_INVALID, "text is NULL");
    if (!s->text) s->text = "";
    if (!s->file) s->file = "<spec>";
    return spec_check_length(s->length, error);
}

void spec_source_hash(const struct spec_source *s, char out[HASH_TEXT_SIZE])
{
    const char *type = s->type ? s->type : "";
    uint64_t before = hash_bytes(type, strlen(type), (uint64_t)s->kind + 1);
    before = hash_bytes(s->file, strlen(s->file), before);
    for (size_t i = 0; i < s->input_count; i++)
        before = hash_bytes(s->inputs[i], strlen(s->inputs[i]), before);
    hash_text_seeded(s->text, s->length, before, out);
}

void actgen_spec_free(actgen_spec *s)
{
    if (!s) return;
    arena_free(s->memory);
    free(s);
}

int spec_make(actgen_spec **out, const struct spec_source *source, struct spec_limits limits,
              struct diag *error)
{
    *out = NULL;
    int status = need_numbers(error);
    if (status) return status;
    actgen_spec *s = calloc(1, sizeof *s);
    if (!s) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    status = with_arena_of(&s->memory, limits.memory, parse_work,
                           &(struct parse_work){s, source, limits.progress}, error);
    if (status) {
        actgen_spec_free(s);
        return status;
    }
    spec_source_hash(source, s->hash);
    *out = s;
    return DIAG_OK;
}
