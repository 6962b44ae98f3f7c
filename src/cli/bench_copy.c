/* The kernel that a kernel is measured against: the same operands, moved and converted by the least arithmetic. */
#include "bench.h"
#include "file.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void say(struct buffer *text, const char *first, const char *second)
{
    buffer_write(text, first, strlen(first));
    buffer_write(text, second, strlen(second));
}

/* "[gate | up]: bf16", a part at a time. */
static void declare(struct buffer *text, const actgen_operand_info *info, bool is_first)
{
    static const char *const shapes[] = {[ACTGEN_SHAPE_MATRIX] = "",
                                         [ACTGEN_SHAPE_COLS] = "[cols]",
                                         [ACTGEN_SHAPE_ROWS] = "[rows]",
                                         [ACTGEN_SHAPE_ONE] = "[]"};
    const bool is_last = info->part + 1 == info->parts;
    if (info->part)
        say(text, info->layout == ACTGEN_LAYOUT_PACKED ? " | " : ", ", info->name);
    else
        say(text, is_first ? "" : ", ", info->parts > 1 ? "[" : ""), say(text, info->name, "");
    if (!is_last) return;
    say(text, info->parts > 1 ? "]: " : ": ", actgen_type_name(info->type));
    say(text, shapes[info->shape], "");
}

void print_operands(struct buffer *text, const actgen_kernel *kernel)
{
    bool is_result = false;
    say(text, "(", "");
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, i, &info);
        const bool begins_results = info.is_result && !is_result;
        if (begins_results) say(text, ") -> (", "");
        is_result = info.is_result != 0;
        declare(text, &info, i == 0 || begins_results);
    }
    say(text, ")", "");
}

static void print_copy(struct buffer *text, const actgen_kernel *kernel)
{
    struct buffer sum = {0};
    size_t inputs = 0;
    say(text, "kernel copy", "");
    print_operands(text, kernel);
    say(text, " {\n", "");
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, i, &info);
        if (!info.is_result) {
            say(&sum, inputs++ ? " + " : "", info.name);
            continue;
        }
        say(text, "    ", info.name);
        say(text, inputs == 1 ? " = max(" : " = ", sum.data);
        say(text, inputs == 1 ? ", 0)" : "", "\n");
    }
    say(text, "}\n", "");
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
