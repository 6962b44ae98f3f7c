/* Prints the loops over rows and columns. A vector that is not full goes through an array of its elements. So
 * do operands whose elements do not follow each other. */
#include "rows.h"

static const char *joined(struct source_writer *w, const char *a, const char *b)
{
    struct text t = text_new(w->memory);
    text_add(&t, "%s%s", a, b);
    return t.data;
}

static const char *lanes_of(const struct source_kernel *k)
{
    const struct source_style *s = k->form.style;
    return k->form.is_wide ? s->wide_lanes : s->lanes;
}

/* Returns the length of an array of a vector's elements. */
static const char *length_of(const struct source_kernel *k)
{
    const struct source_style *s = k->form.style;
    return s->most_lanes ? s->most_lanes : lanes_of(k);
}

/* Prints the beginning of a function over rows. The parameters of an operand stand in one line. */
static void print_signature(struct text *out, struct source_writer *w, const struct source_kernel *k,
                            const char *name, bool strided)
{
    enum { LINE = 104 };
    const struct source_style *s = k->form.style;
    struct text line = text_new(w->memory);
    text_add(&line, "%s void %s(size_t rows, size_t cols", !strided && s->kernel ? s->kernel : s->function,
             name);
    for (uint32_t g = 0; g < k->kernel->group_count; g++) {
        const struct kernel_parameter *p = &k->groups[g];
        const struct kernel_operand *o = p->names;
        struct text own = text_new(w->memory);
        text_add(&own, "%s%s *%s", o->is_result ? "" : "const ", element_types[o->type].c_type, p->data);
        if (strided && p->stride) text_add(&own, ", size_t %s", p->stride);
        if (line.length + own.length + 2 > LINE) {
            text_add(out, "%s,\n", line.data);
            line = text_new(w->memory);
            text_add(&line, "   ");
        } else
            text_add(&line, ",");
        text_add(&line, " %s", own.data);
    }
    text_add(out, "%s)\n{\n", line.data);
}

/* Returns true if rows without gaps can be one row: no operand has a value for each column or row. */
static bool is_one_row(const struct lane_kernel *kernel)
{
    if (kernel->made_count || kernel->total_count) return false;
    for (uint32_t i = 0; i < kernel->operand_count; i++) {
        const struct kernel_operand *o = &kernel->operands[i];
        const bool is_list = operand_is_list(o->shape, o->layout);
        if (o->shape == SHAPE_COLS || o->shape == SHAPE_ROWS || element_shares_byte(o->type) ||
            kernel_has_blocks(o) || (o->shape == SHAPE_MATRIX && o->layout == LAYOUT_PACKED && !is_list))
            return false;
    }
    return true;
}

static void print_joining(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    print_signature(out, w, k, k->names.kernel, false);
    text_add(out, "    %s(%s", k->names.strided, is_one_row(k->kernel) ? "1, rows * cols" : "rows, cols");
    for (uint32_t g = 0; g < k->kernel->group_count; g++)
        text_add(out, ", %s%s", k->groups[g].data, k->groups[g].stride ? ", 0" : "");
    text_add(out, ");\n}\n");
}

static bool has_bits(const struct source_kernel *k, uint32_t n)
{
    return k->lanes[n] == LANE_F16 || k->lanes[n] == LANE_I8;
}

/* Returns the text that loads or stores a vector of the operand, whole or a part. NULL: a part goes through
 * an array. */
static const char *access_text(const struct source_kernel *k, uint32_t n, bool is_part)
{
    const struct source_style *s = k->form.style;
    const struct kernel_operand *o = &k->kernel->operands[n];
    const char *const *whole = o->is_result ? s->store : s->load;
    const char *const *part = o->is_result ? s->store_part : s->load_part;
    if (has_bits(k, n)) return is_part ? NULL : (o->is_result ? s->store_bits : s->load_bits)[o->type];
    return (is_part ? part : whole)[o->type];
}

