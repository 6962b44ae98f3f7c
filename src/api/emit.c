/* Writes objects and headers for other programs. */
#include "api.h"
#include "border.h"
#include "header.h"
#include "plan_file.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct emit_work {
    struct emission emission;
    int what;
    const char *style; /* The name of a style of C source. */
    struct host_sink out;
};

/* Lists three functions for each name of a kernel, and the functions of values. */
static struct backend_call *list_calls(arena *memory, const struct emission *e, size_t *count)
{
    enum { MOST_PER_KERNEL = 3 + MOST_VALUE_CALLS };
    struct backend_call *calls = arena_alloc(memory, MOST_PER_KERNEL * e->count * sizeof *calls);
    *count = 0;
    for (size_t i = 0; i < e->count; i++) {
        const char *kernel = e->kernels[i]->source->name;
        if (!is_first_of_name(e, i)) continue;
        const struct kernel_names names = kernel_names(memory, e, kernel);
        calls[(*count)++] = (struct backend_call){names.pointers, kernel, CALL_POINTERS, {0}};
        calls[(*count)++] = (struct backend_call){names.strides, kernel, CALL_STRIDES, {0}};
        calls[(*count)++] = (struct backend_call){names.operands, kernel, CALL_OPERANDS, {0}};
        if (names.values) *count += list_value_calls(memory, calls + *count, e, e->kernels[i]);
    }
    return calls;
}

static int emit_object(arena *memory, const struct emit_work *w, struct diag *error)
{
    const struct emission *e = &w->emission;
    struct backend_function *functions = arena_alloc(memory, e->count * sizeof *functions);
    struct backend_options options = {.streaming_bytes = e->kernels[0]->streaming_bytes,
                                      .exported = e->exported,
                                      .compact = e->compact,
                                      .format = e->format,
                                      .dispatch = e->dispatch};
    struct backend_buffer buffer;
    for (size_t i = 0; i < e->count; i++) {
        const actgen_kernel *k = e->kernels[i];
        functions[i] = own_function(k);
        functions[i].symbol = kernel_symbol(memory, e->prefix, k);
        functions[i].core = k->core; /* the object may run on any processor */
        if (k->streaming_bytes != options.streaming_bytes)
            return diag_set(error, DIAG_INVALID,
                            "kernels of one object must be compiled with the same streaming option");
    }
    options.calls = list_calls(memory, e, &options.call_count);
    int status =
        engine_emit(e->kernels[0]->engine, functions, e->count, &options, BACKEND_OBJECT, &buffer, error);
    if (status) return status;
    status = host_write(&w->out, buffer.data, buffer.size, error);
    backend_buffer_free(&buffer);
    return status;
}

/* Returns true if kernel i is a duplicate. It does not use the instruction set that it was asked for, and the
 * list has another kernel of that name for the set that it uses. */
static bool is_repeated(const struct emission *e, size_t i)
{
    const actgen_kernel *k = e->kernels[i];
    bool repeated = false;
    for (size_t n = 0; n < e->count; n++) {
        const actgen_kernel *other = e->kernels[n];
        repeated = repeated || (n != i && other->isa == k->isa && other->asked.isa == other->isa &&
                                !strcmp(other->source->name, k->source->name));
    }
    return repeated && k->asked.isa != k->isa;
}

static void drop_repeated(arena *memory, struct emission *e)
{
    const actgen_kernel **kept = arena_alloc(memory, e->count * sizeof *kept);
    size_t count = 0;
    for (size_t i = 0; i < e->count; i++)
        if (!is_repeated(e, i)) kept[count++] = e->kernels[i];
    e->kernels = kept;
    e->count = count;
}

static int take_whole(arena *memory, struct emission *e, struct diag *error)
{
    const actgen_kernel **whole = arena_alloc(memory, e->count * sizeof *whole);
    for (size_t i = 0; i < e->count; i++)
        if (!(whole[i] = kernel_whole(e->kernels[i], error))) return error->status;
    e->kernels = whole;
    return DIAG_OK;
}

/* Sets the style of C source. Its functions do not choose among instruction sets. */
static int choose_style(struct emission *e, const char *name, struct diag *error)
{
    for (size_t i = 1; i < e->count; i++)
        if (e->kernels[i]->isa != e->kernels[0]->isa)
            return diag_set(error, DIAG_INVALID,
                            "C source is for one instruction set, and the kernels are for %s and %s: write a "
                            "file for each, with a prefix of its own",
                            e->kernels[0]->isa->name, e->kernels[i]->isa->name);
    e->abi = ABI_ROWS; /* Each style has functions of values of its own. */
    e->style = source_style_find(name, e->kernels[0]->isa, error);
    return error->status;
}

static int emit_kernels(arena *memory, void *context, struct diag *error)
{
    struct emit_work *w = context;
    if (take_whole(memory, &w->emission, error)) return error->status;
    drop_repeated(memory, &w->emission);
    struct text t = text_new(memory);
    if (w->what == ACTGEN_EMIT_C && choose_style(&w->emission, w->style, error)) return error->status;
    int status = w->what == ACTGEN_EMIT_PLANS
                     ? plan_file_print(&t, w->emission.kernels, w->emission.count, error)
                     : check_header_names(memory, &w->emission, error);
    if (!status && w->what == ACTGEN_EMIT_C) status = print_source_file(&t, &w->emission, error);
    if (status) return status;
    if (w->what == ACTGEN_EMIT_C) return host_write(&w->out, t.data, t.length, error);
    if (w->what == ACTGEN_EMIT_PLANS) return host_write(&w->out, t.data, t.length, error);
    if (w->what == ACTGEN_EMIT_OBJECT) return emit_object(memory, w, error);
    if (w->what == ACTGEN_EMIT_TORCH || w->what == ACTGEN_EMIT_ORT) {
        const enum binding binding = w->what == ACTGEN_EMIT_TORCH ? BINDING_TORCH : BINDING_ORT;
        if (print_binding(&t, &w->emission, binding, error)) return error->status;
        return host_write(&w->out, t.data, t.length, error);
    }
    if (w->what != ACTGEN_EMIT_HEADER)
        return diag_set(error, DIAG_INVALID, "`what` is %d, which is no ACTGEN_EMIT_*", w->what);
    print_header(&t, &w->emission);
    return host_write(&w->out, t.data, t.length, error);
}

