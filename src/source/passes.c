/* Prints the work on a row of a kernel whose formulas have values of blocks of columns. Some columns at a
 * time go through the passes (lane/sums.h), which keep in local arrays what later passes need. Blocks do not
 * depend on each other, so nothing else is kept. */
#include "passes.h"

#include "checks.h"
#include "sums.h"

#include <string.h>

/* The columns of a run of all passes, a multiple of every block. They have at most BLOCKS blocks, which is no
 * less than the lanes of a vector: compilers warn of shorter arrays, though no loop takes a whole vector of
 * them. */
enum { COLUMNS = 1024, BLOCKS = 64 };

const char *source_array_name(arena *memory, const struct lane_kernel *called, uint32_t group)
{
    struct text name = text_new(memory);
    for (uint32_t n = 0; n < called->total_count; n++) {
        const struct kernel_total *t = &called->totals[n];
        if (t->group == group || (!t->reduction && t->values == group)) text_add(&name, "total%u", n);
        if (t->reduction && !t->is_input && t->values == group) text_add(&name, "values%u", n);
    }
    return name.data;
}

/* Returns true if the total's values are an input whose elements are no numbers of C. */
static bool is_copied(const struct kernel_total *t)
{
    return t->is_input && element_types[t->element].bytes != lane_type_bytes(t->type);
}

static const struct kernel_operand *input_of(const struct lane_kernel *called, const struct kernel_total *t)
{
    const struct kernel_operand *o = called->operands;
    while (o->group != t->values) o++;
    return o;
}

/* Returns the pass that copies the input of a total as numbers. */
static struct source_kernel copying_pass(struct source_passes *p, uint32_t number)
{
    const struct kernel_total *t = &p->called->totals[number];
    lane_program *program = lane_create(p->memory, &p->summands->program->profile);
    struct kernel_operand *operands = arena_alloc(p->memory, 2 * sizeof *operands);
    operands[0] = *input_of(p->called, t);
    operands[1] = (struct kernel_operand){.name = "values",
                                          .type = t->type == LANE_F64 ? ELEMENT_F64 : ELEMENT_F32,
                                          .parts = 1,
                                          .is_result = true,
                                          .is_internal = true};
    lane_store(program, lane_load(program, t->type, 0), 1);
    struct lane_kernel *kernel = arena_alloc(p->memory, sizeof *kernel);
    *kernel = lane_kernel_make(p->called->name, operands, 2, program);
    struct text name = text_new(p->memory);
    struct source_kernel pass = source_pass_of(p, kernel);
    text_add(&name, "values%u", number);
    pass.own[1] = name.data;
    pass.level = t->level;
    return pass;
}

const struct source_kernel *source_passes_of(struct source_passes *p)
{
    const struct lane_kernel *called = p->called;
    struct source_kernel *list =
        arena_alloc(p->memory, (p->summands->pass_count + called->total_count) * sizeof *list);
    for (uint32_t n = 0; n < called->total_count; n++)
        if (is_copied(&called->totals[n])) list[p->count] = copying_pass(p, n), p->count++;
    for (uint32_t n = 0; n < p->summands->pass_count; n++) {
        const struct kernel_pass *pass = &p->summands->passes[n];
        list[p->count] = source_pass_of(p, pass->kernel);
        list[p->count].level = pass->level;
        list[p->count++].block = pass->block;
    }
    return list;
}

/* -- text -- */

/* Adds a text of lines, each farther to the right. */
static void add_indented(struct text *out, const char *lines, const char *indent)
{
    while (*lines) {
        const size_t length = strcspn(lines, "\n");
        text_add(out, "%s%.*s\n", length ? indent : "", (int)length, lines);
        lines += length + (lines[length] != 0);
    }
}

static const char *type_of(enum lane_type type) { return type == LANE_F64 ? "double" : "float"; }

/* Texts in which $e is the type of a value, and $1 takes its form. Sums have the order of lane/sums.h. */
static const char sum[] = "/* Adds n values to 32 accumulators, which are then added in pairs. */\n"
                          "static inline double $0(const $e *x, size_t n)\n{\n"
                          "    double all[32];\n"
                          "    size_t j = 0;\n"
                          "    for (size_t k = 0; k < 32; k++) all[k] = 0;\n"
                          "    for (; n - j >= 32; j += 32)\n"
                          "        for (size_t k = 0; k < 32; k++) {\n"
                          "            double v = x[j + k];\n$1"
                          "            all[k] += v;\n"
                          "        }\n"
                          "    for (size_t k = 0; k < n - j; k++) {\n"
                          "        double v = x[j + k];\n$1"
                          "        all[k] += v;\n"
                          "    }\n"
                          "    for (size_t half = 16; half; half /= 2)\n"
                          "        for (size_t k = 0; k < half; k++) all[k] += all[k + half];\n"
                          "    return all[0]$c;\n"
                          "}\n";

_Static_assert(TOTALS_ACCUMULATORS == 32, "the text of `sum` has them");