/* Prints the lanes of operand n, which are read at `element`, with that name. */
static void print_lanes(struct text *out, struct source_writer *w, const struct source_kernel *k, uint32_t n,
                        const char *name, const char *indent, const char *element, bool is_part)
{
    const struct source_words words = {.element = element, .amount = "n"};
    const unsigned registers = source_registers(k->form, k->lanes[n]);
    for (unsigned r = 0; r < registers; r++) {
        text_add(out, "%sconst %s %s = ", indent, source_type(k->form, k->lanes[n]),
                 source_register(w->memory, name, registers, r));
        source_add(out, w, access_text(k, n, is_part), r, &words);
        text_add(out, ";\n");
    }
}

/* Prints an array with the elements of a vector, and its lanes. */
static void print_part(struct text *out, struct source_writer *w, const struct source_kernel *k, uint32_t n,
                       const char *indent)
{
    const struct kernel_operand *o = &k->kernel->operands[n];
    const char *array = joined(w, k->own[n], "_part");
    text_add(out, "%s%s %s[%s] = {0};\n", indent, element_types[o->type].c_type, array, length_of(k));
    text_add(out, "%sfor (size_t k = 0; k < %s; k++) ", indent, source_is_same_in_row(o) ? lanes_of(k) : "n");
    if (element_is_nibble(o->type))
        text_add(out, "%s[k / 2] = (uint8_t)(%s[k / 2] | %s << k %% 2 * 4);\n", array, array,
                 source_element_at(w, k, n, "(j + k)"));
    else
        text_add(out, "%s[k] = %s;\n", array, source_element_at(w, k, n, "(j + k)"));
    print_lanes(out, w, k, n, k->vectors[n], indent, array, false);
}

/* Prints the operands that have one element for all columns of the row. */
static void print_shared(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        if (!source_is_same_in_row(&k->kernel->operands[n])) continue;
        if (lanes_of(k))
            print_part(out, w, k, n, "        ");
        else
            print_lanes(out, w, k, n, k->vectors[n], "        ", source_element_at(w, k, n, ""), false);
    }
}

/* Returns the name of operand n's lanes: in a vector of its own (half is ""), or in half of a pair. */
static const char *lanes_name(struct source_writer *w, const struct source_kernel *k, uint32_t n,
                              const char *half)
{
    return joined(w, k->vectors[n], source_is_same_in_row(&k->kernel->operands[n]) ? "" : half);
}

static void print_call(struct text *out, struct source_writer *w, const struct source_kernel *k,
                       const char *indent, const char *half)
{
    uint32_t only = UINT32_MAX, results = 0;
    for (uint32_t n = 0; n < k->kernel->operand_count; n++)
        if (k->kernel->operands[n].is_result) results++, only = n;
    if (results > 1 || source_registers(k->form, k->lanes[only]) > 1) only = UINT32_MAX;
    for (uint32_t u = 0; u < k->used_count && only == UINT32_MAX; u++) {
        const uint32_t n = k->used[u];
        const unsigned registers = source_registers(k->form, k->lanes[n]);
        for (unsigned r = 0; r < registers && k->kernel->operands[n].is_result; r++)
            text_add(out, "%s%s %s;\n", indent, source_type(k->form, k->lanes[n]),
                     source_register(w->memory, lanes_name(w, k, n, half), registers, r));
    }
    text_add(out, "%s", indent);
    if (only != UINT32_MAX)
        text_add(out, "const %s %s = ", source_type(k->form, k->lanes[only]), lanes_name(w, k, only, half));
    text_add(out, "%s(", k->value);
    const char *separator = "";
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        const unsigned registers = source_registers(k->form, k->lanes[n]);
        for (unsigned r = 0; r < registers && n != only; r++) {
            text_add(out, "%s%s%s", separator, k->kernel->operands[n].is_result ? "&" : "",
                     source_register(w->memory, lanes_name(w, k, n, half), registers, r));
            separator = ", ";
        }
    }
    text_add(out, ");\n");
}

