/* Hashes the interpreter's results for many random inputs, as check.c does it for those of another machine.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check.h"
#include "matrix.h"
#include "write.h"

/* Gives random values to an operand, or adds its results to the hash. */
static uint64_t visit(const struct matrix *m, const actgen_operand_info *o, uint64_t *state, uint64_t hash)
{
    const struct matrix_group *g = &m->groups[o->group];
    void *data = (void *)g->given[BY_INTERPRETER].data;
    for (size_t row = 0; row < CROSS_ROWS; row++)
        for (size_t col = 0; col < CROSS_COLS; col++) {
            const size_t index = matrix_index(m, o, row, col, CROSS_COLS);
            if (o->is_result) {
                const uint64_t bits = element_get(data, g->type, index);
                hash = cross_mix(hash, isnan(element_types[g->type].value(bits)) ? UINT64_MAX : bits);
            } else {
                element_set(data, g->type, index, cross_random((uint32_t)o->type, g->bytes, state));
            }
        }
    return hash;
}

uint64_t cross_random_hash(struct matrix *m, uint32_t calls)
{
    const struct matrix_call call = {.rows = CROSS_ROWS, .cols = CROSS_COLS};
    actgen_operand operands[MATRIX_NAMES];
    actgen_error error;
    uint64_t state = 0, hash = 0;
    assert_true(matrix_place(m, &call));
    for (size_t g = 0; g < m->group_count; g++) operands[g] = m->groups[g].given[BY_INTERPRETER];
    while (calls--) {
        for (size_t n = 0; n < m->name_count; n++)
            if (!m->names[n].is_result) visit(m, &m->names[n], &state, 0);
        if (actgen_interpret(m->kernel, CROSS_ROWS, CROSS_COLS, operands, m->group_count, &error))
            fail_msg("%s: %s", m->what, error.message);
        for (size_t n = 0; n < m->name_count; n++)
            if (m->names[n].is_result) hash = visit(m, &m->names[n], NULL, hash);
    }
    return hash;
}
