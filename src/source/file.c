/* Prints a file of kernels in one style, and refuses what the style or the form cannot have. */
#include "checks.h"
#include "passes.h"
#include "several.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct source_style *const styles[] = {
    &source_scalar, &source_cuda, &source_vector, &source_avx512, &source_avx2,
    &source_sse2,   &source_neon, &source_sve2,   &source_sve,    &source_rvv};
enum { STYLES = sizeof styles / sizeof *styles };

const struct source_style *source_style_at(size_t i) { return i < STYLES ? styles[i] : NULL; }

const char *source_style_name(const struct source_style *s) { return s->name; }

const char *source_style_isa(const struct source_style *s) { return s->isa; }

const char *source_style_endings(const struct source_style *s) { return s->endings; }

bool source_style_has_tables(const struct source_style *s) { return s->reads_tables; }

/* Appends a word to a list of at most `size` bytes. */
static void list_word(char *list, size_t size, const char *word)
{
    const size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length ? ", " : "", word);
}

const struct source_style *source_style_find(const char *name, const struct target_isa *isa,
                                             struct diag *error)
{
    char names[80] = "", sets[120] = "";
    const char *last = "";
    for (size_t i = 0; i < STYLES; i++) {
        const struct source_style *s = styles[i];
        if (!strcmp(s->name, name) && (!s->isa || !strcmp(s->isa, isa->name))) return s;
        if (!strcmp(s->name, name)) list_word(sets, sizeof sets, s->isa);
        if (strcmp(s->name, last) != 0) list_word(names, sizeof names, last = s->name);
    }
    if (*sets)
        diag_set(error, DIAG_TARGET,
                 "there is no C source in the style `%s` for %s; that style is for: %s, and `vector` and "
                 "`scalar` are for every set",
                 name, isa->name, sets);
    else
        diag_set(error, DIAG_INVALID, "there is no style `%.40s` of C source; the styles are: %s", name,
                 names);
    return NULL;
}

const struct source_style *source_style_of(const struct target_isa *isa)
{
    for (size_t i = 0; i < STYLES; i++)
        if (styles[i]->isa && !strcmp(styles[i]->isa, isa->name)) return styles[i];
    return &source_scalar;
}

struct source_file {
    struct source_writer writer;
    struct text body;
    const char **functions; /* The functions of one vector, by name. */
    uint32_t function_count;
};

struct source_file *source_file_new(arena *memory, const struct source_style *s)
{
    struct source_file *f = arena_alloc(memory, sizeof *f);
    f->writer = (struct source_writer){.memory = memory, .style = s, .helpers = text_new(memory)};
    f->body = text_new(memory);
    return f;
}

/* -- what a kernel needs -- */

static int refuse_kernel(const struct lane_kernel *k, const char *what, struct diag *error)
{
    return diag_set(error, DIAG_INVALID, "`%s` %s, which C source cannot do: write an object instead",
                    k->name, what);
}

/* Returns true if more elements than those of a block of columns are added up. */
static bool adds_up(const struct lane_kernel *k)
{
    for (uint32_t n = 0; n < k->operand_count; n++)
        if (k->operands[n].reduction) return true;
    for (uint32_t n = 0; n < k->total_count; n++)
        if (!k->totals[n].block) return true;
    return false;
}

/* Refuses values that threads of a grid would share. */
static int refuse_blocks(const struct source_style *s, const struct lane_kernel *k, struct diag *error)
{
    return diag_set(
        error, DIAG_TARGET,
        "the style `%s` of C source has no values of blocks of columns, which `%s` needs; the styles "
        "`scalar`, `vector` and `intrinsics` have them",
        s->name, k->name);
}

static int check_form(const struct source_style *s, const struct lane_kernel *k, struct diag *error)
{
    for (uint32_t n = 0; n < k->operand_count; n++)
        if (kernel_is_value_of_row(&k->operands[n]))
            return refuse_kernel(k, "has a result of shape [rows]", error);
    if (adds_up(k)) return refuse_kernel(k, "adds up over rows or columns", error);
    if (k->total_count && s->row_steps) return refuse_blocks(s, k, error);
    if (k->draw_count) return refuse_kernel(k, "draws random numbers", error);
    for (uint32_t n = 0; n < k->operand_count; n++)
        if (k->operands[n].is_result && k->operands[n].shape != SHAPE_MATRIX)
            return refuse_kernel(k, "has a result that is no matrix", error);
    return DIAG_OK;
}

static int refuse_style(const struct source_style *s, const struct lane_kernel *k, const char *what,
                        const char *type, struct diag *error)
{
    return diag_set(
        error, DIAG_TARGET,
        "the style `%s`%s%s of C source has no %s of %s, which `%s` needs; the style `scalar` has "
        "them all",
        s->name, s->isa ? " for " : "", s->isa ? s->isa : "", what, type, k->name);
}

