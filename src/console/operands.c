/* Prints the operands of a kernel as a spec declares them. */
#include "operands.h"

#include <stdlib.h>
#include <string.h>

void add_text(struct buffer *text, const char *first, const char *second)
{
    buffer_write(text, first, strlen(first));
    buffer_write(text, second, strlen(second));
}

bool is_list(const actgen_operand_info *info)
{
    return info->shape == ACTGEN_SHAPE_ONE && info->layout == ACTGEN_LAYOUT_PACKED;
}

/* Writes one part of "[gate | up]: bf16", or for the first value of a list all of "c: f32[6]". */
static void declare(struct buffer *text, const actgen_operand_info *info, bool is_first)
{
    static const char *const shapes[] = {[ACTGEN_SHAPE_MATRIX] = "",
                                         [ACTGEN_SHAPE_COLS] = "[cols]",
                                         [ACTGEN_SHAPE_ROWS] = "[rows]",
                                         [ACTGEN_SHAPE_ONE] = "[]"};
    const bool is_last = info->part + 1 == info->parts;
    if (is_list(info)) {
        char *list = must_format("%s%.*s: %s[%u]", is_first ? "" : ", ", (int)strcspn(info->name, "["),
                                 info->name, actgen_type_name(info->type), info->parts);
        if (!info->part) add_text(text, list, "");
        free(list);
        return;
    }
    if (info->part)
        add_text(text, info->layout == ACTGEN_LAYOUT_PACKED ? " | " : ", ", info->name);
    else
        add_text(text, is_first ? "" : ", ", info->parts > 1 ? "[" : ""), add_text(text, info->name, "");
    if (!is_last) return;
    add_text(text, info->parts > 1 ? "]: " : ": ", actgen_type_name(info->type));
    if (!info->block && !info->block_rows) {
        add_text(text, shapes[info->shape], "");
        return;
    }
    char *rows = info->block_rows ? must_format("/%u", info->block_rows) : NULL,
         *cols = info->block ? must_format("/%u", info->block) : NULL;
    add_text(text, "[rows", rows ? rows : "");
    if (info->shape == ACTGEN_SHAPE_MATRIX) add_text(text, ", cols", cols ? cols : "");
    add_text(text, "]", "");
    free(rows);
    free(cols);
}

void print_operands(struct buffer *text, const actgen_kernel *kernel)
{
    bool is_result = false;
    add_text(text, "(", "");
    for (size_t i = 0; i < actgen_kernel_operand_count(kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        actgen_kernel_operand_info(kernel, i, &info);
        const bool begins_results = info.is_result && !is_result;
        if (begins_results) add_text(text, ") -> (", "");
        is_result = info.is_result != 0;
        declare(text, &info, i == 0 || begins_results);
    }
    add_text(text, ")", "");
}

void json_proof(struct json *j, const actgen_certificate *c)
{
    if (!c->proved_intervals) return;
    if (c->proved_ulp > 0) json_exact(j, "proved_ulp", c->proved_ulp);
    if (c->proved_abs > 0) json_exact(j, "proved_abs", c->proved_abs);
    json_exact(j, "proved_seen", c->proved_seen);
    json_count(j, "proved_intervals", c->proved_intervals);
}

char *proof_text(const actgen_certificate *c)
{
    if (!c->proved_intervals) return NULL;
    return must_format("proved: at most %.4g %s, by analysis of %llu intervals (%.4g were seen)",
                       c->proved_abs > 0 ? c->proved_abs : c->proved_ulp, c->proved_abs > 0 ? "abs" : "ulp",
                       (unsigned long long)c->proved_intervals, c->proved_seen);
}

void json_kernel(struct json *j, const actgen_kernel *kernel)
{
    struct buffer operands = {0};
    print_operands(&operands, kernel);
    json_text(j, "name", actgen_kernel_name(kernel));
    json_text(j, "operands", operands.data);
    json_text(j, "isa", actgen_kernel_isa(kernel));
    json_text(j, "accuracy", actgen_kernel_accuracy(kernel));
    json_text(j, "plan", actgen_kernel_plan(kernel));
    buffer_free(&operands);
}
