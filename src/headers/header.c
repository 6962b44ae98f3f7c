/* Writes the C header for an object: what each kernel computes and promises, and its declarations. The header
 * also works in C++. */
#include "header.h"
#include "hash.h"
#include "sums.h"

#include <ctype.h>
#include <string.h>

/* Returns a short hash of what the header declares. */
static unsigned hash_of_content(arena *memory, const struct emission *e)
{
    struct text t = text_new(memory);
    const char *isa = e->style ? source_style_isa(e->style) : NULL;
    text_add(&t, "%s %s %d", e->style ? source_style_name(e->style) : "", isa ? isa : "", (int)e->abi);
    for (size_t i = 0; i < e->count; i++)
        if (is_first_of_name(e, i)) print_kernel_comment(&t, e, i);
    return (unsigned)(hash_bytes(t.data, t.length, 0) & UINT32_MAX);
}

void print_guard_name(struct text *out, const struct emission *e)
{
    struct text name = text_new(out->memory);
    text_add(&name, "ACTGEN_GENERATED_%s%s_%08x", e->prefix, e->header_name, hash_of_content(out->memory, e));
    for (char *c = name.data; *c; c++)
        *c = isalnum((unsigned char)*c) ? (char)toupper((unsigned char)*c) : '_';
    text_bytes(out, name.data, name.length);
}

void print_guard(struct text *out, const struct emission *e)
{
    text_add(out, "#ifndef ");
    print_guard_name(out, e);
    text_add(out, "\n#define ");
    print_guard_name(out, e);
    text_add(out, "\n\n");
}

/* Returns true if the object is for a GPU. All instruction sets of an object have one architecture. */
static bool is_for_grid(const struct emission *e) { return target_has_grid(e->kernels[0]->isa); }

static const char use[] =
    " *\n"
    " * Link the object that was written with this header. It needs no library.%s\n"
    " * Its functions keep no state, allocate nothing and start no thread. Many threads may run them at\n"
    " * once. They touch no floating-point state, and keep their bounds under round-to-nearest with\n"
    " * subnormals on.\n"
    " *\n"
    " * Threads can share a call by its rows. Each thread calls <kernel>_strided with the number of its\n"
    " * own rows, and with pointers to the first of them. Rows that share an element of an input belong\n"
    " * to one thread. A kernel with a workspace has sums or values of rows, and is called for all rows\n"
    " * at once.\n"
    " *\n";

static const char use_of_grid[] =
    " *\n"
    " * The text that was written with this header is PTX. Append a 0 to it, and pass it to\n"
    " * cuModuleLoadData. Pass the name of an entry below to cuModuleGetFunction. Launch the entry by\n"
    " * cuLaunchKernel, with the parameters of its declaration in their order. A parameter has 8 bytes.\n"
    " * An operand of <kernel>_kernel has 16 bytes and is passed by value.\n"
    " *\n"
    " * Pointers are to memory of the GPU, and are aligned to their elements. If the rows of all\n"
    " * operands begin at multiples of 16 bytes, accesses have 16 bytes.\n"
    " *\n"
    " * Any grid of any blocks gives the same bits, if z is 1 in both. The threads of x share the\n"
    " * columns, and the threads of y share the rows. All threads share a single row, and rows without\n"
    " * gaps count as a single row. Blocks of up to 256 threads can always be launched.\n"
    " * actgen_launch_for() proposes a grid. In a kernel with sums, the 32 threads of a warp share a row.\n"
    " * Its blocks need 32 threads or more, and actgen_launch_for_rows() proposes a grid. Entries keep no\n"
    " * state and allocate nothing. */\n";

static const char environment[] =
    " It calls secure_getenv or\n"
    " * getenv, if the program has it: ACTGEN_ISA may name the best instruction set that it may use.";

/* Returns true if the object reads the environment. It does so if calls choose among sets when they run, and
 * if the format has weak symbols for functions that may be missing. */
static bool asks_environment(const struct emission *e)
{
    bool chooses = false;
    for (size_t i = 0; i < e->count; i++) chooses |= !is_first_of_name(e, i);
    return chooses && e->dispatch == DISPATCH_POINTER &&
           target_format_find(e->kernels[0]->isa, e->format)->weak_symbols;
}

static void print_opening(struct text *out, const struct emission *e)
{
    const bool grid = is_for_grid(e);
    text_add(out, "/* Made by actgen %d.%d.%d, whose licence puts no condition on this file. Do not edit.\n",
             ACTGEN_VERSION_MAJOR, ACTGEN_VERSION_MINOR, ACTGEN_VERSION_PATCH);
    text_add(out, grid ? use_of_grid : use, asks_environment(e) ? environment : "");
    if (!grid)
        text_add(out, e->exported ? " * Other programs and libraries can call the functions as well, except "
                                    "<kernel>_<isa>. */\n"
                                  : " * Only the program or library that the object is linked into can call "
                                    "the functions. */\n");
    print_guard(out, e);
}

