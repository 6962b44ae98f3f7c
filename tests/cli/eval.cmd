# A row has an input, the result, its slope, the exact value and the error. Numbers may be negative, infinite or NaN.
actgen eval relu -1.5 2 -inf nan --isa x86-64
actgen eval gelu -0.1 -0.5,2 --isa x86-64 --accuracy '1 ulp' | sed -n '1p;4p;5p'
# Inputs of several names are rows of one call. A number alone is for the input without a name.
actgen eval swiglu gate=1,-2 0.5 --type bf16 --isa x86-64
# With an absolute bound, so is the error.
actgen eval -e 'twice = 2*x' 3 --accuracy 'abs 2^-20' --isa x86-64
# Packed and interleaved inputs, lists and scales.
cat > k.act <<'END'
kernel packed([a | b]: f32) -> (y: f32) { y = a - b }
kernel paired([a, b]: f32) -> (y: f32) { y = a - b }
kernel list(x: f32, c: f32[2], t: f32[]) -> (y: f32) { y = c[0] + c[1]*x/t }
kernel total(x: f32) -> (s: f32[rows]) { s = sum(x) }
END
for k in packed paired; do actgen eval k.act:$k a=1,2 b=10,20 --isa x86-64 | sed -n '2,3s/^\(.  *[0-9]*  *[-0-9]*\).*/\1/p'; done
actgen eval k.act:list x=1,2 c=10,20 t=2 --isa x86-64 | sed -n 1,3p
actgen eval k.act:total 1 2 3 --isa x86-64
actgen eval softmax 0 0 --isa x86-64
actgen eval dropout x=1 seed=7 offset=0 --isa x86-64 | sed -n 3p
actgen eval relu -1 --isa x86-64 --json
--- exit 0
--- stdout
   x    y  slope  exact  error, ulp
-1.5    0      0      0           0
   2    2      1      2           0
-inf    0      0      0           0
 nan  nan    nan      -           0

relu, compiled for x86-64: the bound is 3 ulp.
   x            y     slope             exact  error, ulp
   2    1.9544997   1.08523      1.9544997361 * 0.*
*
gate   up       y  slope by gate  slope by up       exact  error, ulp
   1  0.5   0.365       0.462891     0.730469   0.3655293       0.151
  -2  0.5  -0.119     -0.0454102    -0.238281  -0.1192029       0.128

swiglu, compiled for x86-64: the bound is 320 ulp of f32.
x  y  slope  exact  error, abs
3  6      2      6           0

twice, compiled for x86-64: the bound is abs 2^-20.
1  10   -9
2  20  -18
1  10   -9
2  20  -18
x  t   y  slope by x  slope by t  exact  error, ulp
1  2  20          10          -5     20           0
2  2  30          10         -10     30           0
s = 6
s has no exact value and no slope here: the result is a sum of many elements, *

The inputs are one row.
total, compiled for x86-64: the bound is 3 ulp.
x    y
0  0.5
0  0.5
y has no exact value and no slope here: a sum over the row enters the result, *

The inputs are one row.
softmax, compiled for x86-64: the bound is 3 ulp.
y has no exact value and no slope here: the result draws random numbers by its place, *
[
 {"name": "relu", *"result": "y", "inputs": ["x"], "at": [-1], "value": 0, "slopes": [0], "exact": 0, "error_ulp": 0, "error_abs": 0}
]
--- stderr