static int check_texts(arena *memory, const struct source_style *s, const struct source_kernel *k,
                       struct diag *error)
{
    const lane_program *p = k->kernel->program;
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        const struct kernel_operand *o = &k->kernel->operands[n];
        const bool has_bits = k->lanes[n] == LANE_F16 || k->lanes[n] == LANE_I8;
        if (!(o->is_result ? has_bits ? s->store_bits : s->store
              : has_bits   ? s->load_bits
                           : s->load)[o->type])
            return refuse_style(s, k->kernel, o->is_result ? "results" : "inputs",
                                element_types[o->type].name, error);
    }
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_LOAD || i->op == LANE_STORE) continue;
        const enum lane_type type = i->op == LANE_CONST ? i->type : lane_type_that_chooses(p, i);
        if (!source_op_text(memory, s, i->op, type))
            return refuse_style(s, k->kernel, lane_ops[i->op].name, lane_types[type].name, error);
    }
    return DIAG_OK;
}

/* -- names -- */

/* Makes names of C: of a list's values, such as c[3], and of numbers of rows and columns. */
static const char *own_name(arena *memory, const struct lane_kernel *called,
                            const struct kernel_operand *operands, uint32_t n)
{
    const struct kernel_operand *o = &operands[n];
    struct text t = text_new(memory);
    if (o->is_internal) return source_array_name(memory, called, o->group);
    if (o->source == SOURCE_ROW) text_add(&t, "%s_number", operands[o->offset].name);
    if (o->source == SOURCE_COL) text_add(&t, "col_number");
    for (const char *name = o->source ? "" : o->name; *name; name++)
        if (*name != ']') text_add(&t, "%c", *name == '[' ? '_' : *name);
    return t.data;
}

static int check_names(const struct source_kernel *k, struct diag *error)
{
    const struct kernel_operand *o = k->kernel->operands;
    for (uint32_t a = 0; a < k->kernel->operand_count + k->kernel->made_count; a++)
        for (uint32_t b = 0; b < a; b++)
            if (!strcmp(k->own[a], k->own[b]))
                return diag_set(error, DIAG_INVALID,
                                "`%s` and `%s` would share a name in C source; rename one", o[b].name,
                                o[a].name);
    return DIAG_OK;
}

/* Refuses a second function of one vector of that name. A pass has a name that a kernel might have. */
static int claim_function(struct source_file *f, const char *name, struct diag *error)
{
    for (uint32_t n = 0; n < f->function_count; n++)
        if (!strcmp(f->functions[n], name))
            return diag_set(error, DIAG_INVALID,
                            "two functions of C source would be named `%s`; rename a kernel", name);
    f->functions = arena_with_room(f->writer.memory, f->functions, f->function_count, sizeof *f->functions);
    f->functions[f->function_count++] = name;
    return DIAG_OK;
}

static enum lane_type lane_of(const struct lane_kernel *kernel, uint32_t operand)
{
    const lane_program *p = kernel->program;
    for (uint32_t n = 0; p && n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n];
        if (i->op == LANE_LOAD && i->index == operand) return i->type;
        if (i->op == LANE_STORE && i->index == operand) return p->code[i->operand[0]].type;
    }
    return kernel_lane_type(&kernel->operands[operand]);
}

/* Lists the operands that the function of one vector takes. The number of the first row is none of them. */
static void find_used(struct source_kernel *k, arena *memory)
{
    const struct lane_kernel *kernel = k->kernel;
    const uint32_t count = kernel->operand_count + kernel->made_count;
    uint32_t *used = arena_alloc(memory, count * sizeof *used);
    for (unsigned are_results = 0; are_results < 2; are_results++)
        for (uint32_t n = 0; n < count; n++)
            if (kernel->operands[n].is_result == are_results && kernel->operands[n].type != ELEMENT_U64)
                used[k->used_count++] = n;
    k->used = used;
}

/* Finds the names and types of a kernel's text. `called` is the kernel itself, or the one of whose passes it
 * is one. */
