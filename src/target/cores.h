/* Processor cores as data: what each class of operation takes, one initializer of struct target_costs a core.
 * To add a core: a row here, and its name in the table of target.c.
 *
 * {micro-ops, ports} of one operation on a vector of the instruction set, ports being a set; a second pair where
 * some of the micro-ops may use other ports. DIVIDER is a port that nothing else uses, so a division overlaps
 * with all but divisions; its "micro-ops" are cycles. WIDEN and NARROW are of a whole vector of f32, all others
 * of f64 are of one vector: a value of f64 takes two. */
#ifndef ACTGEN_CORES_H
#define ACTGEN_CORES_H

#include "target.h"

/* Two 512-bit ports, here 0 (with 1) and 5. Measured on a Xeon with AVX-512 by loops of twelve independent
 * instructions of a kind, or of two kinds by turns. Ice Lake's and Sapphire Rapids' servers have the same ports for
 * 512 bits (llvm-mca 22). The front end's share is the difference between measured loops and their ports. */
#define CORE_SKYLAKE_X                                                                                       \
    {                                                                                                        \
        .name = "skylake-x", .isa = "avx512", .source = "skylake-x: measured, cycles at 512 bits",           \
        .ternary_logic = true, .per_uop = 0.2f, .op = {                                                      \
            [CLASS_ADD] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MUL] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MINMAX] = {{1, PORT_0 | PORT_1}},                                                         \
            [CLASS_LOGIC] = {{1, PORT_0 | PORT_1}},                                                          \
            [CLASS_IADD] = {{1, PORT_0 | PORT_1}},                                                           \
            [CLASS_IMIN] = {{1, PORT_0}},                                                                    \
            [CLASS_SHIFT] = {{1, PORT_0}},                                                                   \
            [CLASS_IMUL] = {{2, PORT_0 | PORT_1}},                                                           \
            [CLASS_COMPARE] = {{1, PORT_1}},                                                                 \
            [CLASS_SELECT] = {{1, PORT_0 | PORT_1}},                                                         \
            [CLASS_ROUND] = {{2, PORT_0 | PORT_1}},                                                          \
            [CLASS_CONVERT] = {{1, PORT_0 | PORT_1}},                                                        \
            [CLASS_WIDEN] = {{3, PORT_1}, {2, PORT_0 | PORT_1}},                                             \
            [CLASS_NARROW] = {{3, PORT_1}, {2, PORT_0 | PORT_1}},                                            \
            [CLASS_SCALE] = {{1, PORT_0 | PORT_1}},                                                          \
            [CLASS_LOOKUP32] = {{1, PORT_1}},                                                                \
            [CLASS_LOOKUP64] = {{1, PORT_1}},                                                                \
            [CLASS_DIV32] = {{10, DIVIDER}, {1, PORT_0}},                                                    \
            [CLASS_DIV64] = {{16, DIVIDER}, {1, PORT_0}},                                                    \
            [CLASS_SQRT32] = {{12, DIVIDER}, {1, PORT_0}},                                                   \
            [CLASS_SQRT64] = {{18, DIVIDER}, {1, PORT_0}},                                                   \
        }                                                                                                    \
    }

/* {fma, permute} share two pipes, {add, min, shift} the two others, integer logic goes anywhere. Measured: fma,
 * mul, permutes, add, min, shifts, logic, integer add and min, blend, f32 division and root, scalef, round. By
 * llvm-mca 22 (znver4): the rest. */
