/* Reads and writes the arrays of a call in .npy files, and checks their types, shapes and columns against the
 * kernel's operands. */
#include "arrays.h"
#include "diagnostics.h"
#include "element.h"
#include "numbers.h"
#include "operands.h"
#include "options.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SHAPE_TEXT = 200 };

/* ---- what the kernel takes ---- */

static void add_name(struct arrays *a, const actgen_operand_info *info)
{
    if (is_list(info) && info->part) return;
    if (info->part == 0) {
        const size_t length = is_list(info) ? strcspn(info->name, "[") : strlen(info->name);
        const char *before = info->parts > 1 && !is_list(info) ? "[" : "";
        a->list[a->count++] = (struct array){.name = must_format("%s%.*s", before, (int)length, info->name),
                                             .type = info->type,
                                             .shape = info->shape,
                                             .parts = info->parts,
                                             .block = info->block,
                                             .block_rows = info->block_rows,
                                             .is_result = info->is_result != 0};
        return;
    }
    struct array *array = &a->list[a->count - 1];
    char *longer = must_format("%s%s%s%s", array->name, info->layout == ACTGEN_LAYOUT_PACKED ? " | " : ", ",
                               info->name, info->part + 1 == info->parts ? "]" : "");
    free(array->name);
    array->name = longer;
}

static int check_count(const struct arrays *a, bool results, size_t given, const struct options *options)
{
    size_t count = 0;
    char *names = must_format("%s", "");
    for (size_t i = 0; i < a->count; i++) {
        if (a->list[i].is_result != results) continue;
        char *longer = must_format("%s%s%s", names, count++ ? ", " : "", a->list[i].name);
        free(names);
        names = longer;
    }
    int code = EXIT_GOOD;
    if (count != given)
        code =
            usage_error(options->command, "%s has %zu %s%s (%s), and --%s is given %zu time%s",
                        actgen_kernel_name(a->kernel), count, results ? "result" : "input",
                        count == 1 ? "" : "s", names, results ? "out" : "in", given, given == 1 ? "" : "s");
    free(names);
    return code;
}

static int find_operands(struct arrays *a, const struct options *options)
{
    for (size_t i = 0; i < actgen_kernel_operand_count(a->kernel); i++) {
        actgen_operand_info info = ACTGEN_OPERAND_INFO_INIT;
        if (actgen_kernel_operand_info(a->kernel, i, &info)) return EXIT_INTERNAL;
        add_name(a, &info);
    }
    int code = check_count(a, false, options->input_count, options);
    const bool has_outputs = options->output_count;
    if (!code && has_outputs) code = check_count(a, true, options->output_count, options);
    for (size_t i = 0, in = 0, out = 0; !code && i < a->count; i++)
        if (!a->list[i].is_result)
            a->list[i].file = &options->inputs[in++];
        else if (has_outputs)
            a->list[i].file = &options->outputs[out++];
    for (size_t i = 0; !code && i < a->count; i++)
        if (a->list[i].file && !*a->list[i].file->path)
            code = usage_error(options->command, "%s, and not an empty text",
                               a->list[i].is_result ? "--out wants a file" : "--in wants a file or numbers");
    return code;
}

static int check_outputs(const struct options *options)
{
    for (size_t i = 0; i < options->output_count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(options->outputs[i].path, options->outputs[k].path) ||
                same_file(options->outputs[i].path, options->outputs[k].path))
                return usage_error(options->command, "two results cannot both go to '%s'",
                                   options->outputs[i].path);
    return EXIT_GOOD;
}

/* ---- files ---- */

/* Reads "A:B". Either number may be left out. */
static bool parse_columns(const char *text, uint64_t *from, uint64_t *to)
{
    if (*text != ':' && !read_count(from, text, &text)) return false;
    if (*text++ != ':') return false;
    return !*text || (read_count(to, text, &text) && !*text);
}

