/* Specs, built-ins, names and errors. */
#include "api.h"
#include "arena_watch.h"
#include "border.h"
#include "build_id.h"
#include "compile.h"
#include "stack.h"
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(((actgen_error *)0)->message) == DIAG_MESSAGE_SIZE, "messages fit");

int error_return(actgen_error *out, const struct diag *d)
{
    if (!out) return d->status;
    out->status = d->status;
    out->line = d->line;
    out->column = d->column;
    out->offset = d->offset;
    out->length = d->length;
    memcpy(out->message, d->message, sizeof out->message);
    return d->status;
}

int refuse_no_kernel(actgen_error *error)
{
    struct diag d = {0};
    diag_set(&d, DIAG_INVALID, "kernel is NULL: did actgen_compile fail?");
    return error_return(error, &d);
}

int with_arena(arena **out, int (*work)(arena *memory, void *context, struct diag *error), void *context,
               struct diag *error)
{
    return with_arena_of(out, 0, work, context, error);
}

/* Frees the arena after an escape, and sets the error that explains it. It replaces any earlier message,
 * which may only be a consequence of the lack of memory. */
static int escaped(arena *memory, struct diag *error)
{
    const size_t limit = arena_limit(memory);
    const bool is_exhausted = arena_is_exhausted(memory), is_stopped = arena_is_stopped(memory);
    arena_free(memory);
    if (is_stopped && error) *error = (struct diag){0};
    if (is_stopped) return diag_set(error, DIAG_STOPPED, "stopped while a kernel was compiled");
    if (!is_exhausted) return diag_out_of_memory(error);
    if (error) *error = (struct diag){0};
    return diag_set(error, DIAG_LIMIT,
                    "it takes more than %zu bytes of memory, the limit of one kernel (options.memory_limit, "
                    "--memory-limit)",
                    limit);
}

/* The least stack that must be left. The formulas with SPEC_MAX_NESTING levels take the most, 218 KiB to read
 * them. Planning and LLVM take 140 KiB. */
enum { LEAST_STACK = 224 << 10 };

static int check_stack(struct diag *error)
{
    const size_t left = stack_left();
    if (left >= LEAST_STACK) return DIAG_OK;
    return diag_set(
        error, DIAG_NO_MEMORY,
        "the thread has %zu KiB of stack left, and this may take %d: threads that call actgen need "
        "256 KiB (pthread_attr_setstacksize; ulimit -s for the first)",
        left >> 10, LEAST_STACK >> 10);
}

static size_t memory_bound(uint64_t limit)
{
    if (!limit) return COMPILATION_MEMORY;
    return limit < SIZE_MAX ? (size_t)limit : SIZE_MAX;
}

static bool parsing_goes_on(void *progress) { return progress_goes_on(progress); }

void watch_arena(arena *memory, struct progress *progress)
{
    arena_watch(memory, progress ? parsing_goes_on : NULL, progress);
}

int with_arena_of(arena **out, uint64_t limit, int (*work)(arena *memory, void *context, struct diag *error),
                  void *context, struct diag *error)
{
    if (out) *out = NULL;
    if (check_stack(error)) return DIAG_NO_MEMORY;
    arena *memory = arena_create(memory_bound(limit));
    if (!memory) return diag_set(error, DIAG_NO_MEMORY, "out of memory");
    if (setjmp(*arena_escape(memory))) return escaped(memory, error);
    int status = work(memory, context, error);
    if (arena_failed(memory)) status = diag_out_of_memory(error);
    if (status || !out)
        arena_free(memory);
    else
        *out = memory;
    return status;
}

int take_options(void *out, size_t size, const void *given, const char *what, struct diag *error)
{
    size_t given_size;
    if (!given) return DIAG_OK;
    memcpy(&given_size, given, sizeof given_size);
    if (!size_is_set(given_size))
        return diag_set(error, DIAG_INVALID, "options.size is not set: start from %s", what);
    memcpy(out, given, given_size < size ? given_size : size);
    return DIAG_OK;
}