static struct source_kernel kernel_of(arena *memory, const struct source_style *s,
                                      const struct lane_kernel *kernel, const struct lane_kernel *called,
                                      struct source_names names)
{
    const uint32_t count = kernel->operand_count + kernel->made_count;
    uint8_t *low_bits = arena_alloc(memory, kernel->program->count);
    struct source_kernel k = {.kernel = kernel,
                              .names = names,
                              .form = source_form_of(s, kernel->program),
                              .value = source_value_name(memory, s, kernel, names.value),
                              .groups = kernel_parameters(memory, kernel),
                              .own = arena_alloc(memory, count * sizeof *k.own),
                              .vectors = arena_alloc(memory, count * sizeof *k.vectors),
                              .lanes = arena_alloc(memory, count * sizeof *k.lanes),
                              .low_bits = low_bits};
    find_low_bits(low_bits, kernel, s->nan_of_ones);
    find_used(&k, memory);
    for (uint32_t n = 0; n < count; n++) {
        struct text name = text_new(memory);
        k.own[n] = own_name(memory, called, kernel->operands, n);
        text_add(&name, "%s_v", k.own[n]);
        k.vectors[n] = name.data;
        k.lanes[n] = lane_of(kernel, n);
    }
    const bool has_pairs = source_has_pairs(&k);
    k.at_once =
        has_pairs || source_has_vectors(&k) ? source_several_count(memory, k.form, kernel->program) : 1;
    if (has_pairs && k.at_once > 2) k.at_once = 2;
    k.many = source_many_name(memory, s, kernel, names.value);
    return k;
}

struct source_kernel source_pass_of(struct source_passes *p, const struct lane_kernel *kernel)
{
    struct text name = text_new(p->memory);
    struct source_names names = p->names;
    text_add(&name, "%s_pass%u", p->names.value, (unsigned)p->count);
    names.value = names.tables = name.data;
    struct source_kernel pass = kernel_of(p->memory, p->style, kernel, p->called, names);
    pass.is_pass = true;
    return pass;
}

/* Returns the parameters of the function of one vector. */
static struct source_parameter *parameters_of(arena *memory, const struct source_kernel *k)
{
    struct source_parameter *list = arena_alloc(memory, k->used_count * sizeof *list);
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        list[u] = (struct source_parameter){k->vectors[n], n, k->lanes[n], k->kernel->operands[n].is_result};
    }
    return list;
}

/* Returns the parameters of the function of several vectors. */
static struct source_parameter *parameters_of_many(arena *memory, const struct source_kernel *k)
{
    const uint32_t operands = k->kernel->operand_count + k->kernel->made_count;
    struct source_parameter *list = arena_alloc(memory, k->at_once * k->used_count * sizeof *list);
    for (uint32_t u = 0; u < k->used_count; u++)
        for (unsigned v = 0; v < k->at_once; v++) {
            const uint32_t n = k->used[u];
            struct text name = text_new(memory);
            text_add(&name, "%s%s", k->vectors[n], source_vector_ending(v, false));
            list[u * k->at_once + v] = (struct source_parameter){name.data, n + v * operands, k->lanes[n],
                                                                 k->kernel->operands[n].is_result};
        }
    return list;
}

const char *source_many_name(arena *memory, const struct source_style *s, const struct lane_kernel *kernel,
                             const char *value)
{
    struct text t = text_new(memory);
    text_add(&t, "%s_many", source_value_name(memory, s, kernel, value));
    return t.data;
}

const char *source_value_name(arena *memory, const struct source_style *s, const struct lane_kernel *kernel,
                              const char *value)
{
    struct text t = text_new(memory);
    uint32_t result = 0;
    while (!kernel->operands[result].is_result) result++;
    text_add(&t, "%s%s", value, s->ending[lane_of(kernel, result)]);
    return t.data;
}

/* -- text -- */

/* Returns true if the table has results of the type i8. */
static bool has_signed_bytes(const struct lane_kernel *kernel, uint32_t table)
{
    const lane_program *p = kernel->program;
    for (uint32_t n = 0; n < p->count; n++) {
        const struct lane_instruction *i = &p->code[n], *stored = &p->code[i->operand[0]];
        if (i->op == LANE_STORE && stored->op == LANE_LOOKUP && stored->index == table &&
            kernel->operands[i->index].type == ELEMENT_I8)
            return true;
    }
    return false;
}

/* Prints a table of the program. A table that registers hold fills them. */
static void print_table(struct text *out, struct source_writer *w, const struct lane_kernel *kernel,
                        const char *beginning, uint32_t number)
{
    const struct lane_table *t = &kernel->program->tables[number];
    const bool is_signed = t->type == LANE_I8 && has_signed_bytes(kernel, number);
    const struct source_lookup *own = source_lookup_find(w->style, t);
    const uint32_t entries = UINT32_C(1) << (own ? own->log2_entries : t->log2_size),
                   mask = (UINT32_C(1) << t->log2_size) - 1;
    static const char *const types[] = {
        [LANE_F32] = "float",    [LANE_F64] = "double",   [LANE_I32] = "uint32_t", [LANE_I64] = "uint64_t",
        [LANE_F16] = "uint16_t", [LANE_I16] = "uint16_t", [LANE_I8] = "uint8_t"};
    enum { LINE = 104 };
    size_t line = 0;
    text_add(out, "%s %s %s_t%u[%u] = {", w->style->table, is_signed ? "int8_t" : types[t->type], beginning,
             (unsigned)number, (unsigned)entries);
    for (uint32_t i = 0; i < entries; i++) {
        const uint64_t bits = t->bits[i & mask];
        struct text byte = text_new(w->memory);
        text_add(&byte, "%d", is_signed ? (int)(int8_t)(uint8_t)bits : (int)bits);
        const char *entry = t->type == LANE_I8 ? byte.data : source_number(w, t->type, bits);
        if (!line || line + strlen(entry) + 2 > LINE) text_add(out, "\n   "), line = 3;
        text_add(out, " %s%s", entry, i + 1 < entries ? "," : "");
        line += strlen(entry) + 2;
    }
    text_add(out, "};\n");
}

