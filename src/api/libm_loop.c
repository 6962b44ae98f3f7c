/* The formulas of a kernel as a plain C loop on libm: what a user would write by hand, for comparison. */
#include "api.h"

/* One array of n elements for each name, whatever its type, shape and layout: float, or double where the kernel has f64. Random numbers
 * are drawn elsewhere, into arrays behind those. */
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
        text_add(&t, "%s[i]", k->operands[i].name);
        names[i] = t.data;
        text_add(out, ", %s%s *%s", i < k->input_count ? "const " : "", type, k->operands[i].name);
    }
    for (uint32_t i = 0; i < k->draw_count; i++) {
        struct text t = text_new(out->memory);
        text_add(&t, "drawn_%u[i]", (unsigned)i);
        names[k->operand_count + i] = t.data;
        text_add(out, ", const %s *drawn_%u /* %s */", type, (unsigned)i,
                 k->operands[k->operand_count + i].name);
    }
    text_add(out, ")\n{\n    for (size_t i = 0; i < n; i++) {\n");
    for (uint32_t i = 0; i < k->result_count; i++) {
        text_add(out, "        %s = ", names[k->results[i].operand]);
        expr_print_c(out, k->results[i].value, names, suffix);
        text_add(out, ";\n");
    }
    text_add(out, "    }\n}\n");
}