uint32_t actgen_version(void) { return ACTGEN_VERSION; }
const char *actgen_backend_version(void) { return backend_built_with; }
const char *actgen_build_id(void) { return build_id; }

const char *actgen_status_name(int status)
{
    static const char *const names[] = {"ok",
                                        "out of memory",
                                        "invalid argument",
                                        "syntax error",
                                        "accuracy cannot be kept",
                                        "target not supported",
                                        "back end failed",
                                        "write failed",
                                        "not yet supported",
                                        "stopped",
                                        "limit reached"};
    size_t i = (size_t) - (long)status;
    return status <= 0 && i < sizeof names / sizeof *names ? names[i] : "unknown status";
}

/* The library's own types, shapes and layouts have the same values as in actgen.h. */
_Static_assert((int)ELEMENT_F32 == ACTGEN_F32 && (int)ELEMENT_F64 == ACTGEN_F64 &&
                   (int)ELEMENT_F16 == ACTGEN_F16 && (int)ELEMENT_BF16 == ACTGEN_BF16 &&
                   (int)ELEMENT_E4M3 == ACTGEN_E4M3 && (int)ELEMENT_E5M2 == ACTGEN_E5M2 &&
                   (int)ELEMENT_I8 == ACTGEN_I8 && (int)ELEMENT_U8 == ACTGEN_U8 &&
                   (int)ELEMENT_U64 == ACTGEN_U64 && (int)ELEMENT_U1 == ACTGEN_U1,
               "types");
_Static_assert((int)SHAPE_MATRIX == ACTGEN_SHAPE_MATRIX && (int)SHAPE_COLS == ACTGEN_SHAPE_COLS &&
                   (int)SHAPE_ROWS == ACTGEN_SHAPE_ROWS && (int)SHAPE_ONE == ACTGEN_SHAPE_ONE,
               "shapes");
_Static_assert((int)LAYOUT_SEPARATE == ACTGEN_LAYOUT_SEPARATE && (int)LAYOUT_PACKED == ACTGEN_LAYOUT_PACKED &&
                   (int)LAYOUT_INTERLEAVED == ACTGEN_LAYOUT_INTERLEAVED,
               "layouts");

static bool is_type(int type)
{
    return type == ACTGEN_U64 ||
           (type >= 0 && type < ELEMENT_TYPE_COUNT && element_is_usable((enum element_type)type));
}

const char *actgen_type_name(int type) { return is_type(type) ? element_types[type].name : NULL; }
size_t actgen_type_bytes(int type) { return is_type(type) ? element_types[type].bytes : 0; }

