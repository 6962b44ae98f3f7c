// In a shared library: a kernel that is called `gate`, too.
#include "hidden.h"
#include "shown.h"

float silu_of(float x);

float silu_of(float x)
{
    float y = 0, z = 0;
    gate(1, 1, &x, &y);
    shown_gate(1, 1, &x, &z); // so that the linker takes it from its library
    return z > y ? y : 0;
}
