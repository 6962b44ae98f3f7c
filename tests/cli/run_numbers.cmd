# A number may stand in place of a file.
. $DATA/npy.sh
cat > k.act <<'K'
kernel affine(x: f32, bias: f64[cols], scale: bf16[rows], beta: f16[]) -> (y: f32) { y = f32((x*scale + bias)*beta) }
kernel outer(a: f32[rows], b: f32[cols]) -> (y: f32) { y = a*b }
kernel same(a: f16[], b: bf16[cols], d: f16[rows]) -> (x: f16, y: bf16, z: f16) { x = a; y = b; z = d }
K
npy f32 '(2, 4)' 1 2 3 4 5 6 7 8 > x.npy; npy f32 '(2,)' 3 4 > row.npy
actgen run k.act:affine --in x.npy --in 1 --in -2e0 --in 0.5 --out y.npy && show y.npy
actgen run k.act:outer --in row.npy --in 2 --out y.npy && show y.npy
actgen run k.act:outer --in 3 --in 2 --out y.npy && show y.npy
# ties to even: 2049 of f16 is 2048, 2051 is 2052; 1 + 2^-8 of bf16 is 1; the least and half the least of f16
for n in 2049 2051 1.00390625 1.01171875 6e-8 2.99e-8 2.98e-8 65519 -inf nan; do
    actgen run k.act:same --in $n --in $n --in $n --out x.npy --out y.npy --out z.npy && { show x.npy; show y.npy; show z.npy; } | sed 1~2d | tr '\n' ' ' && echo
done
actgen run k.act:same --in 65520 --in 0 --in 0 --out x.npy --out y.npy --out z.npy
actgen run k.act:same --in 1 --in 3.4e38 --in 0 --out x.npy --out y.npy --out z.npy
actgen run k.act:affine --in 1 --in 1 --in 1 --in 1 --out y.npy && show y.npy
actgen run k.act:outer --in row.npy --in 2 --columns 0:1 --out y.npy
cp row.npy 7; actgen run k.act:outer --in row.npy --in ./7 --out y.npy && show y.npy
--- exit 0
--- stdout
<f4 (2, 4)
-0.5 -1.5 -2.5 -3.5 -4.5 -5.5 -6.5 -7.5
<f4 (2, 1)
6 8
<f4 (1, 1)
6
6800 4500 6800 
6802 4500 6802 
3c04 3f80 3c04 
3c0c 3f82 3c0c 
0001 3381 0001 
0001 3300 0001 
0000 3300 0000 
7bff 4780 7bff 
fc00 ff80 fc00 
7e00 7fc0 7e00 
<f4 (1, 1)
2
<f4 (2, 2)
9 12 12 16
--- stderr
actgen: error: '65520' is too large for 'a', which is f16
actgen: error: '3.4e38' is too large for 'b', which is bf16
actgen: error: --columns takes columns of a file, and '2' is a number