/* Returns the text of the lanes `name` as the store of result n takes them. Stores of bf16 take the high half
 * of each number. The other stores round. */
static const char *stored_text(struct source_writer *w, const struct source_kernel *k, uint32_t n,
                               const char *name)
{
    const lane_program *p = k->kernel->program;
    uint32_t s = 0;
    if (k->kernel->operands[n].type != ELEMENT_BF16) return name;
    while (p->code[s].op != LANE_STORE || p->code[s].index != n) s++;
    const enum low_bits low = (enum low_bits)k->low_bits[p->code[s].operand[0]];
    return source_expanded(w, source_to_high_half_text(low), 0, &(struct source_words){.operand = {{name}}});
}

/* Prints the store of result n's lanes of that name at `element`. */
static void print_stored(struct text *out, struct source_writer *w, const struct source_kernel *k, uint32_t n,
                         const char *name, const char *indent, const char *element, bool is_part)
{
    const unsigned registers = source_registers(k->form, k->lanes[n]);
    for (unsigned r = 0; r < registers; r++) {
        const struct source_words words = {
            .element = element,
            .amount = "n",
            .value = stored_text(w, k, n, source_register(w->memory, name, registers, r))};
        text_add(out, "%s", indent);
        source_add(out, w, access_text(k, n, is_part), r, &words);
        text_add(out, ";\n");
    }
}

/* Prints the store of a byte that several elements share, after its last element. */
static void print_byte(struct text *out, const struct source_kernel *k, uint32_t n, const char *indent)
{
    const unsigned of_byte = elements_of_byte(k->kernel->operands[n].type);
    const char *own = k->own[n];
    text_add(out, "%sif (j %% %u == %u || j + 1 == cols) {\n", indent, of_byte, of_byte - 1);
    text_add(out, "%s    %s_row[j / %u] = %s_byte;\n%s    %s_byte = 0;\n%s}\n", indent, own, of_byte, own,
             indent, own, indent);
}

static void print_stored_part(struct text *out, struct source_writer *w, const struct source_kernel *k,
                              uint32_t n, const char *indent)
{
    const struct kernel_operand *o = &k->kernel->operands[n];
    const char *array = joined(w, k->own[n], "_part");
    text_add(out, "%s%s %s[%s];\n", indent, element_types[o->type].c_type, array, length_of(k));
    print_stored(out, w, k, n, k->vectors[n], indent, array, false);
    if (element_is_nibble(o->type)) { /* the byte of the last element may have no other */
        text_add(out, "%sif (n %% 2) %s[n / 2] &= 15;\n", indent, array);
        text_add(out, "%sfor (size_t k = 0; k < n; k += 2) %s_row[(j + k) / 2] = %s[k / 2];\n", indent,
                 k->own[n], array);
        return;
    }
    text_add(out, "%sfor (size_t k = 0; k < n; k++) %s = %s[k];\n", indent,
             source_element_at(w, k, n, "(j + k)"), array);
}

static bool goes_through_array(const struct source_kernel *k, uint32_t n, bool is_part)
{
    const struct kernel_operand *o = &k->kernel->operands[n];
    return o->source || source_distance_of(o) > 1 || o->block || !access_text(k, n, is_part);
}

/* Prints the work on a vector that begins at column j. It has n elements if it is a part. */
static void print_vector(struct text *out, struct source_writer *w, const struct source_kernel *k,
                         bool is_part)
{
    static const char indent[] = "            ";
    const struct lane_kernel *kernel = k->kernel;
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        const struct kernel_operand *o = &kernel->operands[n];
        if (o->is_result || source_is_same_in_row(o)) continue;
        if (!lanes_of(k))
            print_lanes(out, w, k, n, k->vectors[n], indent, source_element_at(w, k, n, "j"), false);
        else if (goes_through_array(k, n, is_part))
            print_part(out, w, k, n, indent);
        else
            print_lanes(out, w, k, n, k->vectors[n], indent, source_address_at(w, k, n, "j"), is_part);
    }
    print_call(out, w, k, indent, "");
    for (uint32_t n = 0; n < kernel->operand_count; n++) {
        const struct kernel_operand *o = &kernel->operands[n];
        if (!o->is_result) continue;
        if (!lanes_of(k)) {
            print_stored(out, w, k, n, k->vectors[n], indent, source_element_at(w, k, n, "j"), false);
            if (element_shares_byte(o->type)) print_byte(out, k, n, indent);
        } else if (goes_through_array(k, n, is_part))
            print_stored_part(out, w, k, n, indent);
        else
            print_stored(out, w, k, n, k->vectors[n], indent, source_address_at(w, k, n, "j"), is_part);
    }
}