static int choose_columns(struct array *array)
{
    uint64_t from = 0, to = array->npy.cols;
    const char *columns = array->file->columns;
    if (columns && (!parse_columns(columns, &from, &to) || from >= to || to > array->npy.cols)) {
        return print_file_error(EXIT_INPUT, array->file->path,
                                "'%s' has no columns '%s': it has %zu, from 0, and A:B means A to B - 1",
                                array->file->path, columns, array->npy.cols);
    }
    array->from = (size_t)from;
    array->width = (size_t)(to - from);
    return EXIT_GOOD;
}

static int wrong_number(const struct array *array, const char *text)
{
    return print_error(EXIT_INPUT,
                       array->type == ACTGEN_U64
                           ? "'%s' is no whole number from -2^63 to 2^64 - 1, which '%s' needs, as it is %s"
                       : array->type == ACTGEN_E8M0
                           ? "'%s' is no number from 2^-127 to 2^127, which '%s' needs, as it is %s"
                       : array->type == ACTGEN_U1 ? "'%s' is not 0 or 1, which '%s' needs, as it is %s"
                                                  : "'%s' is too large for '%s', which is %s",
                       text, array->name, actgen_type_name(array->type));
}

static int check_typed(const struct array *array)
{
    if (!array->file->columns) return EXIT_GOOD;
    return print_error(EXIT_INPUT, "--columns takes columns of a file, and '%s' is a number",
                       array->file->path);
}

bool count_numbers(const char *text, size_t *count, size_t *empty)
{
    const char *at = text, *end;
    double number;
    bool is_beyond;
    for (*count = *empty = 0;; at = end + 1) {
        if (!read_double(&number, at, &end, &is_beyond)) ++*empty;
        ++*count;
        if (*end != ',') return !*end;
    }
}

/* Reads the number at `at`, rounds it to the operand's type, and writes it as element `i`. Sets `end` after
 * the number. A u64 is read exactly, because a double lacks most numbers above 2^53. -n is 2^64 - n, as the
 * number of a first row is. */
static int put_number(const struct array *array, void *elements, size_t i, const char *at, const char **end)
{
    double number;
    bool is_beyond;
    uint64_t whole;
    const char *after;
    read_double(&number, at, end, &is_beyond);
    const bool is_negative = *at == '-';
    if (array->type == ACTGEN_U64 && read_count(&whole, at + is_negative, &after) && after == *end &&
        (!is_negative || whole <= UINT64_C(1) << 63)) {
        if (is_negative) whole = -whole;
        memcpy((uint64_t *)elements + i, &whole, sizeof whole);
        return EXIT_GOOD;
    }
    if (!is_beyond && element_put_at(elements, i, array->type, number)) return EXIT_GOOD;
    char *text = must_format("%.*s", (int)(*end - at), at);
    const int code = is_beyond
                         ? print_error(EXIT_INPUT, "'%s' for '%s' is too large for f64", text, array->name)
                         : wrong_number(array, text);
    free(text);
    return code;
}

/* Reads --in 2.5, and --in 1,2.5,-3 as a row of values, like a file of one dimension. A file of such a name
 * is './2.5'. Returns false if the text is something else. */
static bool read_numbers(struct array *array, int *code)
{
    const char *at = array->file->path;
    size_t count, empty;
    if (array->is_result || !count_numbers(at, &count, &empty)) return false;
    if (empty) {
        *code = print_error(
            EXIT_INPUT, "the list of numbers '%s' has an empty place (a file of that name: './%s')", at, at);
        return true;
    }
    *code = check_typed(array);
    if (*code) return true;
    array->is_number = count == 1;
    if (array->is_number) {
        *code = put_number(array, &array->element, 0, at, &at);
        return true;
    }
    if (elements_of_byte(array->type) > 1) array->sharing = count;
    array->width = array->sharing ? actgen_array_bytes(array->type, count) : count;
    npy_create(&array->npy, array->type, &array->width, 1);
    for (size_t i = 0; i < count && !*code; i++, at++) *code = put_number(array, array->npy.data, i, at, &at);
    return true;
}

/* Returns the number of blocks of `block` rows or columns, or `count` if that is 0. */
static size_t block_count(size_t block, size_t count)
{
    return block ? count / block + (count % block != 0) : count;
}

static size_t row_count(const struct arrays *a, const struct array *array)
{
    return block_count(array->block_rows, a->rows);
}

