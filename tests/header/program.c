/* Reads operands from stdin, calls all functions of the generated header, and writes the operands to stdout.
 * test_header.c compiles this program as C and as C++. */
#include "data.h"
#include "layouts.h"

#include <stdio.h>
#include <string.h>

/* Calls the kernel by the array of operands. Inputs are const and need no cast. */
static void call_operands(const struct data *in, struct data *out)
{
    const actgen_operand operands[] = {{in->gate_up, 0}, {in->a_b, 0},   {in->x, 0},
                                       {in->bias, 0},    {in->scale, 0}, {in->beta, 0},
                                       {out->y, 0},      {out->p_q, 0},  {out->r_s, 0}};
    layouts_kernel(ROWS, COLS, operands);
}

int main(void)
{
    static struct data dense, strided, third;
    if (fread(&dense, sizeof dense, 1, stdin) != 1) return 1;
    memcpy(&strided, &dense, sizeof dense);
    memcpy(&third, &dense, sizeof dense);
    call_operands(&dense, &third);
    layouts(ROWS, COLS, dense.gate_up, dense.a_b, dense.x, dense.bias, dense.scale, dense.beta, dense.y,
            dense.p_q, dense.r_s);
    layouts_strided(ROWS, COLS, strided.gate_up, 2 * WIDE, strided.a_b, 2 * WIDE, strided.x, WIDE,
                    strided.bias, strided.scale, 2, strided.beta, strided.y, WIDE, strided.p_q, 2 * WIDE,
                    strided.r_s, 2 * WIDE);
    if (memcmp(&third, &dense, sizeof dense)) return 2;
    return fwrite(&dense, sizeof dense, 1, stdout) != 1 || fwrite(&strided, sizeof strided, 1, stdout) != 1;
}
