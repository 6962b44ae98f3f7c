/* Compiled by test_header.c, as C and as C++: reads operands from stdin, calls the typed functions of the generated header,
 * writes the operands to stdout. */
#include "data.h"
#include "layouts.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    static struct data dense, strided;
    if (fread(&dense, sizeof dense, 1, stdin) != 1) return 1;
    memcpy(&strided, &dense, sizeof dense);
    layouts(ROWS, COLS, dense.gate_up, dense.a_b, dense.x, dense.bias, dense.scale, dense.beta, dense.y,
            dense.p_q, dense.r_s);
    layouts_strided(ROWS, COLS, strided.gate_up, 2 * WIDE, strided.a_b, 2 * WIDE, strided.x, WIDE,
                    strided.bias, strided.scale, 2, strided.beta, strided.y, WIDE, strided.p_q, 2 * WIDE,
                    strided.r_s, 2 * WIDE);
    return fwrite(&dense, sizeof dense, 1, stdout) != 1 || fwrite(&strided, sizeof strided, 1, stdout) != 1;
}