/* Returns the number of elements in a row of a file, or of the bytes that they share. */
static size_t row_length(const struct arrays *a, const struct array *array)
{
    if (array->block) return block_count(array->block, a->cols);
    return elements_of_byte(array->type) > 1 ? actgen_array_bytes(array->type, a->cols)
                                             : array->parts * a->cols;
}

static size_t value_count(const struct arrays *a, const struct array *array)
{
    return array->shape == ACTGEN_SHAPE_MATRIX ? row_count(a, array) * row_length(a, array)
           : array->shape == ACTGEN_SHAPE_COLS ? a->cols
           : array->shape == ACTGEN_SHAPE_ROWS ? row_count(a, array)
                                               : array->parts;
}

static void repeat_number(const struct arrays *a, struct array *array)
{
    const unsigned together = elements_of_byte(array->type);
    const size_t count = value_count(a, array), bytes = actgen_type_bytes(array->type);
    const double number = element_get(&array->element, array->type);
    npy_create(&array->npy, array->type, &count, 1);
    for (size_t i = 0; together > 1 && i < together * count; i++)
        element_put_at(array->npy.data, i, array->type, number);
    for (size_t i = 0; together == 1 && i < count; i++)
        memcpy(array->npy.data + i * bytes, &array->element, bytes);
    array->width = array->shape == ACTGEN_SHAPE_MATRIX ? row_length(a, array) : count;
}

static int read_array(const struct arrays *a, struct array *array)
{
    struct buffer file;
    char why[200];
    int code = EXIT_GOOD;
    if (read_numbers(array, &code)) return code;
    code = file_read_extent(&file, array->file->path, SIZE_MAX / 4, npy_extent);
    if (code) return code;
    if (!npy_parse(&array->npy, file, why, sizeof why))
        return print_file_error(EXIT_INPUT, array->file->path, "cannot use '%s': %s", array->file->path, why);
    if (!npy_holds(&array->npy, array->type)) {
        const bool is_typed = a->takes_type && !array->is_result;
        return print_file_error(EXIT_INPUT, array->file->path,
                                "'%s' holds %s, and '%s' of %s is %s, in files %s%s%s", array->file->path,
                                array->npy.type_text, array->name, actgen_kernel_name(a->kernel),
                                actgen_type_name(array->type), npy_type_text(array->type),
                                is_typed ? "; it takes the file's with --type " : "",
                                is_typed ? actgen_type_name(array->npy.type) : "");
    }
    return choose_columns(array);
}

/* ---- shapes ---- */

static int wrong_shape(const struct arrays *a, const struct array *array, const char *wanted)
{
    char shape[SHAPE_TEXT];
    npy_shape_text(shape, sizeof shape, array->npy.shape, array->npy.dimensions);
    const char *columns = array->file->columns;
    return print_file_error(EXIT_INPUT, array->file->path,
                            "'%s' has shape %s%s%s, and '%s' of %s needs %s%s%s%s", array->file->path, shape,
                            columns ? ", of which columns " : "", columns ? columns : "", array->name,
                            actgen_kernel_name(a->kernel), wanted, a->model ? ", by the shape of '" : "",
                            a->model ? a->model->file->path : "", a->model ? "'" : "");
}

/* Writes the shape of a [rows, cols] operand, and returns the number of dimensions. */
static size_t matrix_shape(const struct arrays *a, const struct array *array, size_t *shape)
{
    const size_t length = row_length(a, array);
    if (!a->model || array->block_rows) {
        shape[0] = row_count(a, array);
        shape[1] = length;
        return 2;
    }
    const struct npy *like = &a->model->npy;
    size_t dimensions = like->dimensions;
    memcpy(shape, like->shape, dimensions * sizeof *shape);
    if (!dimensions && array->parts > 1) dimensions = 1;
    if (dimensions) shape[dimensions - 1] = length;
    return dimensions;
}

