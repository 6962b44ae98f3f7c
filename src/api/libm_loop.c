/* Prints the formulas of a kernel as a plain C loop on libm, as a user would write it by hand. It serves for
 * comparison. */
#include "api.h"

/* Adds an array parameter for values that the loop does not compute. The comment in the output says what they
 * are. */
static const char *add_array(struct text *out, const char *type, const char *kind, uint32_t number,
                             const char *comment)
{
    struct text t = text_new(out->memory);
    text_add(&t, "%s_%u[i]", kind, (unsigned)number);
    text_add(out, ", const %s *%s_%u /* %s */", type, kind, (unsigned)number, comment);
    return t.data;
}

/* Prints a function with one array of n elements for each name, whatever its type, shape and layout. The
 * arrays are float, or double if the kernel has an f64. The name ends in _data, as in headers, because an
 * operand may be called `n` or `i` or like a macro. Arrays for random numbers and for sums over rows come
 * last, because the function does not compute them. */
void print_libm_loop(struct text *out, const actgen_kernel *kernel)
{
    const struct spec_kernel *k = kernel->source;
    const char *names[SPEC_MAX_OPERANDS];
    const char *type = "float", *suffix = "f";
    for (uint32_t i = 0; i < k->operand_count; i++)
        if (k->operands[i].type == ELEMENT_F64) type = "double", suffix = "";
    text_add(out,
             "#include <math.h>\n#include <stddef.h>\n\n"
             "static inline %s smaller%s(%s a, %s b) { return a < b ? a : b; }\n"
             "static inline %s larger%s(%s a, %s b) { return a > b ? a : b; }\n\n"
             "void %s_libm(size_t n",
             type, suffix, type, type, type, suffix, type, type, k->name);
    for (uint32_t i = 0; i < k->operand_count; i++) {
        struct text t = text_new(out->memory);
        text_add(&t, "%s_data[i]", k->operands[i].name);
        names[i] = t.data;
        text_add(out, ", %s%s *%s_data", i < k->input_count ? "const " : "", type, k->operands[i].name);
    }
    const uint32_t count = k->operand_count + k->made_count;
    for (uint32_t i = 0; i < k->made_count; i++)
        names[k->operand_count + i] = add_array(out, type, "made", i, k->operands[k->operand_count + i].name);
    for (uint32_t i = 0; i < k->total_count; i++)
        names[count + i] = add_array(out, type, "total", i, spec_total_text(out->memory, k, i));
    text_add(out, ")\n{\n    for (size_t i = 0; i < n; i++) {\n");
    for (uint32_t i = 0; i < k->result_count; i++) {
        text_add(out, "        %s = ", names[k->results[i].operand]);
        expr_print_c(out, k->results[i].value, names, suffix);
        text_add(out, ";\n");
    }
    text_add(out, "    }\n}\n");
}
