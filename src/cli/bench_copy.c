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

static bool print_copy(struct buffer *text, const actgen_kernel *kernel)
{
    struct buffer sum = {0}, body = {0};
    size_t inputs = 0, results = 0;
    bool good = true;
    say(text, "kernel copy(", "");
    for (size_t i = 0; good && i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        good = !actgen_kernel_operand_info(kernel, i, &info);
        if (!good) break;
        if (info.is_result && !results) say(text, ") -> (", "");
        declare(text, &info, info.is_result ? !results : !inputs);
        if (!info.is_result) say(&sum, inputs++ ? " + " : "", info.name);
        if (!info.is_result) continue;
        results++;
        say(&body, "\n    ", info.name);
        say(&body, inputs == 1 ? " = max(" : " = ", sum.data);
        say(&body, inputs == 1 ? ", 0)" : "", "");
    }
    say(text, ") {", body.data ? body.data : "");
    say(text, "\n}\n", "");
    buffer_free(&sum);
    buffer_free(&body);
    return good && inputs;
}

actgen_kernel *bench_copy_kernel(actgen_engine *engine, const actgen_kernel *kernel)
{
    struct buffer text = {0};
    actgen_options options = ACTGEN_OPTIONS_INIT;
    actgen_spec *spec = NULL;
    actgen_kernel *copy = NULL;
    options.isa = actgen_kernel_isa(kernel);
    if (print_copy(&text, kernel) && !actgen_spec_parse(&spec, "copy.act", text.data, text.size, NULL))
        actgen_compile(&copy, engine, spec, NULL, &options, NULL);
    actgen_spec_free(spec);
    buffer_free(&text);
    return copy;
}
