cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
actgen compile relu swish -o two.o --header two.h || exit
cat > main.c <<'C'
#include "two.h"
int main(void)
{
    float x = 1, y;
    relu(1, 1, &x, &y);
    return y != 1;
}
C
$cc main.c two.o -Wl,--gc-sections -o main && ./main && nm main | grep -oE ' (relu|swish)(_strided)?$'
--- exit 0
--- stdout
 relu
--- stderr
