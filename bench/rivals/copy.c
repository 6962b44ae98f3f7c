/* Makes the kernel that another is compared with: the same operands, moved and converted with the least
 * arithmetic. */
#include "operands.h"
#include "rivals.h"

#include <stdlib.h>
#include <string.h>

static void print_copy(struct buffer *text, const actgen_kernel *kernel)
{
    struct buffer sum = {0};
    size_t inputs = 0;
    add_text(text, "kernel copy", "");
    print_operands(text, kernel);
    add_text(text, " {\n", "");
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, i, &info);
        if (!info.is_result) {
            add_text(&sum, inputs++ ? " + " : "", info.name);
            continue;
        }
        const char *call = info.shape != ACTGEN_SHAPE_MATRIX ? "sum(" : inputs == 1 ? "max(" : "(";
        add_text(text, "    ", info.name);
        add_text(text, " = ", call);
        add_text(text, sum.data, !strcmp(call, "max(") ? ", 0)\n" : ")\n");
    }
    add_text(text, "}\n", "");
    buffer_free(&sum);
}

actgen_kernel *bench_copy_kernel(actgen_engine *engine, const actgen_kernel *kernel)
{
    struct buffer text = {0};
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = NULL;
    actgen_kernel *copy = NULL;
    options.isa = actgen_kernel_isa(kernel);
    print_copy(&text, kernel);
    if (!actgen_spec_parse(&spec, "copy.act", text.data, text.size, NULL))
        actgen_compile(&copy, engine, spec, NULL, &options, NULL);
    actgen_spec_free(spec);
    buffer_free(&text);
    return copy;
}