static const char prologue[] =
    "#include <stddef.h>\n"
    "#include <stdint.h>\n"
    "\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "\n"
    "/* An operand of a kernel. `data` is const so that inputs need no cast. A call writes to the data\n"
    " * of a result. `stride` is the number of elements from one row to the next, or from one value to\n"
    " * the next for shape [rows]. 0 means that there is no gap. Rows of u1, e2m1 and i4 begin at bytes:\n"
    " * their strides are multiples of 8, 2 and 2. actgen.h has the same struct, and either header may come "
    "first. */\n"
    "#ifndef ACTGEN_OPERAND\n"
    "#define ACTGEN_OPERAND\n"
    "typedef struct actgen_operand {\n"
    "    const void *data;\n"
    "    size_t stride;\n"
    "} actgen_operand;\n"
    "#endif\n";

/* Functions of the header that propose grids. A block has 256 threads, at least 32 of them side by side. A
 * thread has 8 elements or more. What a thread does before its first element takes as long as some elements
 * do, so large calls have 2048 blocks, which fill the largest GPUs: gelu then takes 0.65 of the time (an
 * H200). */
static const char launch[] =
    "\n"
    "/* A grid for cuLaunchKernel: blocks, and threads per block, on the axes x and y. z has one. */\n"
    "#ifndef ACTGEN_LAUNCH\n"
    "#define ACTGEN_LAUNCH\n"
    "typedef struct actgen_launch {\n"
    "    unsigned blocks_x, blocks_y, threads_x, threads_y;\n"
    "} actgen_launch;\n"
    "\n"
    "static inline actgen_launch actgen_launch_for(size_t rows, size_t cols)\n"
    "{\n"
    "    const size_t most = 2048;\n"
    "    actgen_launch l = {1, 1, 32, 8};\n"
    "    while (l.threads_x < 256 && (size_t)8 * l.threads_x < cols) l.threads_x *= 2;\n"
    "    l.threads_y = 256 / l.threads_x;\n"
    "    const size_t x = cols / (8 * l.threads_x) + 1, y = rows / l.threads_y + 1;\n"
    "    l.blocks_x = (unsigned)(x < most ? x : most);\n"
    "    l.blocks_y = (unsigned)(y < most / l.blocks_x + 1 ? y : most / l.blocks_x + 1);\n"
    "    return l;\n"
    "}\n"
    "\n"
    "/* A grid for kernels with sums, whose warps take a row each. */\n"
    "static inline actgen_launch actgen_launch_for_rows(size_t rows)\n"
    "{\n"
    "    const size_t warps = 4, blocks = rows / warps + 1, most = 65535;\n"
    "    actgen_launch l = {(unsigned)(blocks < most ? blocks : most), 1, 32, (unsigned)warps};\n"
    "    return l;\n"
    "}\n"
    "#endif\n";

/* Prints the text of a kernel as comment lines. */
static void print_source(struct text *out, const actgen_kernel *k)
{
    struct text source = text_new(out->memory);
    spec_print_kernel(&source, k->spec, k->source);
    for (const char *line = source.data; *line;) {
        size_t length = strcspn(line, "\n");
        text_add(out, " *     %.*s\n", (int)length, line);
        line += length + (line[length] == '\n');
    }
}

/* Prints the kernel's certificate, which belongs to one instruction set or to all of a profile. */
static void print_promise(struct text *out, const actgen_kernel *k, bool for_isa)
{
    const bool by_times = k->tuning.record;
    const actgen_certificate c = kernel_certificate(k);
    if (for_isa) text_add(out, " * %s, planned", k->isa->name);
    text_add(out, "%s %s %s (profile %s): %s%s, by\n *     %s\n", for_isa ? "" : " * Planned",
             by_times ? "by times on" : "for", by_times ? k->tuning.processor : k->core->name, c.profile,
             c.accuracy, c.is_whole ? "" : " for each function of one value", c.plan);
    if (c.proved_intervals)
        text_add(out, " *     proved: at most %.4g %s, by analysis of %llu intervals (%.4g were seen)\n",
                 c.proved_abs > 0 ? c.proved_abs : c.proved_ulp, c.proved_abs > 0 ? "abs" : "ulp",
                 (unsigned long long)c.proved_intervals, c.proved_seen);
    if (c.exhaustive)
        text_add(
            out,
            " *     all 2^32 inputs%s: at most %.4g ulp, at 0x%08x (%.9g), and %.3g abs, at 0x%08x (%.9g)\n",
            c.is_whole ? "" : " of each", c.max_ulp, c.max_ulp_at_bits, c.max_ulp_at, c.max_abs,
            c.max_abs_at_bits, c.max_abs_at);
    else if (c.inputs)
        text_add(out,
                 " *     measured on %llu inputs: at most %.4g ulp, at %.9g (0x%08x), and %.3g abs, at "
                 "%.9g (0x%08x)\n",
                 (unsigned long long)c.inputs, c.max_ulp, c.max_ulp_at, c.max_ulp_at_bits, c.max_abs,
                 c.max_abs_at, c.max_abs_at_bits);
}

