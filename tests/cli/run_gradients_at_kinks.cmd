# Gradients where terms have kinks and the whole has none, as machine code and as interpreted: at x = 0, where that is 1/2, 1, 1, 1, 0, and 1/2 - z;
# then where x and b are equal: 1/2, 1, 1, and 0 by the rule; and with an operand a, at x = 0: 1 and (a + 1)/2.
. $DATA/npy.sh
for t in f32 bf16; do
    npy $t '(1, 3)' 0 1 -1 > x.npy; npy $t '(1, 3)' 1 1 1 > one.npy; npy $t '(1, 3)' 1 0 2 > z.npy
    cat > k.act <<K
kernel softplus_late(x: $t) -> (y: $t) { y = max(x, 0) + log(1 + exp(-abs(x))) }
kernel softplus_early(x: $t) -> (y: $t) { y = max(0, x) + log1p(exp(-abs(x))) }
kernel elu_early(x: $t) -> (y: $t) { y = max(0, x) + min(0, exp(x) - 1) }
kernel two_relus(x: $t) -> (y: $t) { y = relu(x) - relu(-x) }
kernel odd(x: $t) -> (y: $t) { y = sign(x)*log1p(abs(x)) }
kernel root(x: $t) -> (y: $t) { y = sqrt(x^4) }
kernel bce(x: $t, z: $t) -> (y: $t) { y = max(x, 0) - x*z + log1p(exp(-abs(x))) }
K
    for k in softplus_late softplus_early elu_early two_relus odd root; do
        printf 'kernel %s_backward = gradient %s\n' $k $k >> k.act
    done
    echo 'kernel bce_backward = gradient bce of x' >> k.act
    for k in softplus_late softplus_early elu_early two_relus odd root; do
        actgen run k.act:${k}_backward --in x.npy --in one.npy --out y.npy && show y.npy | sed 1d
        actgen run k.act:${k}_backward --in x.npy --in one.npy --out z1.npy --tier interpreter && cmp y.npy z1.npy
    done
    actgen run k.act:bce_backward --in x.npy --in z.npy --in one.npy --out y.npy && show y.npy | sed 1d
    npy $t '(1, 3)' 2 1 -2 > x.npy; npy $t '(1, 3)' 2 2 -2 > b.npy; npy $t '(1, 3)' 0 0 0 > zero.npy; npy $t '(1, 3)' 3 -2 1 > a.npy
    cat > m.act <<K
kernel logaddexp(x: $t, b: $t) -> (y: $t) { y = max(x, b) + log1p(exp(-abs(x - b))) }
kernel same(x: $t, b: $t) -> (y: $t) { y = max(x, b) - max(b, x) + x }
kernel total(x: $t, b: $t) -> (y: $t) { y = max(x, b) + min(x, b) }
kernel larger(x: $t, b: $t) -> (y: $t) { y = max(x, b) }
kernel celu(x: $t, a: $t) -> (y: $t) { y = max(0, x) + min(0, a*(exp(x/a) - 1)) }
kernel slopes(x: $t, a: $t) -> (y: $t) { y = max(0, x) + a*min(0, x) + (a - 1)/2*abs(x) }
K
    for k in logaddexp same total larger celu slopes; do
        printf 'kernel %s_backward = gradient %s of x\n' $k $k >> m.act
    done
    for k in logaddexp same total larger celu slopes; do
        case $k in celu | slopes) in="--in zero.npy --in a.npy" ;; *) in="--in x.npy --in b.npy" ;; esac
        actgen run m.act:${k}_backward $in --in one.npy --out y.npy && show y.npy | sed 1d
        actgen run m.act:${k}_backward $in --in one.npy --out z1.npy --tier interpreter && cmp y.npy z1.npy
    done
done
--- exit 0
--- stdout
0.5 0.7310586 0.26894143
0.5 0.7310586 0.26894143
1 1 0.36787945
1 1 1
1 0.5 0.5
0 2 -2
-0.5 0.7310586 -1.7310586
0.5 0.26894143 0.5
1 1 1
1 1 1
0 0 0
1 1 1
2 -0.5 1
3f00 3f3b 3e8a
3f00 3f3b 3e8a
3f80 3f80 3ebc
3f80 3f80 3f80
3f80 3f00 3f00
0000 4000 c000
bf00 3f3b bfde
3f00 3e8a 3f00
3f80 3f80 3f80
3f80 3f80 3f80
0000 0000 0000
3f80 3f80 3f80
4000 bf00 3f80
--- stderr