static const char *pair_text(const struct source_kernel *k, uint32_t n)
{
    const struct kernel_operand *o = &k->kernel->operands[n];
    return (o->is_result ? k->form.style->store_pair : k->form.style->load_pair)[o->type];
}

bool source_has_pairs(const struct source_kernel *k)
{
    for (uint32_t u = 0; u < k->used_count; u++) {
        const struct kernel_operand *o = &k->kernel->operands[k->used[u]];
        if (!source_is_same_in_row(o) &&
            (o->source || source_distance_of(o) > 1 || o->block || !pair_text(k, k->used[u])))
            return false;
    }
    return true;
}

bool source_has_vectors(const struct source_kernel *k)
{
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        if (!source_is_same_in_row(&k->kernel->operands[n]) && goes_through_array(k, n, false)) return false;
    }
    return true;
}

const char *source_vector_ending(unsigned v, bool is_pair)
{
    static const char *const endings[2][SOURCE_AT_ONCE] = {{"_a", "_b", "_c", "_d"}, {"_even", "_odd"}};
    return endings[is_pair][v];
}

/* Prints the call of the function of several vectors. */
static void print_call_of_many(struct text *out, struct source_writer *w, const struct source_kernel *k,
                               const char *indent, bool is_pair)
{
    struct text call = text_new(w->memory);
    const char *separator = "";
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        const bool is_result = k->kernel->operands[n].is_result;
        const unsigned registers = source_registers(k->form, k->lanes[n]);
        for (unsigned v = 0; v < k->at_once; v++)
            for (unsigned r = 0; r < registers; r++) {
                const char *name = source_register(
                    w->memory, lanes_name(w, k, n, source_vector_ending(v, is_pair)), registers, r);
                if (is_result) text_add(out, "%s%s %s;\n", indent, source_type(k->form, k->lanes[n]), name);
                text_add(&call, "%s%s%s", separator, is_result ? "&" : "", name);
                separator = ", ";
            }
    }
    text_add(out, "%s%s(%s);\n", indent, k->many, call.data);
}

/* Prints the work on two vectors that begin at column j: the even elements, and the odd ones. */
static void print_pair(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    static const char indent[] = "            ";
    for (uint32_t u = 0; u < k->used_count; u++) {
        const uint32_t n = k->used[u];
        const struct kernel_operand *o = &k->kernel->operands[n];
        const struct source_words words = {.element = source_address_at(w, k, n, "j")};
        for (unsigned h = 0; h < 2 && !o->is_result && !source_is_same_in_row(o); h++) {
            text_add(out, "%sconst %s %s = ", indent, source_type(k->form, k->lanes[n]),
                     lanes_name(w, k, n, source_vector_ending(h, true)));
            source_add(out, w, pair_text(k, n), h, &words);
            text_add(out, ";\n");
        }
    }
    for (unsigned h = 0; h < 2 && k->at_once == 1; h++)
        print_call(out, w, k, indent, source_vector_ending(h, true));
    if (k->at_once > 1) print_call_of_many(out, w, k, indent, true);
    for (uint32_t n = 0; n < k->kernel->operand_count; n++) {
        if (!k->kernel->operands[n].is_result) continue;
        const struct source_words words = {
            .element = source_address_at(w, k, n, "j"),
            .operand = {{stored_text(w, k, n, lanes_name(w, k, n, source_vector_ending(0, true))),
                         stored_text(w, k, n, lanes_name(w, k, n, source_vector_ending(1, true)))}}};
        text_add(out, "%s", indent);
        source_add(out, w, pair_text(k, n), 0, &words);
        text_add(out, ";\n");
    }
}

