// Calls a kernel from C++: gelu(1) to six digits.
#include "gate.h"

int main()
{
    const float x = 1;
    float y = 0;
    gate(1, 1, &x, &y);
    return y > 0.841344F && y < 0.841346F ? 0 : 1;
}