/* Here $t is an integer of the size of a value, $n its bits but one, and $c the bits of infinity. */
static const char largest[] =
    "#include <string.h>\n"
    "/* Returns the largest of n values, or NaN if one is NaN. Compilers make vector code of\n"
    " * the largest of integers, so numbers become integers of the same order. */\n"
    "static inline $e $0(const $e *x, size_t n)\n{\n"
    "    const $t greatest = (($t)1 << ($n - 1)) - 1 + (($t)1 << ($n - 1));\n"
    "    $t most = -greatest - 1;\n"
    "    $e y;\n"
    "    for (size_t j = 0; j < n; j++) {\n"
    "        $e v = x[j];\n$1"
    "        $t i;\n"
    "        memcpy(&i, &v, sizeof i);\n"
    "        const $t nan = ($c - (i & greatest)) >> $n;\n"
    "        i ^= i >> $n & greatest;\n"
    "        i = (i | nan) ^ (nan & ~greatest);\n"
    "        most = i > most ? i : most;\n"
    "    }\n"
    "    most ^= most >> $n & greatest;\n"
    "    memcpy(&y, &most, sizeof y);\n"
    "    return y + 0;\n"
    "}\n";

/* Includes the function that makes the total of its values, and returns its name. */
static const char *include_reduction(struct source_writer *w, const struct kernel_total *t)
{
    static const char *const names[SUMMAND_COUNT] = {"", "_magnitude", "_square"};
    static const char square[] = "        v *= v;\n        ACTGEN_ALONE(v);\n";
    const bool is_wide = t->type == LANE_F64, picks = reduction_picks(t->reduction);
    const char *forms[SUMMAND_COUNT] = {
        "", picks && !is_wide ? "        v = fabsf(v);\n" : "        v = fabs(v);\n", square};
    struct source_words words = {.element = type_of(t->type), .operand = {{forms[t->form]}}};
    words.table = is_wide ? "int64_t" : "int32_t";
    words.amount = is_wide ? "63" : "31";
    words.constant = is_wide ? "INT64_C(0x7ff0000000000000)" : "0x7f800000";
    if (!picks) words.constant = reductions[t->reduction].is_mean ? " / (double)n" : "";
    struct text name = text_new(w->memory), text = text_new(w->memory);
    text_add(&name, "%s%s_%s", reductions[t->reduction].name, names[t->form], lane_types[t->type].name);
    text_add(&text, "%s%s", t->form == SUMMAND_SQUARE ? ALONE_MACRO : "", picks ? largest : sum);
    return source_include(w, name.data, text.data, words);
}

/* Prints the arrays of the kernel's totals, and of their values. */
static void print_arrays(struct text *out, const struct lane_kernel *called)
{
    for (uint32_t n = 0; n < called->total_count; n++) {
        const struct kernel_total *t = &called->totals[n];
        text_add(out, "            %s total%u[%u] = {0};\n", type_of(sums_type_of_total(t)), n, BLOCKS);
        if (t->reduction && (!t->is_input || is_copied(t)))
            text_add(out, "            %s values%u[%u];\n", type_of(t->type), n, COLUMNS);
    }
}

/* Prints the computation of the total from its values. */
static void print_total(struct text *out, struct source_writer *w, const struct source_kernel *k, uint32_t n)
{
    const struct kernel_total *t = &k->kernel->totals[n];
    struct text values = text_new(w->memory);
    if (t->is_input && !is_copied(t))
        text_add(&values, "%s_row + first", k->own[input_of(k->kernel, t) - k->kernel->operands]);
    else
        text_add(&values, "values%u", n);
    /* Compilers make good code of a constant number of values. */
    const char *reduction = include_reduction(w, t);
    text_add(out, "            for (size_t b = 0; last - first - b >= %u; b += %u)\n", t->block, t->block);
    text_add(out, "                total%u[b / %u] = %s(%s + b, %u);\n", n, t->block, reduction, values.data,
             t->block);
    text_add(out, "            if ((last - first) %% %u)\n", t->block);
    text_add(out, "                total%u[(last - first) / %u] =\n", n, t->block);
    text_add(out, "                    %s(%s + (last - first) / %u * %u, (last - first) %% %u);\n", reduction,
             values.data, t->block, t->block, t->block);
}

static void print_pass(struct text *out, struct source_writer *w, const struct source_kernel *pass)
{
    struct text text = text_new(w->memory);
    if (pass->block)
        text_add(&text, "        const size_t begin = first / %u, end = (last - 1) / %u + 1;\n", pass->block,
                 pass->block);
    else
        text_add(&text, "        const size_t begin = first, end = last;\n");
    source_row_print(&text, w, pass);
    text_add(out, "            {\n");
    add_indented(out, text.data, "        ");
    text_add(out, "            }\n");
}

void source_passes_print(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    const struct lane_kernel *called = k->kernel;
    uint32_t passes = 0, totals = 0;
    text_add(out,
             "        for (size_t first = 0; first < cols; first += %u) {\n"
             "            const size_t last = cols - first < %u ? cols : first + %u;\n",
             COLUMNS, COLUMNS, COLUMNS);
    print_arrays(out, called);
    for (uint32_t level = 0; passes < k->pass_count || totals < called->total_count; level++) {
        for (uint32_t p = 0; p < k->pass_count; p++)
            if (k->passes[p].level == level) print_pass(out, w, &k->passes[p]), passes++;
        for (uint32_t n = 0; n < called->total_count; n++) {
            if (called->totals[n].level != level) continue;
            if (called->totals[n].reduction) print_total(out, w, k, n);
            totals++;
        }
    }
    text_add(out, "        }\n");
}