/* Prints the work on several vectors that begin at column j. */
static void print_many(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    static const char indent[] = "            ";
    for (unsigned are_results = 0; are_results < 2; are_results++) {
        if (are_results) print_call_of_many(out, w, k, indent, false);
        for (uint32_t u = 0; u < k->used_count; u++) {
            const uint32_t n = k->used[u];
            const struct kernel_operand *o = &k->kernel->operands[n];
            if (o->is_result != are_results || source_is_same_in_row(o)) continue;
            for (unsigned v = 0; v < k->at_once; v++) {
                struct text column = text_new(w->memory);
                const char *name = lanes_name(w, k, n, source_vector_ending(v, false));
                text_add(&column, "j");
                if (v) text_add(&column, " + %u * %s", v, lanes_of(k));
                (are_results ? print_stored : print_lanes)(out, w, k, n, name, indent,
                                                           source_address_at(w, k, n, column.data), false);
            }
        }
    }
}

/* Returns true if whole vectors go through arrays as well. */
static bool has_arrays(const struct source_kernel *k)
{
    for (uint32_t u = 0; u < k->used_count; u++) {
        const struct kernel_operand *o = &k->kernel->operands[k->used[u]];
        if (o->source == SOURCE_COL || source_distance_of(o) > 1 || o->block) return true;
    }
    return false;
}

/* Prints the loop over all columns, or for a pass those from `begin` to `end`. */
static void print_columns(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    const char *lanes = lanes_of(k), *begin = k->is_pass ? "begin" : "0", *end = k->is_pass ? "end" : "cols";
    if (!lanes) {
        const char *steps = k->form.style->column_steps;
        if (steps) text_add(out, "        for (%s) {\n", steps);
        if (!steps) text_add(out, "        for (size_t j = %s; j < %s; j++) {\n", begin, end);
        print_vector(out, w, k, false);
        text_add(out, "        }\n");
        return;
    }
    text_add(out, "        size_t j = %s;\n", begin);
    if (source_has_pairs(k)) {
        text_add(out, "        for (; %s - j >= 2 * %s; j += 2 * %s) {\n", end, lanes, lanes);
        print_pair(out, w, k);
        text_add(out, "        }\n");
    } else if (k->at_once > 1) {
        text_add(out, "        for (; %s - j >= %u * %s; j += %u * %s) {\n", end, k->at_once, lanes,
                 k->at_once, lanes);
        print_many(out, w, k);
        text_add(out, "        }\n");
    }
    text_add(out, "        for (; %s - j >= %s; j += %s) {\n", end, lanes, lanes);
    if (has_arrays(k)) text_add(out, "            const size_t n = %s;\n", lanes);
    print_vector(out, w, k, false);
    text_add(out, "        }\n        if (j < %s) {\n            const size_t n = %s - j;\n", end, end);
    print_vector(out, w, k, true);
    text_add(out, "        }\n");
}

void source_row_print(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    print_shared(out, w, k);
    print_columns(out, w, k);
}

void source_rows_print(struct text *out, struct source_writer *w, const struct source_kernel *k)
{
    text_add(out, "/* Rows with strides. A stride of 0 means that there is no gap. */\n");
    print_signature(out, w, k, k->names.strided, true);
    const char *steps = k->form.style->row_steps;
    text_add(out, "    for (%s) {\n", steps ? steps : "size_t i = 0; i < rows; i++");
    source_pointers_print(out, k);
    if (k->pass_count)
        source_passes_print(out, w, k);
    else
        source_row_print(out, w, k);
    text_add(out, "    }\n}\n\n/* Rows that follow each other without gaps. */\n");
    print_joining(out, w, k);
}