/* Prints the function of several vectors at once, if there is one. */
static void print_many(struct source_file *f, const struct source_kernel *k)
{
    struct source_writer *w = &f->writer;
    const struct lane_kernel *kernel = k->kernel;
    if (k->at_once == 1) return;
    const struct source_several several = source_several_of(
        w->memory, kernel->program, k->low_bits, k->at_once, kernel->operand_count + kernel->made_count);
    struct text comment = text_new(w->memory);
    text_add(&comment, "%u vectors of `%s`, whose operations take turns.", k->at_once, kernel->name);
    text_add(&f->body, "\n");
    source_function_print(&f->body, w,
                          &(struct source_function){.name = k->many,
                                                    .comment = comment.data,
                                                    .tables = k->names.tables,
                                                    .program = several.program,
                                                    .low_bits = several.low_bits,
                                                    .parameters = parameters_of_many(w->memory, k),
                                                    .count = k->at_once * k->used_count});
}

/* Prints the functions of one vector and of several, and their tables. */
static void print_functions(struct source_file *f, const struct source_kernel *k)
{
    struct source_writer *w = &f->writer;
    const struct lane_kernel *kernel = k->kernel;
    struct text summary = text_new(w->memory);
    text_add(&summary,
             k->is_pass ? "%s of a pass of `%s`." : "%s of `%s`. v12 is %%12 of `actgen show --stage lane`.",
             w->style->summary, kernel->name);
    for (uint32_t t = 0; t < kernel->program->table_count; t++)
        print_table(&f->body, w, kernel, k->names.tables, t);
    text_add(&f->body, "\n");
    source_function_print(&f->body, w,
                          &(struct source_function){.name = k->value,
                                                    .comment = summary.data,
                                                    .tables = k->names.tables,
                                                    .program = kernel->program,
                                                    .low_bits = k->low_bits,
                                                    .parameters = parameters_of(w->memory, k),
                                                    .count = k->used_count});
    print_many(f, k);
}

int source_file_add(struct source_file *f, const struct lane_kernel *kernel,
                    const struct lane_kernel *summands, struct source_names names, const char *comment,
                    struct diag *error)
{
    struct source_writer *w = &f->writer;
    int status = check_form(w->style, kernel, error);
    if (status) return status;
    struct source_kernel k = kernel_of(w->memory, w->style, kernel, kernel, names);
    struct source_passes passes = {w->memory, w->style, kernel, summands, names, 0};
    if (kernel->total_count) k.passes = source_passes_of(&passes), k.pass_count = passes.count;
    const struct source_kernel *functions = k.pass_count ? k.passes : &k;
    const uint32_t count = k.pass_count ? k.pass_count : 1;
    status = check_names(&k, error);
    for (uint32_t n = 0; n < count && !status; n++) {
        status = check_names(&functions[n], error);
        if (!status) status = claim_function(f, functions[n].value, error);
        if (!status) status = check_texts(w->memory, w->style, &functions[n], error);
    }
    if (status) return status;
    text_add(&f->body, "\n%s", comment);
    if (k.pass_count)
        text_add(&f->body, "/* It has no function of values that are at hand: columns share values. */\n");
    for (uint32_t n = 0; n < count; n++) print_functions(f, &functions[n]);
    text_add(&f->body, "\n");
    source_rows_print(&f->body, w, &k);
    return DIAG_OK;
}

void source_file_print(struct text *out, const struct source_file *f)
{
    const struct source_style *s = f->writer.style;
    text_bytes(out, s->opening, strlen(s->opening));
    if (f->writer.has_doubles) text_add(out, "%s", EXACT_DOUBLES);
    text_bytes(out, f->writer.helpers.data, f->writer.helpers.length);
    text_bytes(out, f->body.data, f->body.length);
    text_bytes(out, s->closing, strlen(s->closing));
}