static bool is_prefix(const char *text)
{
    enum { LONGEST = 128 };
    if (isdigit((unsigned char)*text) || strlen(text) > LONGEST) return false;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    return !*text;
}

/* Returns DIAG_TARGET if the set has no such format. The message lists the formats that it has. */
static int refuse_format(const struct target_isa *isa, const char *name, struct diag *error)
{
    const struct target_format *format;
    char known[64] = "";
    if (target_format_find(isa, name)) return DIAG_OK;
    for (size_t i = 0; (format = target_format_at(isa, i)); i++) {
        const size_t length = strlen(known);
        snprintf(known + length, sizeof known - length, "%s%s", i ? ", " : "", format->name);
    }
    return diag_set(error, DIAG_TARGET, "an object for %s has no format `%.40s`; those of %s are: %s",
                    isa->name, name, target_architectures[isa->architecture].name, known);
}

static int read_options(struct emit_work *w, const actgen_emit_options *given, struct diag *error)
{
    struct emission *out = &w->emission;
    actgen_emit_options o = ACTGEN_EMIT_OPTIONS_INIT;
    if (take_options(&o, sizeof o, given, "ACTGEN_EMIT_OPTIONS_INIT", error)) return error->status;
    if (o.prefix && !is_prefix(o.prefix))
        return diag_set(error, DIAG_INVALID,
                        "the prefix `%.40s` is not the beginning of a C name of at most 128 letters",
                        o.prefix);
    for (size_t i = 0; i < out->count; i++)
        if (refuse_format(out->kernels[i]->isa, o.format, error)) return error->status;
    if (o.visibility != ACTGEN_VISIBILITY_HIDDEN && o.visibility != ACTGEN_VISIBILITY_DEFAULT)
        return diag_set(error, DIAG_INVALID, "options.visibility is %d, no ACTGEN_VISIBILITY_*",
                        (int)o.visibility);
    if (o.dispatch != ACTGEN_DISPATCH_POINTER && o.dispatch != ACTGEN_DISPATCH_IFUNC)
        return diag_set(error, DIAG_INVALID, "options.dispatch is %d, no ACTGEN_DISPATCH_*", (int)o.dispatch);
    if (o.abi < ACTGEN_ABI_ROWS || o.abi > ACTGEN_ABI_VECTOR)
        return diag_set(error, DIAG_INVALID, "options.abi is %d, no ACTGEN_ABI_*", (int)o.abi);
    out->abi = o.abi == ACTGEN_ABI_VECTOR ? ABI_VECTOR : o.abi == ACTGEN_ABI_SCALAR ? ABI_SCALAR : ABI_ROWS;
    out->dispatch = o.dispatch == ACTGEN_DISPATCH_IFUNC ? DISPATCH_IFUNC : DISPATCH_POINTER;
    out->header_name = o.header_name ? o.header_name : "kernels.h";
    out->prefix = o.prefix ? o.prefix : "";
    out->format = o.format;
    w->style = o.style ? o.style : "scalar";
    out->compact = o.compact != 0;
    out->exported = o.visibility == ACTGEN_VISIBILITY_DEFAULT;
    return DIAG_OK;
}

int actgen_emit_with(const actgen_kernel *const *kernels, size_t count, int what,
                     const actgen_emit_options *options, actgen_write_fn write, void *payload,
                     actgen_error *error)
{
    struct diag d = {0};
    ENTER_LIBRARY(host);
    struct emit_work w = {
        .emission = {.kernels = kernels, .count = count}, .what = what, .out = {&host, write, payload}};
    for (size_t i = 0; kernels && i < count; i++)
        if (!kernels[i]) return refuse_no_kernel(error);
    if (!kernels || !count || !write)
        diag_set(&d, DIAG_INVALID, "no kernels, or write is NULL");
    else if (!read_options(&w, options, &d))
        with_arena(NULL, emit_kernels, &w, &d);
    return d.status ? error_return(error, &d) : ACTGEN_OK;
}

int actgen_emit(const actgen_kernel *const *kernels, size_t count, int what, const char *header_name,
                actgen_write_fn write, void *payload, actgen_error *error)
{
    actgen_emit_options options = ACTGEN_EMIT_OPTIONS_INIT;
    options.header_name = header_name;
    return actgen_emit_with(kernels, count, what, &options, write, payload, error);
}

const char *actgen_style_name(size_t i)
{
    const char *last = "";
    for (size_t k = 0; source_style_at(k); k++) {
        const char *name = source_style_name(source_style_at(k));
        if (!strcmp(name, last)) continue; /* Styles of one name stand together. */
        last = name;
        if (!i--) return name;
    }
    return NULL;
}

const char *actgen_style_isa(const char *style, size_t i)
{
    for (size_t k = 0; style && source_style_at(k); k++) {
        const char *isa = source_style_isa(source_style_at(k));
        if (isa && !strcmp(source_style_name(source_style_at(k)), style) && !i--) return isa;
    }
    return NULL;
}
