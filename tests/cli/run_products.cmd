# Factors and terms that are functions of one value are one piece, even if other values stand between them. No part overflows
# on the way, on any set.
. $DATA/npy.sh
cat > k.act <<'END'
kernel density(x: f32, s: f32[]) -> (y: f32) { y = s*exp(-s*x)/((exp(-s*x)+1)^2) }
kernel density_back = gradient density
kernel scaled(x: f32, a: f32[]) -> (y: f32) { y = exp(50*x)*a/(1 + exp(50*x)) }
kernel arriving(x: f32, s: f32[], d_y: f32[]) -> (y: f32) { t = 9*s; E = exp(t*x); y = d_y*t*E/(1 + E)^2 }
kernel two_values(x: f32, s: f32[], a: f32[]) -> (y: f32) { E = exp(s*x); F = exp(-a*x); y = E*F/(1 + E)*a/(1 + exp(a*x)) }
kernel behind(x: f32, a: f32[]) -> (y: f32) { t = 50*x; y = -(a/(1 + exp(t)))*exp(t)/2 }
kernel argument(x: f32, s: f32[], w: f32[]) -> (y: f32) { y = x*s*w*exp(x*s) }
kernel softsign_of(x: f32, w: f32[]) -> (y: f32) { t = x*1e38; y = w*t/(1 + abs(t)) }
kernel terms(x: f32, b: f32[]) -> (y: f32) { t = f32(1e38*x); y = t - b + log(1 + exp(-t)) }
kernel loss(x: f32, z: f32[]) -> (y: f32) { y = max(x, 0) - x*z + log1p(exp(-abs(x))) }
kernel swish_of(x: f32, beta: f32[]) -> (y: f32) { y = x/(1 + exp(-beta*x)) }
kernel swish_back = gradient swish_of
kernel written(a: f32, b: f32[]) -> (y: f32) { y = a*b*a }
END
for kernel in density scaled arriving two_values behind argument softsign_of terms loss swish_of; do
    actgen show k.act:$kernel --stage plan | grep '^piece' | sed "s/^piece/$kernel:/" | head -3
done
npy f32 '(1, 5)' -5 -1 0 1 5 > x.npy
npy f32 '(1, 5)' 1 1 2 1 1 > d.npy
numbers() { show "$1" | awk 'NR > 1 { for (i = 1; i <= NF; i++) if ($i ~ /[0-9]/) $i = $i == 0 ? 0 : sprintf("%.4g", $i) } 1' | sed 's/-nan/nan/g'; }
results() { # of one set and tier
    actgen run k.act:density "$@" --in x.npy --in 25 --out y.npy && numbers y.npy
    actgen run k.act:density_back "$@" --in x.npy --in 25 --in d.npy --out y.npy --out s.npy && numbers y.npy && numbers s.npy
    for kernel in scaled behind softsign_of terms loss; do actgen run k.act:$kernel "$@" --in x.npy --in 2 --out y.npy && numbers y.npy; done
    for kernel in arriving two_values argument; do actgen run k.act:$kernel "$@" --in x.npy --in 25 --in 2 --out y.npy && numbers y.npy; done
    actgen run k.act:swish_back "$@" --in x.npy --in 25 --in d.npy --out y.npy --out s.npy && numbers y.npy && numbers s.npy
    actgen run k.act:written "$@" --in x.npy --in 1e38 --out y.npy && numbers y.npy
}
results --tier interpreter | tee interpreter.txt
for isa in avx512 avx2 x86-64; do
    actgen run k.act:written --isa $isa --in x.npy --in 2 --out y.npy 2> /dev/null || continue # not on this processor
    results --isa $isa | cmp - interpreter.txt
done
for kernel in density arriving terms; do actgen verify k.act:$kernel --isa host | grep -i wrong; done
echo verified
--- exit 0
--- stdout
density: sigmoid(x) * sigmoid(-1 * x)
scaled: sigmoid(50 * x)
arriving: 9 * x
arriving: sigmoid(x) * sigmoid(-1 * x)
two_values: sigmoid(x)
two_values: exp(-1 * x) * sigmoid(-1 * x)
behind: sigmoid(50 * x)
behind: -(x / 2)
argument: x * exp(x)
softsign_of: 1e38 * (x * (abs(1e38 * x) + 1)^-1)
terms: 1e38 * x
terms: softplus(x)
loss: max(x, 0) + softplus(-1 * abs(x))
swish_of: 1 + exp(-x)
<f4 (1, 5)
0 3.472e-10 6.25 3.472e-10 0
<f4 (1, 5)
0 8.68e-09 0 -8.68e-09 0
<f4 ()
0.5
<f4 (1, 5)
0 3.857e-22 1 2 2
<f4 (1, 5)
0 -1.929e-22 -0.5 -1 -1
<f4 (1, 5)
-2 -2 0 2 2
<f4 (1, 5)
-2 -2 -1.307 1e+38 inf
<f4 (1, 5)
10.01 2.313 0.6931 -0.6867 -4.993
<f4 (1, 5)
0 0 112.5 0 0
<f4 (1, 5)
0 1.808e-10 0.5 0.03226 4.122e-09
<f4 (1, 5)
0 -6.944e-10 0 3.6e+12 inf
<f4 (1, 5)
0 -3.333e-10 1 1 1
<f4 ()
2.778e-11
<f4 (1, 5)
inf 1e+38 0 1e+38 inf
verified
