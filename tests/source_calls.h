/* Writes functions of the form of actgen_fn that call the functions of C source. */
#ifndef ACTGEN_TEST_SOURCE_CALLS_H
#define ACTGEN_TEST_SOURCE_CALLS_H

#include "matrix.h"

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

/* Writes the function `name`, which calls `called`, with the operands of the kernel that `m` has taken. */
static inline void source_calls_add(FILE *file, const struct matrix *m, const char *name, const char *called)
{
    static const char parameters[] = "(size_t rows, size_t cols, const operand *o)";
    fprintf(file, "void %s%s;\nvoid %s%s\n{\n    %s(rows, cols", name, parameters, name, parameters, called);
    for (size_t g = 0; g < m->group_count; g++) {
        fprintf(file, ", (%s%s *)o[%zu].data", m->groups[g].info.is_result ? "" : "const ",
                element_types[m->groups[g].type].c_type, g);
        if (matrix_has_rows(&m->groups[g])) fprintf(file, ", o[%zu].stride", g);
    }
    fprintf(file, ");\n}\n");
}

#endif
