/* Writes functions of the form of actgen_fn that call the functions of C source. */
#ifndef ACTGEN_TEST_SOURCE_CALLS_H
#define ACTGEN_TEST_SOURCE_CALLS_H

#include "actgen.h"
#include "types.h"

#include <stdio.h>

/* Writes what stands before the functions. */
static inline void source_calls_begin(FILE *file, const char *header)
{
    fprintf(file,
            "#include \"%s\"\ntypedef struct { void *data; size_t stride; } operand;\n"
            "#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
            header);
}

static inline void source_calls_end(FILE *file) { fprintf(file, "#ifdef __cplusplus\n}\n#endif\n"); }

/* Writes what adds the stride of the operand, if it is the number of the first row, to its value. */
static inline void source_calls_count(FILE *file, const actgen_operand_info *info)
{
    if (info->type == ACTGEN_U64)
        fprintf(file, "    const uint64_t first%u = *(const uint64_t *)o[%u].data + o[%u].stride;\n",
                (unsigned)info->group, (unsigned)info->group, (unsigned)info->group);
}

/* Writes the function `name`, which calls `called`, a function with the kernel's operands and strides. */
static inline void source_calls_add(FILE *file, const actgen_kernel *kernel, const char *name,
                                    const char *called)
{
    static const char parameters[] = "(size_t rows, size_t cols, const operand *o)";
    const size_t count = actgen_kernel_operand_count(kernel);
    size_t group = 0;
    fprintf(file, "void %s%s;\nvoid %s%s\n{\n", name, parameters, name, parameters);
    for (size_t k = 0; k < count; k++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (!actgen_kernel_operand_info(kernel, k, &info)) source_calls_count(file, &info);
    }
    fprintf(file, "    %s(rows, cols", called);
    for (size_t k = 0; k < count; k++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (actgen_kernel_operand_info(kernel, k, &info) || info.group != group) continue;
        if (info.type == ACTGEN_U64)
            fprintf(file, ", &first%zu", group);
        else
            fprintf(file, ", (%s%s *)o[%zu].data", info.is_result ? "" : "const ",
                    element_types[info.type].c_type, group);
        if (info.shape == ACTGEN_SHAPE_MATRIX || info.shape == ACTGEN_SHAPE_ROWS)
            fprintf(file, ", o[%zu].stride", group);
        group++;
    }
    fprintf(file, ");\n}\n");
}

#endif
