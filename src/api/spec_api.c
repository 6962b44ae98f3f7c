/* Specs, built-ins, names and errors. */
#include "api.h"
#include "border.h"
#include "build_id.h"
#include "compile.h"
#include "language.h"
#include "numbers.h"

#include <stdlib.h>
#include <string.h>

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
                   (int)ELEMENT_U64 == ACTGEN_U64 && (int)ELEMENT_U1 == ACTGEN_U1 &&
                   (int)ELEMENT_I32 == ACTGEN_I32 && (int)ELEMENT_E8M0 == ACTGEN_E8M0 &&
                   (int)ELEMENT_E2M1 == ACTGEN_E2M1 && (int)ELEMENT_I4 == ACTGEN_I4,
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
