. $DATA/npy.sh
cat > k.act <<'K'
kernel packed([a | b]: f32) -> (y: f32) { y = a - b }
kernel unpack(a: f32, b: f32) -> ([y | z]: f32) { y = a + b; z = a - b }
kernel woven([a, b]: f32) -> (y: f32) { y = a - b }
kernel weave(a: f32, b: f32) -> ([y, z]: f32) { y = a + b; z = a - b }
kernel affine(x: f32, bias: f64[cols], scale: bf16[rows], beta: f16[]) -> (y: f32) { y = f32((x*scale + bias)*beta) }
kernel outer(a: f32[rows], b: f32[cols]) -> (y: f32) { y = a*b }
K
npy f32 '(2, 4)' 1 2 3 4 5 6 7 8 > x.npy
npy f32 '(2, 2)' 1 2 3 4 > a.npy; npy f32 '(2, 2)' 5 5 6 6 > b.npy
for k in packed woven; do actgen run k.act:$k --in x.npy --out y.npy && show y.npy; done
actgen run k.act:packed --in x.npy --columns 1:3 --out y.npy && show y.npy
for k in unpack weave; do actgen run k.act:$k --in a.npy --in b.npy --out y.npy && show y.npy; done
npy f64 '(4,)' 1 1 0 0 > bias.npy; npy bf16 '(2, 1)' 1 -1 > scale.npy; npy f16 '()' 2 > beta.npy
actgen run k.act:affine --in x.npy --in bias.npy --in scale.npy --in beta.npy --out y.npy && show y.npy
npy f32 '(2,)' 3 4 > row.npy
actgen run k.act:outer --in row.npy --in row.npy --out y.npy && show y.npy
actgen run k.act:outer --in x.npy --columns 1:2 --in row.npy --out y.npy && show y.npy
npy f32 '(2, 1, 2)' 1 2 3 4 > deep.npy; actgen run k.act:packed --in deep.npy --out y.npy && show y.npy
npy f32 '(0, 4)' > none.npy; actgen run k.act:packed --in none.npy --out y.npy && show y.npy
npy f32 '()' 3 > one.npy; actgen run k.act:weave --in one.npy --in one.npy --out y.npy && show y.npy
--- exit 0
--- stdout
<f4 (2, 2)
-2 -2 -2 -2
<f4 (2, 2)
-1 -1 -1 -1
<f4 (2, 1)
-1 -1
<f4 (2, 4)
6 7 -4 -3 9 10 -3 -2
<f4 (2, 4)
6 -4 7 -3 9 -3 10 -2
<f4 (2, 4)
4 6 6 8 -8 -10 -14 -16
<f4 (2, 2)
9 12 12 16
<f4 (2, 2)
6 8 18 24
<f4 (2, 1, 1)
-1 -1
<f4 (0, 2)
<f4 (2,)
6 0
--- stderr
