cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
printf 'kernel half(x: f32) -> (y: f32) { y = relu(x)*0.5 }\n' > half.act
actgen compile half.act -o half.o --header half.h || exit
cat > main.c <<'C'
#include "half.h"
#include <stdio.h>
int main(void)
{
    float x[3] = {-1, 3, 5}, y[3];
    half(1, 3, x, y);
    return printf("%g %g %g\n", y[0], y[1], y[2]) < 0;
}
C
$cc -Wall -Wextra -Wpedantic -Werror -c main.c -o main.o && $cc main.o half.o -o main && ./main
--- exit 0
--- stdout
0 1.5 2.5
--- stderr
