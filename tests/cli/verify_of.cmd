# judges functions of other libraries: of one value, of arrays in two orders, and of the vector ABI
cat >of.c <<'END'
#include <math.h>
#include <stddef.h>
/* This is wrong below -1. */
float relu_wrong(float x) { return x > 0 ? x : x < -1 ? 1e-6f : 0 * x; }
/* The last element of an odd length has another formula. */
void tail(size_t n, const float *x, float *y) { for (size_t i = 0; i < n; i++) y[i] = i + 1 == n && n % 2 ? x[i]*x[i] : x[i]*x[i]*1.0000001f; }
void square(float *y, const float *x, int n) { for (int i = 0; i < n; i++) y[i] = x[i]*x[i]; }
double square64(double x) { return x*x; }
void narrow(int n, const float *x, unsigned short *y) /* bf16, to nearest even */
{
    for (int i = 0; i < n; i++) {
        union { float f; unsigned u; } z = {x[i]*x[i]};
        y[i] = z.f != z.f ? 0x7fc0 : (unsigned short)((z.u + 0x7fff + (z.u >> 16 & 1)) >> 16);
    }
}
END
cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
$cc -O1 -ffp-contract=off -shared -fPIC of.c -o of.so
actgen verify --of ./of.so:relu_wrong relu
actgen verify --of './of.so:tail(n, x, y)' -e 'x*x'
actgen verify --of './of.so:square(y,x,n)' -e 'x*x' --accuracy '0.5 ulp'
actgen verify --of ./of.so:square64 -e 'x*x' --type f64 --json | grep -o '"of": "[^"]*", "place": [a-z]*'
echo 'kernel k(x: f32) -> (y: bf16) { y = x*x }' > narrow.act
actgen verify --of './of.so:narrow(n, x, y)' narrow.act | head -3
actgen verify --of ./of.so:narrow narrow.act
actgen verify --of ./of.so:square -e 'x*x' --type bf16
actgen verify --of './of.so:square(a, b)' -e 'x*x'
actgen verify --of ./none.so:f relu
actgen verify --of ./of.so:none relu
actgen verify --of of.so relu
actgen verify --of ./of.so:square swiglu
actgen verify --of ./of.so:square relu gelu
actgen verify --of ./of.so:square relu --exhaustive --resume j
--- exit 2
--- stdout
kernel              isa     bound          max error  at input       verdict
./of.so:relu_wrong  -       3 ulp      7.136e+38 ulp  -1.0000001     WRONG
    * of * results are beyond the bound, or have a wrong NaN,
    infinity or sign of zero. The largest error is 7.136e+38 ulp, at -1.0000001.

0 of 1 rows passed, 1 failed.
Tested: * inputs against the exact value.
With --exhaustive, each function of one f32 is tested on all 2^32 inputs.
kernel                 isa     bound       max error  at input       verdict
./of.so:tail(n, x, y)  -       3 ulp         2.5 ulp  2.3488106e+08  ok
    The results depend on their places: element 0 in a call of 2 elements, which
    begins after 0 elements, is another than in a call by itself.

Every tested result was within the bound.
Tested: * inputs against the exact value.
With --exhaustive, each function of one f32 is tested on all 2^32 inputs.
kernel                 isa     bound       max error  at input       verdict
./of.so:square(y,x,n)  -       0.5 ulp       0.5 ulp  2.646978e-23   ok

Every tested result was within the bound.
Tested: * inputs against the exact value.
With --exhaustive, each function of one f32 is tested on all 2^32 inputs.
"of": "./of.so:square64", "place": null
kernel                   isa     bound       max error  at input       verdict
./of.so:narrow(n, x, y)  -       0.51 ulp      0.5 ulp  -7.9293756     ok

kernel          isa     bound       max error  at input       verdict
./of.so:narrow  -       0.51 ulp            -  -              error

0 of 1 rows passed, 1 failed.
kernel          isa     bound       max error  at input       verdict
./of.so:square  -       0.5 ulp             -  -              error

0 of 1 rows passed, 1 failed.
kernel          isa     bound       max error  at input       verdict
./of.so:square  -       3 ulp               -  -              error

0 of 1 rows passed, 1 failed.
--- stderr
actgen: error: --of './of.so:narrow': its result has the type of its input, and the kernel's result another
actgen: error: --of './of.so:square': a function of one value has f32 or f64; other types need arrays: SYMBOL(n, x, y)
actgen: error: --of './of.so:square(a, b)': the arguments of a function of arrays are n, x and y, once each: (n, x, y)
actgen: error: --of: ./none.so: cannot open shared object file: No such file or directory
actgen: error: --of: ./of.so has no function 'none'
actgen: error: --of 'of.so': write LIBRARY:SYMBOL, such as libm.so.6:expf or ./libx.so:gelu(n, x, y)
actgen: error: swiglu (avx512): swiglu is no function of one value with a result of a floating-point type, so no other function can be judged by it
actgen: error: verify takes one kernel and one instruction set, and here are 2: name one with FILE:KERNEL or --isa (relu, gelu)
usage: actgen verify WHAT... | --all | --merge FILE... [OPTION...]
actgen help verify says more.
actgen: error: --of judges in one piece: leave --resume out
usage: actgen verify WHAT... | --all | --merge FILE... [OPTION...]
actgen help verify says more.