static bool has_matrix_shape(const struct arrays *a, const struct array *array)
{
    size_t shape[NPY_MAX_DIMENSIONS], dimensions = matrix_shape(a, array, shape);
    if (!dimensions) return !array->npy.dimensions;
    return array->npy.dimensions == dimensions && array->width == row_length(a, array) &&
           !memcmp(array->npy.shape, shape, (dimensions - 1) * sizeof *shape);
}

static int check_matrix(const struct arrays *a, const struct array *array)
{
    size_t shape[NPY_MAX_DIMENSIONS];
    char wanted[SHAPE_TEXT];
    if (array->sharing && array->sharing != a->cols)
        return print_error(EXIT_INPUT, "'%s' has %zu numbers, and needs %zu, one per column", array->name,
                           array->sharing, a->cols);
    if (has_matrix_shape(a, array)) return EXIT_GOOD;
    npy_shape_text(wanted, sizeof wanted, shape, matrix_shape(a, array, shape));
    return wrong_shape(a, array, wanted);
}

/* Sets the rows and columns where no input is [rows, cols]. Blocks and bytes tell only the largest possible
 * numbers, so an input that tells the number itself counts more. */
static void choose_without_model(struct arrays *a)
{
    for (int is_exact = 0; is_exact < 2; is_exact++)
        for (size_t i = a->count; i-- > 0;) { /* backwards, so that the first input counts */
            const struct array *array = &a->list[i];
            const size_t together = elements_of_byte(array->type),
                         block = array->block ? array->block : together,
                         block_rows = array->block_rows ? array->block_rows : 1;
            const bool is_matrix = array->shape == ACTGEN_SHAPE_MATRIX;
            if (array->is_result || array->is_number) continue;
            if ((is_matrix || array->shape == ACTGEN_SHAPE_COLS) && (block == 1) == is_exact)
                a->cols = block * array->width / array->parts;
            if ((is_matrix || array->shape == ACTGEN_SHAPE_ROWS) && (block_rows == 1) == is_exact)
                a->rows =
                    block_rows *
                    (is_matrix || array->file->columns ? array->npy.rows : array->npy.rows * array->npy.cols);
        }
}

/* Sets the rows and columns from the first [rows, cols] input, or from the others without one. */
static int choose_shape(struct arrays *a)
{
    a->rows = a->cols = 1;
    bool all_share = true; /* bytes tell only the largest possible number of columns */
    for (size_t i = 0; i < a->count; i++)
        all_share &= a->list[i].is_result || a->list[i].shape != ACTGEN_SHAPE_MATRIX ||
                     elements_of_byte(a->list[i].type) > 1;
    for (size_t i = 0; i < a->count && !a->model; i++) {
        struct array *array = &a->list[i];
        if (array->is_result || array->is_number || array->shape != ACTGEN_SHAPE_MATRIX || array->block ||
            array->block_rows)
            continue;
        const unsigned together = elements_of_byte(array->type);
        if (together > 1 && !all_share && !array->sharing) continue;
        if (array->width % array->parts)
            return print_file_error(EXIT_INPUT, array->file->path,
                                    "'%s' has rows of %zu columns, and '%s' of %s needs a multiple of %zu",
                                    array->file->path, array->width, array->name,
                                    actgen_kernel_name(a->kernel), array->parts);
        a->model = array;
        a->rows = array->npy.rows;
        a->cols = array->sharing ? array->sharing : together * array->width / array->parts;
    }
    if (!a->model) choose_without_model(a);
    return EXIT_GOOD;
}

static int check_shape(const struct arrays *a, const struct array *array)
{
    const struct npy *n = &array->npy;
    const size_t values = n->rows * array->width, count = row_count(a, array);
    char wanted[SHAPE_TEXT];
    switch (array->shape) {
    case ACTGEN_SHAPE_COLS:
        npy_shape_text(wanted, sizeof wanted, &a->cols, 1);
        return n->dimensions == 1 && array->width == a->cols ? EXIT_GOOD : wrong_shape(a, array, wanted);
    case ACTGEN_SHAPE_ROWS:
        npy_shape_text(wanted, sizeof wanted, &count, 1);
        return values == count && (!array->file->columns || array->width == 1)
                   ? EXIT_GOOD
                   : wrong_shape(a, array, wanted);
    case ACTGEN_SHAPE_ONE:
        snprintf(wanted, sizeof wanted, array->parts == 1 ? "one value" : "%zu values", array->parts);
        return values == array->parts ? EXIT_GOOD : wrong_shape(a, array, wanted);
    default: return check_matrix(a, array);
    }
}

