/* Compares functions of one value with calls over rows, bit for bit. kernels.inc lists the kernels. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "f32.h"
#include "f64.h"

enum { COUNT = 256 };
typedef float f32_;
typedef double f64_;

static int failures;

static double value_at(unsigned i)
{
    static const double usual[] = {0, -0.0, 1, -1, 0.5, -3.25, 7, -20, 90, -90, 1e-3, 1e-40};
    static const double limits[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};
    if (i % 4 == 1) return limits[i / 4 % 3];
    return i % 4 ? ((double)(i * 2654435761u % 4096) - 2048) / 256 : usual[i / 4 % 12];
}

#define KERNEL(type, name)                                                                                   \
    static void check_##type##_##name(void)                                                                  \
    {                                                                                                        \
        static type##_ x[COUNT], y[COUNT];                                                                   \
        for (unsigned i = 0; i < COUNT; i++) x[i] = (type##_)value_at(i);                                    \
        const actgen_operand operands[] = {{x, 0}, {y, 0}};                                                  \
        type##_##name##_kernel(1, COUNT, operands);                                                          \
        for (unsigned i = 0; i < COUNT; i++) {                                                               \
            const type##_ z = type##_##name(x[i]);                                                           \
            if (!memcmp(&z, &y[i], sizeof z) || (z != z && y[i] != y[i])) continue;                          \
            if (!failures++) printf("%s of %g: %.17g, not %.17g\n", #type "_" #name, x[i], z, y[i]);         \
        }                                                                                                    \
    }
#include "kernels.inc"
#undef KERNEL

int main(void)
{
#define KERNEL(type, name) check_##type##_##name();
#include "kernels.inc"
    printf("%d wrong\n", failures);
    return failures != 0;
}