size_t actgen_array_bytes(int type, size_t elements)
{
    const size_t bytes = actgen_type_bytes(type);
    return bytes && elements <= SIZE_MAX / bytes ? element_bytes((enum element_type)type, elements) : 0;
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

static int spec_create(actgen_spec **out, struct spec_source source, actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    if (!out) return diag_set(&d, DIAG_INVALID, "out is NULL"), error_return(error, &d);
    *out = NULL;
    int status = spec_source_check(&source, &d);
    if (!status) status = spec_make(out, &source, (struct spec_limits){0}, &d);
    return status ? error_return(error, &d) : ACTGEN_OK;
}

static struct spec_source of_text(const char *file, const char *text, size_t length)
{
    return (struct spec_source){.kind = SPEC_TEXT, .file = file, .text = text, .length = length};
}

/* Makes a source of a name or formula. A NULL `name` gets a length without a text, which spec_source_check
 * refuses. */
static struct spec_source of_name(enum spec_kind kind, const char *file, const char *name, const char *type)
{
    return (struct spec_source){
        .kind = kind, .file = file, .text = name, .length = name ? strlen(name) : 1, .type = type};
}

static struct spec_source of_expression(const char *formula, const char *type)
{
    return of_name(SPEC_EXPRESSION, "<expression>", formula, type);
}

static struct spec_source of_builtin(const char *name, const char *type)
{
    return of_name(SPEC_BUILTIN, "<built-in>", name, type);
}

int actgen_spec_parse(actgen_spec **out, const char *file, const char *text, size_t length,
                      actgen_error *error)
{
    return spec_create(out, of_text(file, text, length), error);
}

int actgen_spec_expression(actgen_spec **out, const char *formula, actgen_error *error)
{
    return actgen_spec_expression_typed(out, formula, NULL, error);
}

int actgen_spec_expression_typed(actgen_spec **out, const char *formula, const char *type,
                                 actgen_error *error)
{
    return spec_create(out, of_expression(formula, type), error);
}

int actgen_spec_builtin(actgen_spec **out, const char *name, actgen_error *error)
{
    return actgen_spec_builtin_typed(out, name, NULL, error);
}

int actgen_spec_builtin_typed(actgen_spec **out, const char *name, const char *type, actgen_error *error)
{
    return spec_create(out, of_builtin(name, type), error);
}

int actgen_spec_gradient(actgen_spec **out, const actgen_spec *spec, const char *kernel,
                         const char *const *of, size_t count, actgen_error *error)
{
    struct diag d = {0};
    if (out) *out = NULL;
    if (!spec) diag_set(&d, DIAG_INVALID, "spec is NULL");
    for (size_t i = 0; i < count; i++)
        if (!of || !of[i]) diag_set(&d, DIAG_INVALID, "of has a name that is NULL");
    if (d.status) return error_return(error, &d);
    const struct spec_source gradient = {.kind = SPEC_GRADIENT,
                                         .file = spec->hash,
                                         .text = kernel,
                                         .length = kernel ? strlen(kernel) : 0,
                                         .of = spec->parsed,
                                         .inputs = of,
                                         .input_count = count};
    return spec_create(out, gradient, error);
}

int actgen_compile_text(actgen_kernel **out, actgen_engine *engine, const char *file, const char *text,
                        size_t length, const char *kernel, const actgen_options *options, actgen_error *error)
{
    return compile_source(out, engine, of_text(file, text, length), kernel, options, error);
}

int actgen_compile_expression(actgen_kernel **out, actgen_engine *engine, const char *formula,
                              const char *type, const actgen_options *options, actgen_error *error)
{
    return compile_source(out, engine, of_expression(formula, type), NULL, options, error);
}

int actgen_compile_builtin(actgen_kernel **out, actgen_engine *engine, const char *name, const char *type,
                           const actgen_options *options, actgen_error *error)
{
    return compile_source(out, engine, of_builtin(name, type), NULL, options, error);
}

void actgen_spec_free(actgen_spec *s)
{
    if (!s) return;
    arena_free(s->memory);
    free(s);
}

size_t actgen_spec_kernel_count(const actgen_spec *s) { return s ? s->parsed->kernel_count : 0; }

const char *actgen_spec_kernel_name(const actgen_spec *s, size_t i)
{
    return s && i < s->parsed->kernel_count ? s->parsed->kernels[i].name : NULL;
}

struct visit {
    const struct thread_state *host;
    int (*function)(void *payload, const actgen_builtin *builtin);
    void *payload;
};

static int visit_work(arena *memory, void *context, struct diag *error)
{
    const struct visit *v = context;
    const struct spec_builtin_info *list;
    size_t count;
    int status = spec_builtins(&list, &count, memory, error);
    for (size_t i = 0; i < count && !status; i++) {
        actgen_builtin b = {list[i].name, list[i].alias_of, list[i].family,
                            list[i].form, list[i].summary,  list[i].text};
        THREAD_STATE_IN_BLOCK(own, v->host);
        if (v->function(v->payload, &b)) break;
    }
    return status;
}

int actgen_builtins(int (*function)(void *payload, const actgen_builtin *builtin), void *payload,
                    actgen_error *error)
{
    ENTER_LIBRARY(host);
    struct diag d = {0};
    struct visit v = {&host, function, payload};
    if (!function)
        diag_set(&d, DIAG_INVALID, "visit is NULL");
    else if (!need_numbers(&d))
        with_arena(NULL, visit_work, &v, &d);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}