#define CORE_ZEN5                                                                                            \
    {                                                                                                        \
        .name = "zen5", .isa = "avx512",                                                                     \
        .source = "zen5: measured, cycles at 512 bits; conversions, f64 "                                    \
                  "division by llvm-mca 22",                                                                 \
        .ternary_logic = true, .per_uop = 0.08f, .op = {                                                     \
            [CLASS_ADD] = {{1, PORT_2 | PORT_3}},                                                            \
            [CLASS_MUL] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MINMAX] = {{1, PORT_2 | PORT_3}},                                                         \
            [CLASS_LOGIC] = {{1, ANY_OF_4}},                                                                 \
            [CLASS_IADD] = {{1, ANY_OF_4}},                                                                  \
            [CLASS_IMIN] = {{1, ANY_OF_4}},                                                                  \
            [CLASS_SHIFT] = {{1, PORT_2 | PORT_3}},                                                          \
            [CLASS_IMUL] = {{1, PORT_0 | PORT_1}},                                                           \
            [CLASS_COMPARE] = {{1, PORT_2 | PORT_3}},                                                        \
            [CLASS_SELECT] = {{1, ANY_OF_4}},                                                                \
            [CLASS_ROUND] = {{1, PORT_2 | PORT_3}},                                                          \
            [CLASS_CONVERT] = {{2, PORT_2 | PORT_3}},                                                        \
            [CLASS_WIDEN] = {{4, PORT_2 | PORT_3}, {1, PORT_0 | PORT_1}},                                    \
            [CLASS_NARROW] = {{4, PORT_2 | PORT_3}, {1, PORT_0 | PORT_1}},                                   \
            [CLASS_SCALE] = {{2, PORT_0 | PORT_1}},                                                          \
            [CLASS_LOOKUP32] = {{1, PORT_0 | PORT_1}},                                                       \
            [CLASS_LOOKUP64] = {{1, PORT_0 | PORT_1}},                                                       \
            [CLASS_DIV32] = {{2.5f, DIVIDER}},                                                               \
            [CLASS_DIV64] = {{5, DIVIDER}},                                                                  \
            [CLASS_SQRT32] = {{4.5f, DIVIDER}},                                                              \
            [CLASS_SQRT64] = {{9, DIVIDER}},                                                                 \
        }                                                                                                    \
    }

/* Zen 5's pipes at half the width: two passes each. */
#define CORE_ZEN4                                                                                            \
    {                                                                                                        \
        .name = "zen4", .isa = "avx512", .source = "zen4: llvm-mca 22, cycles at 512 bits",                  \
        .ternary_logic = true, .per_uop = 0.1f, .op = {                                                      \
            [CLASS_ADD] = {{2, PORT_2 | PORT_3}},                                                            \
            [CLASS_MUL] = {{2, PORT_0 | PORT_1}},                                                            \
            [CLASS_MINMAX] = {{2, PORT_2 | PORT_3}},                                                         \
            [CLASS_LOGIC] = {{2, ANY_OF_4}},                                                                 \
            [CLASS_IADD] = {{2, ANY_OF_4}},                                                                  \
            [CLASS_IMIN] = {{2, ANY_OF_4}},                                                                  \
            [CLASS_SHIFT] = {{2, ANY_OF_4}},                                                                 \
            [CLASS_IMUL] = {{2, PORT_0 | PORT_1}},                                                           \
            [CLASS_COMPARE] = {{2, PORT_2 | PORT_3}},                                                        \
            [CLASS_SELECT] = {{2, PORT_2 | PORT_3}},                                                         \
            [CLASS_ROUND] = {{2, PORT_2 | PORT_3}},                                                          \
            [CLASS_CONVERT] = {{2, PORT_2 | PORT_3}},                                                        \
            [CLASS_WIDEN] = {{8, PORT_2 | PORT_3}},                                                          \
            [CLASS_NARROW] = {{8, PORT_2 | PORT_3}},                                                         \
            [CLASS_SCALE] = {{2, PORT_0 | PORT_1}},                                                          \
            [CLASS_LOOKUP32] = {{2, PORT_1 | PORT_2}},                                                       \
            [CLASS_LOOKUP64] = {{2, PORT_1 | PORT_2}},                                                       \
            [CLASS_DIV32] = {{6, DIVIDER}},                                                                  \
            [CLASS_DIV64] = {{10, DIVIDER}},                                                                 \
            [CLASS_SQRT32] = {{10, DIVIDER}},                                                                \
            [CLASS_SQRT64] = {{18, DIVIDER}},                                                                \
        }                                                                                                    \
    }

