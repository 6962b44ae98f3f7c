/* Functions of values: which kernels can have them, their names, and their declarations.
 *
 * The names of vector functions are those of the vector function ABIs (target/vector_abi.def):
 * _ZGV<letter><N or M><lanes><letters of operands>_<scalar function>. */
#include "header.h"
#include "interp.h"

#include <stdio.h>
#include <string.h>

/* -- refusals -- */

static bool is_list(const struct kernel_operand *o) { return operand_is_list(o->shape, o->layout); }

/* Returns why the operand cannot be a value of the type, or NULL. */
static const char *fault_of_operand(const struct kernel_operand *o, enum element_type type)
{
    if (o->block_rows) return "has one value for several rows, and such a call has no rows";
    if (o->shape == SHAPE_ROWS) return "has one value per row, and such a call has no rows";
    if (o->shape == SHAPE_COLS) return "has one value per column, and such a call has no columns";
    if (o->block) return "has one value for several columns, and such a call has no columns";
    if (is_list(o)) return "is a list of values";
    if (o->type != ELEMENT_F32 && o->type != ELEMENT_F64) return "is neither f32 nor f64";
    return o->type != type ? "has another type than the result" : NULL;
}

static int refuse_values(const actgen_kernel *k, const char *reason, struct diag *error)
{
    return diag_set(error, DIAG_INVALID,
                    "`%s` cannot be a function of values (options.abi, --abi): %s; an object without that "
                    "option can have it",
                    k->source->name, reason);
}

static int check_operands(const actgen_kernel *k, struct diag *error)
{
    const struct lane_kernel *kernel = &k->called;
    const struct kernel_operand *last = &kernel->operands[kernel->operand_count - 1];
    uint32_t results = 0;
    for (uint32_t i = 0; i < kernel->operand_count; i++) results += kernel->operands[i].is_result;
    for (uint32_t i = 0; i < kernel->operand_count; i++)
        if (kernel_is_value_of_row(&kernel->operands[i]))
            return refuse_values(k, "it has a result of shape [rows]", error);
    if (kernel->has_sums) return refuse_values(k, "it has sums over rows or columns", error);
    if (kernel->draw_count) return refuse_values(k, "it draws random numbers", error);
    if (kernel->made_count) return refuse_values(k, "it uses the place of its elements, row or col", error);
    if (results != 1) return refuse_values(k, "it has several results, and a function returns one", error);
    for (uint32_t i = kernel->operand_count; i-- > 0;) { /* the result first, whose type the others have */
        char reason[DIAG_MESSAGE_SIZE];
        const char *fault = fault_of_operand(&kernel->operands[i], last->type);
        if (!fault) continue;
        snprintf(reason, sizeof reason, "its operand '%.64s' %s", kernel->operands[i].name, fault);
        return refuse_values(k, reason, error);
    }
    return DIAG_OK;
}

static int check_vectors(const struct emission *e, const struct target_isa *isa, struct diag *error)
{
    const struct target_format *format = target_format_find(isa, e->format);
    const struct target_vector_abi *abi;
    for (size_t i = 0; (abi = target_vector_abi_at(i)); i++)
        if (abi->architecture == isa->architecture && format->vector_functions) return DIAG_OK;
    return diag_set(
        error, DIAG_TARGET,
        "objects of the format %s for %s have no vector functions (options.abi, --abi vector): elf "
        "objects for x86-64 and arm64 have them, and the abi `scalar` works here",
        format->name, isa->name);
}

int check_values(const struct emission *e, const actgen_kernel *k, struct diag *error)
{
    if (target_has_grid(k->isa))
        return diag_set(
            error, DIAG_TARGET,
            "code for GPUs (%s) is launched for rows, and has no functions of values (options.abi, "
            "--abi); all other instruction sets have them",
            k->isa->name);
    const int status = check_operands(k, error);
    return status || e->abi != ABI_VECTOR ? status : check_vectors(e, k->isa, error);
}

/* -- names -- */

static bool has_uniform(const struct lane_kernel *kernel)
{
    bool found = false;
    for (uint32_t i = 0; i < kernel->operand_count; i++)
        found |= !kernel->operands[i].is_result && kernel->operands[i].shape == SHAPE_ONE;
    return found;
}

static const char *vector_name(arena *memory, const char *scalar, const struct lane_kernel *kernel,
                               const struct backend_values *how)
{
    const enum element_type type = kernel->operands[kernel->operand_count - 1].type;
    struct text t = text_new(memory);
    text_add(&t, "_ZGV%c%c", how->abi->letter, how->masked ? 'M' : 'N');
    if (how->abi->scalable)
        text_add(&t, "x");
    else
        text_add(&t, "%u", how->abi->bytes / element_types[type].bytes);
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        if (!o->is_result) text_add(&t, how->is_uniform && o->shape == SHAPE_ONE ? "u" : "v");
    }
    text_add(&t, "_%s", scalar);
    return t.data;
}

/* Returns true if the object can have functions of that ABI. Only scalable sets have vectors whose length the
 * processor decides. A vector of one lane is no vector. */
static bool suits_abi(const struct emission *e, const actgen_kernel *k, const struct target_vector_abi *abi)
{
    const struct lane_kernel *kernel = &k->called;
    bool has_length = !abi->scalable;
    if (abi->architecture != k->isa->architecture) return false;
    if (abi->bytes < 2 * element_types[kernel->operands[kernel->operand_count - 1].type].bytes) return false;
    for (size_t i = 0; i < e->count; i++)
        has_length |= e->kernels[i]->isa->scalable && !strcmp(e->kernels[i]->source->name, k->source->name);
    return has_length;
}

