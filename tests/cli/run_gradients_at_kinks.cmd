# Gradients where terms have kinks and the whole has none, as machine code and as interpreted: at x = 0, where that is 1/2, 1, 1, 1, 0, and 1/2 - z.
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
3f00 3f3b 3e8a
3f00 3f3b 3e8a
3f80 3f80 3ebc
3f80 3f80 3f80
3f80 3f00 3f00
0000 4000 c000
bf00 3f3b bfde
--- stderr