/* Prints the instruction sets in which the kernels of that name run. */
static void print_processors(struct text *out, const struct emission *e, const char *name)
{
    const struct target_isa *last = NULL;
    size_t found = 0;
    text_add(out, " * Instruction set: ");
    for (size_t n = 0; target_isa_at(n); n++)
        for (size_t i = 0; i < e->count; i++) {
            if (e->kernels[i]->isa != target_isa_at(n) || strcmp(e->kernels[i]->source->name, name)) continue;
            last = target_isa_at(n);
            text_add(out, "%s%s", found++ ? ", else " : "", last->name);
        }
    text_add(out, "%s.\n",
             found > 1 ? ". A call runs the first one that the processor and the system have" : "");
    if (target_has_grid(last)) text_add(out, " * Needs a GPU: %s.\n", last->processors);
    if (last->needs)
        text_add(out,
                 " * Needs a processor with %s.\n"
                 " * Other processors end the program with SIGILL. More sets in --isa let it run on more.\n",
                 last->processors);
}

/* Prints the shape of an operand whose elements blocks of rows share. */
static void print_shared_by_rows(struct text *out, const struct kernel_operand *o)
{
    if (o->shape == SHAPE_ROWS)
        text_add(out, "rows/%u values, rounded up, one per %u rows", o->block_rows, o->block_rows);
    else if (o->block)
        text_add(out, "rows/%u rows of cols/%u elements, both rounded up, one for %u rows and %u columns",
                 o->block_rows, o->block, o->block_rows, o->block);
    else
        text_add(out, "rows/%u rows, rounded up, of cols elements, one for %u rows", o->block_rows,
                 o->block_rows);
}

/* Prints what each pointer of the typed calls points to. */
static void print_parameters(struct text *out, const actgen_kernel *k)
{
    static const char *const values[] = {[SHAPE_COLS] = "cols values, one per column",
                                         [SHAPE_ROWS] = "rows values, one per row",
                                         [SHAPE_ONE] = "one value"};
    const struct lane_kernel *kernel = &k->called;
    const struct kernel_parameter *list = kernel_parameters(out->memory, kernel);
    text_add(out, " * Operands, inputs then results:\n");
    for (uint32_t g = 0; g < kernel->group_count; g++) {
        const struct kernel_operand *o = list[g].names;
        const bool is_list = operand_is_list(o->shape, o->layout);
        text_add(out, " *     %s: %s, ", list[g].name, element_types[o->type].name);
        if (is_list)
            text_add(out, "%u value%s", o->parts, o->parts == 1 ? "" : "s");
        else if (o->block_rows)
            print_shared_by_rows(out, o);
        else if (o->shape != SHAPE_MATRIX)
            text_add(out, "%s", values[o->shape]);
        else if (o->block)
            text_add(out, "rows of cols/%u elements, rounded up, one for %u columns", o->block, o->block);
        else if (o->parts == 1)
            text_add(out, "rows of cols elements");
        else
            text_add(out, "rows of %u*cols elements: ", o->parts);
        for (uint32_t i = 0; !is_list && o->parts > 1 && i < o->parts; i++)
            text_add(out, "%s%s",
                     i == 0                       ? ""
                     : o->layout == LAYOUT_PACKED ? ", then all of "
                                                  : ", ",
                     o[i].name);
        text_add(out, "%s%s\n", o->layout == LAYOUT_INTERLEAVED ? ", in turn" : "",
                 element_is_bit(o->type) ? ", 8 bits per byte, the lowest first; a row begins at a byte"
                 : element_is_nibble(o->type)
                     ? ", 2 per byte, the even one in the low half; a row begins at a byte"
                     : "");
    }
    text_add(
        out,
        " * A result of whole bytes may take the place of an input of its shape, or of one part of a packed\n"
        " * input, if type and stride are equal. Other overlap is not allowed. */\n");
}