/* Returns true if lanes that are off may compute with zeros. A value for all lanes is not known here. */
static bool may_zero(const struct emission *e, const actgen_kernel *k, const struct backend_values *how)
{
    bool quiet = how->masked && !(how->is_uniform && has_uniform(&k->called));
    for (size_t i = 0; quiet && i < e->count; i++)
        if (!strcmp(e->kernels[i]->source->name, k->source->name))
            quiet = interp_is_quiet_at_zero(&e->kernels[i]->lowered->kernel);
    return quiet;
}

size_t list_value_calls(arena *memory, struct backend_call out[MOST_VALUE_CALLS], const struct emission *e,
                        const actgen_kernel *k)
{
    const char *name = k->source->name, *scalar = kernel_names(memory, e, name).values;
    const struct target_vector_abi *abi;
    const unsigned forms = has_uniform(&k->called) ? 2 : 1;
    size_t count = 0;
    out[count++] = (struct backend_call){scalar, name, CALL_VALUES, {0}};
    for (size_t i = 0; e->abi == ABI_VECTOR && (abi = target_vector_abi_at(i)); i++)
        for (unsigned form = 0; form < 2 * forms && suits_abi(e, k, abi); form++) {
            struct backend_values how = {abi, form % 2, form / 2, false};
            if (abi->scalable && !how.masked) continue;
            how.zeroed = may_zero(e, k, &how);
            const char *symbol = vector_name(memory, scalar, &k->called, &how);
            out[count++] = (struct backend_call){symbol, name, CALL_VALUES, how};
        }
    return count;
}

/* -- the header -- */

static const char use[] = "\n"
                          "/* Functions of values take one value of each input and return the result, with "
                          "the bits that a call over\n"
                          " * rows has on that processor. They read no memory of the caller's. */\n"
                          "#ifdef __GNUC__\n"
                          "#define %s_PURE __attribute__((__const__, __nothrow__))\n"
                          "#else\n"
                          "#define %s_PURE\n"
                          "#endif\n";

static const char vector_use[] = "/* The object also has their vector forms, such as _ZGVdN8v_<kernel>. GCC "
                                 "calls those from the loops that it\n"
                                 " * vectorises (-O3, or -O2 -ftree-vectorize), by the attribute below. "
                                 "Forms for operands that are the same\n"
                                 " * in all turns (`uniform`) need -fopenmp. Clang vectorises no such loop: "
                                 "it calls the function for one\n"
                                 " * value. */\n"
                                 "#if defined __GNUC__ && !defined __clang__%s\n"
                                 "#define %s_SIMD __attribute__((__simd__))\n"
                                 "#else\n"
                                 "#define %s_SIMD\n"
                                 "#endif\n";

static const char *macro_name(arena *memory, const struct emission *e)
{
    struct text t = text_new(memory);
    print_guard_name(&t, e);
    return t.data;
}

void print_value_use(struct text *out, const struct emission *e)
{
    const char *macro = macro_name(out->memory, e);
    bool has_scalable = false;
    for (size_t i = 0; i < e->count; i++) has_scalable |= e->kernels[i]->isa->scalable;
    text_add(out, use, macro, macro);
    if (e->abi != ABI_VECTOR) return;
    /* GCC takes the forms for SVE for given wherever it compiles for SVE. */
    const bool lacks_length = e->kernels[0]->isa->architecture == ARCHITECTURE_ARM64 && !has_scalable;
    text_add(out, vector_use, lacks_length ? " && !defined __ARM_FEATURE_SVE" : "", macro, macro);
}

static void print_prototype(struct text *out, const struct emission *e, const actgen_kernel *k)
{
    const struct lane_kernel *kernel = &k->called;
    const struct kernel_operand *last = &kernel->operands[kernel->operand_count - 1];
    const char *separator = "";
    text_add(out, "%s %s(", element_types[last->type].c_type,
             kernel_names(out->memory, e, k->source->name).values);
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        if (o->is_result) continue;
        text_add(out, "%s%s %s_value", separator, element_types[o->type].c_type, o->name);
        separator = ", ";
    }
    text_add(out, ");\n");
}

/* Prints the declaration for OpenMP, in which some operands are uniform. */
static void print_openmp(struct text *out, const struct lane_kernel *kernel)
{
    const char *separator = "";
    text_add(out, "#pragma omp declare simd\n#pragma omp declare simd uniform(");
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        if (o->is_result || o->shape != SHAPE_ONE) continue;
        text_add(out, "%s%s_value", separator, o->name);
        separator = ", ";
    }
    text_add(out, ")\n");
}

void print_value_declaration(struct text *out, const struct emission *e, const actgen_kernel *k)
{
    const char *macro = macro_name(out->memory, e);
    const bool is_vector = e->abi == ABI_VECTOR, uniform = is_vector && has_uniform(&k->called);
    if (uniform) {
        text_add(out, "#ifdef _OPENMP\n");
        print_openmp(out, &k->called);
        text_add(out, "#else\n%s_SIMD\n#endif\n", macro);
    }
    text_add(out, "%s_PURE%s%s%s ", macro, is_vector && !uniform ? " " : "",
             is_vector && !uniform ? macro : "", is_vector && !uniform ? "_SIMD" : "");
    print_prototype(out, e, k);
}