/* ---- all together ---- */

static int read_inputs(struct arrays *a)
{
    int code = EXIT_GOOD;
    for (size_t i = 0; i < a->count && !code; i++)
        if (!a->list[i].is_result) code = read_array(a, &a->list[i]);
    if (!code) code = choose_shape(a);
    for (size_t i = 0; i < a->count && !code; i++)
        if (a->list[i].is_number)
            repeat_number(a, &a->list[i]);
        else if (!a->list[i].is_result)
            code = check_shape(a, &a->list[i]);
    return code;
}

/* Writes the shape of a result, and returns the number of dimensions. A sum has one value per row, per column
 * or in all, or a list of such values. */
static size_t result_shape(const struct arrays *a, const struct array *array, size_t *shape)
{
    if (array->shape == ACTGEN_SHAPE_MATRIX) return matrix_shape(a, array, shape);
    shape[0] = array->shape == ACTGEN_SHAPE_COLS ? row_length(a, array) : value_count(a, array);
    return array->shape != ACTGEN_SHAPE_ONE || array->parts > 1;
}

/* Makes the array of a result: a new one, or for --columns a copy of the file, whose other columns stay. */
static int make_result(const struct arrays *a, struct array *array)
{
    size_t shape[NPY_MAX_DIMENSIONS], dimensions = result_shape(a, array, shape);
    if (!array->file || !array->file->columns) {
        npy_create(&array->npy, array->type, shape, dimensions);
        array->width = array->npy.cols;
        return EXIT_GOOD;
    }
    int code = read_array(a, array);
    if (!code) code = check_matrix(a, array);
    if (code) return code;
    struct npy old = array->npy;
    npy_create(&array->npy, old.type, old.shape, old.dimensions);
    memcpy(array->npy.data, old.data, old.rows * old.cols * actgen_type_bytes(old.type));
    npy_free(&old);
    return EXIT_GOOD;
}

int arrays_open(struct arrays *a, const actgen_kernel *kernel, bool takes_type, const struct options *options)
{
    *a = (struct arrays){.kernel = kernel, .takes_type = takes_type};
    a->list = must_allocate(actgen_kernel_group_count(kernel), sizeof *a->list);
    int code = find_operands(a, options);
    if (!code) code = check_outputs(options);
    if (!code) code = read_inputs(a);
    for (size_t i = 0; i < a->count && !code; i++)
        if (a->list[i].is_result) code = make_result(a, &a->list[i]);
    return code;
}

int arrays_run(const struct arrays *a)
{
    actgen_error error = {0};
    actgen_operand *operands = must_allocate(a->count, sizeof *operands);
    for (size_t i = 0; i < a->count; i++) {
        const struct array *array = &a->list[i];
        const bool by_columns = array->file && array->file->columns;
        const size_t stride = by_columns ? array->npy.cols * elements_of_byte(array->type) : 0;
        operands[i] =
            (actgen_operand){array->npy.data + array->from * actgen_type_bytes(array->type), stride};
    }
    const int status = actgen_run(a->kernel, a->rows, a->cols, operands, a->count, &error);
    free(operands);
    return status ? print_error(exit_of_status(status), "%s", error.message) : EXIT_GOOD;
}

int arrays_write(struct arrays *a)
{
    struct output *outputs = must_allocate(a->count, sizeof *outputs);
    size_t count = 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->list[i].is_result)
            outputs[count++] = (struct output){.path = a->list[i].file->path, .content = a->list[i].npy.file};
    int code = outputs_write(outputs, count);
    free(outputs);
    return code;
}

void arrays_close(struct arrays *a)
{
    for (size_t i = 0; i < a->count; i++) {
        npy_free(&a->list[i].npy);
        free(a->list[i].name);
    }
    free(a->list);
    *a = (struct arrays){0};
}