static void print_typed_call(struct text *out, const actgen_kernel *k, const char *function, bool strided)
{
    const struct lane_kernel *kernel = &k->called;
    const struct kernel_parameter *list = kernel_parameters(out->memory, kernel);
    text_add(out, "void %s(size_t rows, size_t cols", function);
    for (uint32_t g = 0; g < kernel->group_count; g++) {
        const struct kernel_operand *o = list[g].names;
        text_add(out, ", %s%s *%s", o->is_result ? "" : "const ", element_types[o->type].c_type,
                 list[g].data);
        if (strided && list[g].stride) text_add(out, ", size_t %s", list[g].stride);
    }
    text_add(out, "%s);\n", kernel->has_sums && !target_has_grid(k->isa) ? ", void *workspace" : "");
}

/* Prints the entries of a GPU's object as a comment. A C program cannot call them. */
static void print_entries(struct text *out, const struct emission *e, const actgen_kernel *k)
{
    static const char line[] = " *     ";
    const struct kernel_names names = kernel_names(out->memory, e, k->source->name);
    text_add(out, "/* Entries:\n%s", line);
    print_typed_call(out, k, names.pointers, false);
    text_add(out, "%s", line);
    print_typed_call(out, k, names.strides, true);
    text_add(out, "%svoid %s(size_t rows, size_t cols, actgen_operand operands[%u]); */\n", line,
             names.operands, (unsigned)k->called.group_count);
}

/* Prints a function that computes the same as sums_workspace(). */
void print_workspace(struct text *out, const char *function, const struct lane_kernel *kernel)
{
    text_add(out,
             "/* Returns the bytes of the workspace that a call needs. It is aligned to 16 bytes.\n"
             " * %s_kernel takes it as one more operand. */\n"
             "static inline size_t %s_workspace(size_t rows, size_t cols)\n{\n"
             "    size_t tile = %d, block = 0;\n    while (tile > 1 && cols > %d / tile) tile /= 2;\n",
             function, function, SUMS_BLOCK_ROWS, SUMS_TILE);
    struct sums_part parts[SUMS_MOST_PARTS];
    const uint32_t count = sums_parts(kernel, parts);
    for (uint32_t n = 0; n < count; n++) {
        static const char *const extents[] = {"", " * cols", " * tile * cols"};
        const uint32_t own = parts[n].block;
        const unsigned last = SUMS_ALIGNMENT - 1;
        if (!parts[n].count) continue;
        text_add(out, "    block += ((%u%s", parts[n].count, own ? "" : extents[parts[n].extent]);
        if (own) text_add(out, " * tile * (cols / %u + (cols %% %u != 0))", own, own);
        text_add(out, " + %d) * %u + %u) / %u * %u;\n", SUMS_ROOM, lane_type_bytes(parts[n].type), last,
                 last + 1, last + 1);
    }
    text_add(out, "    return block * (rows / %d + (rows %% %d != 0));\n}\n", SUMS_BLOCK_ROWS,
             SUMS_BLOCK_ROWS);
}

static void print_functions(struct text *out, const struct emission *e, const actgen_kernel *k)
{
    static const char signature[] = "(size_t rows, size_t cols, const actgen_operand *operands)";
    const struct kernel_names names = kernel_names(out->memory, e, k->source->name);
    if (k->called.has_sums) print_workspace(out, names.pointers, &k->called);
    if (names.values) print_value_declaration(out, e, k);
    print_typed_call(out, k, names.pointers, false);
    print_typed_call(out, k, names.strides, true);
    text_add(out, "void %s%s;\n", names.operands, signature);
    for (size_t i = 0; i < e->count; i++)
        if (!strcmp(e->kernels[i]->source->name, k->source->name))
            text_add(out, "void %s%s;\n", kernel_symbol(out->memory, e->prefix, e->kernels[i]), signature);
}

void print_kernel_comment(struct text *out, const struct emission *e, size_t kernel)
{
    const actgen_kernel *k = e->kernels[kernel];
    const bool for_isa = !e->style || source_style_isa(e->style);
    struct text source = text_new(out->memory);
    print_source(&source, k);
    text_add(out, "/* %s", source.data + 3); /* without the first line's " * " */
    for (size_t j = kernel; j < e->count; j++)
        if (!strcmp(e->kernels[j]->source->name, k->source->name)) print_promise(out, e->kernels[j], for_isa);
    if (for_isa) print_processors(out, e, k->source->name);
    print_parameters(out, k);
}

void print_header(struct text *out, const struct emission *e)
{
    print_opening(out, e);
    text_add(out, "%s%s", prologue, is_for_grid(e) ? launch : "");
    if (e->abi != ABI_ROWS) print_value_use(out, e);
    for (size_t i = 0; i < e->count; i++) {
        const actgen_kernel *k = e->kernels[i];
        if (!is_first_of_name(e, i)) continue;
        text_add(out, "\n");
        print_kernel_comment(out, e, i);
        (is_for_grid(e) ? print_entries : print_functions)(out, e, k);
    }
    text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
