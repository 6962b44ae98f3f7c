// A shared library with a kernel that is also called `gate`.
#include "hidden.h"
#include "shown.h"

float silu_of(float x);

float silu_of(float x)
{
    float y = 0, z = 0;
    gate(1, 1, &x, &y);
    shown_gate(1, 1, &x, &z); // This call makes the linker take the kernel from its library.
    return z > y ? y : 0;
}
