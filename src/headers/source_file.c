/* Writes kernels as C source: what each computes and promises, and its functions. */
#include "header.h"

static const char use[] =
    "/* Made by actgen %d.%d.%d, whose licence puts no condition on this file. Do not edit.\n"
    " *\n"
    " * This file is all that there is to compile: C99, C11 or C++17, style `%s`%s%s. Its functions keep no\n"
    " * state, allocate nothing and call no library but the C compiler's own sqrt and fma (-lm).\n"
    " *\n"
    " * A kernel has three functions, unless its comment says otherwise. <kernel>%s takes values in a loop "
    "of "
    "yours.\n"
    " * <kernel> computes rows of cols elements that follow each other, and <kernel>_strided rows with "
    "gaps.\n"
    " * The first takes and returns numbers as they are computed. A result that is stored in fewer bits gets "
    "its\n"
    " * last rounding when it is stored.\n"
    " *\n"
    " * Results have the bits that actgen has measured, under round-to-nearest with subnormals on. Options "
    "that\n"
    " * change arithmetic, such as -ffast-math, are refused below. No text sees these of Clang: do not use\n"
    " * -ffp-contract=fast, -fno-honor-nans, -fno-honor-infinities, -funsafe-math-optimizations before 19. "
    "*/\n";

/* Returns the kernel as the style prints it. A copy of its program may become a table. */
static struct lane_kernel printed_kernel(arena *memory, const struct source_style *style,
                                         const actgen_kernel *k)
{
    const lane_program *own = k->lowered->kernel.program;
    struct lane_kernel kernel = k->called;
    /* A kernel with sums has other operands in its program. */
    kernel.program = kernel.has_sums ? lane_create(memory, &own->profile) : own;
    if (kernel.has_sums || !source_style_has_tables(style)) return kernel;
    struct text packed = text_new(memory);
    lane_pack(&packed, own);
    struct bytes b = {.data = (const unsigned char *)packed.data, .left = packed.length};
    const lane_program *copy = lane_unpack(memory, &own->profile, &b);
    if (!copy) return kernel;
    kernel.program = copy;
    kernel.program = lower_to_bytes(&kernel, &copy->profile);
    return kernel;
}

int print_source_file(struct text *out, const struct emission *e, struct diag *error)
{
    struct source_file *file = source_file_new(out->memory, e->style);
    for (size_t i = 0; i < e->count; i++) {
        const actgen_kernel *k = e->kernels[i];
        struct text comment = text_new(out->memory);
        const struct kernel_names n = kernel_names(out->memory, e, k->source->name);
        print_kernel_comment(&comment, e, i);
        const struct lane_kernel kernel = printed_kernel(out->memory, e->style, k);
        const int status = source_file_add(
            file, &kernel, &k->lowered->kernel,
            (struct source_names){
                .value = n.in_source, .tables = n.in_source, .kernel = n.pointers, .strided = n.strides},
            comment.data, error);
        if (status) return status;
    }
    const char *isa = source_style_isa(e->style);
    text_add(out, use, ACTGEN_VERSION_MAJOR, ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH,
             source_style_name(e->style), isa ? " for " : "", isa ? isa : "", source_style_endings(e->style));
    print_guard(out, e);
    source_file_print(out, file);
    text_add(out, "\n#endif\n");
    return DIAG_OK;
}
