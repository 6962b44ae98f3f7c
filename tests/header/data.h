/* The operands of the kernel `layouts`, shared by test_header.c and the program that it compiles. */
#ifndef ACTGEN_TEST_HEADER_DATA_H
#define ACTGEN_TEST_HEADER_DATA_H

#include <stdint.h>

enum { ROWS = 3, COLS = 37, WIDE = 41 }; /* WIDE is the row stride of the strided call. */

struct data {
    double x[ROWS * WIDE], beta[1], y[ROWS * WIDE];
    float bias[COLS], scale[ROWS * 2], p_q[ROWS * 2 * WIDE];
    uint16_t gate_up[ROWS * 2 * WIDE], a_b[ROWS * 2 * WIDE], r_s[ROWS * 2 * WIDE];
};

#endif