/* Three vector ports, permutes on the third. lookup64 and scale2 are what they become without an instruction. */
#define CORE_GENERIC_AVX2                                                                                    \
    {                                                                                                        \
        .name = "generic-avx2", .isa = "avx2",                                                               \
        .source = "generic-avx2: llvm-mca 22 (skylake, znver3), cycles at 256 bits", .per_uop = 0.1f,        \
        .op = {                                                                                              \
            [CLASS_ADD] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MUL] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MINMAX] = {{1, PORT_0 | PORT_1}},                                                         \
            [CLASS_LOGIC] = {{1, ANY_OF_3}},                                                                 \
            [CLASS_IADD] = {{1, ANY_OF_3}},                                                                  \
            [CLASS_IMIN] = {{1, PORT_0 | PORT_1}},                                                           \
            [CLASS_SHIFT] = {{1, PORT_0 | PORT_1}},                                                          \
            [CLASS_IMUL] = {{2, PORT_0 | PORT_1}},                                                           \
            [CLASS_COMPARE] = {{1, PORT_0 | PORT_1}},                                                        \
            [CLASS_SELECT] = {{2, ANY_OF_3}},                                                                \
            [CLASS_ROUND] = {{2, PORT_0 | PORT_1}},                                                          \
            [CLASS_CONVERT] = {{1, PORT_0 | PORT_1}},                                                        \
            [CLASS_WIDEN] = {{3, PORT_2}, {2, PORT_0 | PORT_1}},                                             \
            [CLASS_NARROW] = {{3, PORT_2}, {2, PORT_0 | PORT_1}},                                            \
            [CLASS_SCALE] = {{7, PORT_0 | PORT_1}, {4, ANY_OF_3}},                                           \
            [CLASS_LOOKUP32] = {{1, PORT_2}},                                                                \
            [CLASS_LOOKUP64] = {{8, PORT_2}, {4, ANY_OF_3}},                                                 \
            [CLASS_DIV32] = {{5, DIVIDER}},                                                                  \
            [CLASS_DIV64] = {{8, DIVIDER}},                                                                  \
            [CLASS_SQRT32] = {{6, DIVIDER}},                                                                 \
            [CLASS_SQRT64] = {{12, DIVIDER}},                                                                \
        }                                                                                                    \
    }

/* The same ports at 128 bits, with no more than SSE2: lookups go through memory, round, select and integer
 * minimum are several operations. */
#define CORE_GENERIC                                                                                         \
    {                                                                                                        \
        .name = "generic", .isa = "x86-64",                                                                  \
        .source = "generic: llvm-mca 22 (skylake, znver3), cycles at 128 bits", .per_uop = 0.1f, .op = {     \
            [CLASS_ADD] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MUL] = {{1, PORT_0 | PORT_1}},                                                            \
            [CLASS_MINMAX] = {{1, PORT_0 | PORT_1}},                                                         \
            [CLASS_LOGIC] = {{1, ANY_OF_3}},                                                                 \
            [CLASS_IADD] = {{1, ANY_OF_3}},                                                                  \
            [CLASS_IMIN] = {{4, ANY_OF_3}},                                                                  \
            [CLASS_SHIFT] = {{1, PORT_0 | PORT_1}},                                                          \
            [CLASS_IMUL] = {{2, PORT_0}, {4, PORT_2}},                                                       \
            [CLASS_COMPARE] = {{1, PORT_0 | PORT_1}},                                                        \
            [CLASS_SELECT] = {{3, ANY_OF_3}},                                                                \
            [CLASS_ROUND] = {{3, PORT_0 | PORT_1}, {6, ANY_OF_3}},                                           \
            [CLASS_CONVERT] = {{1, PORT_0 | PORT_1}},                                                        \
            [CLASS_WIDEN] = {{3, PORT_2}, {2, PORT_0 | PORT_1}},                                             \
            [CLASS_NARROW] = {{3, PORT_2}, {2, PORT_0 | PORT_1}},                                            \
            [CLASS_SCALE] = {{7, PORT_0 | PORT_1}, {4, ANY_OF_3}},                                           \
            [CLASS_LOOKUP32] = {{8, PORT_2}, {4, ANY_OF_3}},                                                 \
            [CLASS_LOOKUP64] = {{4, PORT_2}, {2, ANY_OF_3}},                                                 \
            [CLASS_DIV32] = {{3, DIVIDER}},                                                                  \
            [CLASS_DIV64] = {{4, DIVIDER}},                                                                  \
            [CLASS_SQRT32] = {{3, DIVIDER}},                                                                 \
            [CLASS_SQRT64] = {{6, DIVIDER}},                                                                 \
        }                                                                                                    \
    }

#endif
