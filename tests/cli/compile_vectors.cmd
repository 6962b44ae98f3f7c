gcc=$(command -v gcc) && [ "$(uname -m)" = x86_64 ] && $gcc --version | grep -q 'Free Software' || { echo "there is no GCC for x86-64"; exit 77; }
printf 'kernel act(x: f32, beta: f32[]) -> (y: f32) { y = swish(x, beta = beta) }\nkernel gate(a: f64, b: f64) -> (y: f64) { y = silu(a)*b }\n' > k.act
actgen compile gelu tanh k.act --abi vector -o k.o --header k.h || exit
for language in 'c -std=c90' 'c -std=c11' 'c++ -std=c++11' 'c++ -std=c++20'; do
    printf '#include "k.h"\n#include "k.h"\nfloat f(float x);\nfloat f(float x) { return gelu(act(x, x)) + (float)gate(1, 2) + actgen_tanh(x); }\n' > use.c
    $gcc -x $language -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only use.c || echo "$language"
    for clang in clang-19 clang++-19; do
        [ "${clang%++-19}" = clang ] && case $language in c++*) continue;; esac
        command -v $clang >clang && { $clang -x $language -pedantic -Wall -Wextra -Wconversion -Werror -fsyntax-only use.c || echo "$clang $language"; }
    done
done
cat > loop.c <<'C'
#include "k.h"
void loop(int n, const float *restrict x, float *restrict y, float w, float b) {
    for (int i = 0; i < n; i++) y[i] = gelu(x[i]*w + b)*w;
}
void twice(int n, const float *restrict x, float *restrict y, float beta) {
    for (int i = 0; i < n; i++) y[i] = act(x[i], beta);
}
void gates(int n, const double *restrict a, const double *restrict b, double *restrict y) {
    for (int i = 0; i < n; i++) y[i] = gate(a[i], b[i]);
}
C
cat > main.c <<'C'
#include "k.h"
#include <stdio.h>
enum { N = 1003 };
void loop(int n, const float *x, float *y, float w, float b);
void twice(int n, const float *x, float *y, float beta);
void gates(int n, const double *a, const double *b, double *y);
int main(void) { /* every element has the bits of a call for one value, whatever width computed it */
    static float x[N], y[N];
    static double u[N], v[N];
    int wrong = 0;
    for (int i = 0; i < N; i++) u[i] = x[i] = (float)(i - N / 2) * 0.0123f;
    loop(N, x, y, 0.5f, 0.25f);
    for (int i = 0; i < N; i++) wrong += y[i] != gelu(x[i]*0.5f + 0.25f)*0.5f;
    twice(N, x, y, 1.25f);
    for (int i = 0; i < N; i++) wrong += y[i] != act(x[i], 1.25f);
    gates(N, u, u, v);
    for (int i = 0; i < N; i++) wrong += v[i] != gate(u[i], u[i]);
    gelu_rows(1, N, x, y);
    for (int i = 0; i < N; i++) wrong += y[i] != gelu(x[i]);
    return printf("%d wrong\n", wrong) < 0;
}
C
$gcc -Wall -Wextra -Werror -O1 -c main.c || exit
run() { # the options of the loop: the names that it calls, and if they give the bits of single values
    $gcc -Wall -Wextra -Werror -O3 -ffp-contract=off "$@" -c loop.c && nm -u loop.o | sed -n 's/.*\(_ZGV.*\)/\1/p' && $gcc main.o loop.o k.o -o main || exit
    case "$*" in *avx512*) grep -q avx512f /proc/cpuinfo || { echo "0 wrong"; return; };; *avx2*) grep -q avx2 /proc/cpuinfo || { echo "0 wrong"; return; };; esac
    ./main
}
run
run -mavx2
run -fopenmp-simd -mavx512f -mprefer-vector-width=512
run -fopenmp
$gcc -Wall -O2 -fno-tree-vectorize -c loop.c && nm -u loop.o | sed 's/.* //'
--- exit 0
--- stdout
_ZGVbN2vv_gate
_ZGVbN4v_gelu
_ZGVbN4vv_act
0 wrong
_ZGVbN2vv_gate
_ZGVbN4v_gelu
_ZGVbN4vv_act
_ZGVdN4vv_gate
_ZGVdN8v_gelu
_ZGVdN8vv_act
0 wrong
_ZGVdN4vv_gate
_ZGVdN8v_gelu
_ZGVdN8vv_act
_ZGVeN16v_gelu
_ZGVeN16vv_act
_ZGVeN8vv_gate
0 wrong
_ZGVbN2vv_gate
_ZGVbN4v_gelu
_ZGVbN4vu_act
0 wrong
act
gate
gelu
--- stderr
