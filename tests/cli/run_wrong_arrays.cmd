. $DATA/npy.sh
cat > k.act <<'K'
kernel packed([a | b]: bf16) -> (y: f16) { y = a*b }
kernel affine(x: f32, bias: f32[cols], scale: f32[rows], beta: f32[]) -> (y: f32) { y = x*scale*beta + bias }
kernel two([a, b]: f32, c: f32) -> (y: f32) { y = a*b + c }
K
npy f32 '(2, 3)' 1 2 3 4 5 6 > x.npy; npy f32 '(3,)' 1 2 3 > three.npy; npy f32 '(2,)' 1 2 > two.npy; npy f32 '()' 1 > one.npy
npy bf16 '(2, 3)' 1 2 3 4 5 6 > b.npy; npy f32 '(3, 1)' 1 2 3 > high.npy
sed 's/<f4/>f4/' x.npy > big.npy; sed 's/<f4/<i8/' x.npy > int.npy; sed "s/'<f4'/[('a','<f4')]/" x.npy > record.npy
actgen run k.act:packed --in x.npy --out y.npy
actgen run k.act:packed --in b.npy --out y.npy
actgen run k.act:affine --in x.npy --in two.npy --in two.npy --in one.npy --out y.npy
actgen run k.act:affine --in x.npy --in high.npy --in two.npy --in one.npy --out y.npy
actgen run k.act:affine --in x.npy --in three.npy --in three.npy --in one.npy --out y.npy
actgen run k.act:affine --in x.npy --in three.npy --in two.npy --in two.npy --out y.npy
actgen run k.act:two --in x.npy --columns :2 --in x.npy --out y.npy
actgen run k.act:two --in x.npy --out y.npy; actgen run k.act:affine --in x.npy --in x.npy --in x.npy --in x.npy --out y.npy --out z.npy
for f in big int record; do actgen run relu --in $f.npy --out y.npy; done; ls y.npy
--- exit 2
--- stdout
--- stderr
actgen: error: 'x.npy' holds float32 ('<f4'), and '[a | b]' of packed is bf16, in files uint16 ('<u2')
actgen: error: 'b.npy' has rows of 3 columns, and '[a | b]' of packed needs a multiple of 2
actgen: error: 'two.npy' has shape (2,), and 'bias' of affine needs (3,), by the shape of 'x.npy'
actgen: error: 'high.npy' has shape (3, 1), and 'bias' of affine needs (3,), by the shape of 'x.npy'
actgen: error: 'three.npy' has shape (3,), and 'scale' of affine needs (2,), by the shape of 'x.npy'
actgen: error: 'two.npy' has shape (2,), and 'beta' of affine needs one value, by the shape of 'x.npy'
actgen: error: 'x.npy' has shape (2, 3), and 'c' of two needs (2, 1), by the shape of 'x.npy'
actgen: error: two has 2 inputs ([a, b], c), and --in is given 1 time
...
actgen: error: affine has 1 result (y), and --out is given 2 times
...
actgen: error: cannot use 'big.npy': big-endian numbers are not read; save with astype('<f4')
actgen: error: cannot use 'int.npy': its type is '<i8'; float64, float32, float16, int32, int8 and uint8 can be read, bf16 as uint16, e4m3, e5m2, e8m0, pairs of e2m1 or i4, and packed bits as uint8, and seeds as uint64
actgen: error: cannot use 'record.npy': *
...
