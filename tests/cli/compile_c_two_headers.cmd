# A program includes two headers of one name: C source, and headers of objects.
cc=$(command -v cc) || { echo 'no C compiler'; exit 77; }
mkdir a b c
actgen compile gelu --emit c -o a/kernels.h && actgen compile silu --emit c -o b/kernels.h && cp a/kernels.h c/kernels.h
cat >both.c <<'END'
#include "a/kernels.h"
#include "b/kernels.h"
#include "c/kernels.h"
#include <stdio.h>
int main(void) { return printf("%.3f %.3f\n", (double)gelu_value(1.0f), (double)silu_value(1.0f)) < 0; }
END
$cc -Wall -Wextra -Werror both.c -o both -lm && ./both

# Different functions of one name are the compiler's error, not a silent choice of the first.
actgen compile gelu --type bf16 --emit c -o b/kernels.h && ! $cc both.c -o both -lm 2>errors && grep -c "redefinition of .gelu_value" errors
actgen compile gelu --type bf16 --emit c --prefix other_ -o b/kernels.h && sed 's/silu/other_gelu/' both.c | $cc -Wall -Wextra -Werror -x c - -o both -lm && ./both

# Headers of objects.
actgen compile gelu --abi vector -o a/kernels.o --header a/kernels.h && actgen compile silu --abi vector -o b/kernels.o --header b/kernels.h
cp a/kernels.h c/kernels.h
sed 's/_value(/(/g' both.c | $cc -Wall -Wextra -Werror -x c - -x none a/kernels.o b/kernels.o -o both && ./both
--- exit 0
--- stdout
0.841 0.731
1
0.841 0.841
0.841 0.731
