# An input list is a file with its values, or one number for all of them. Results may be lists, too.
. $DATA/npy.sh
cat > k.act <<'K'
kernel poly(x: f32, c: bf16[3]) -> (y: f32) { y = c[0] + x*(c[1] + x*c[2]) }
kernel moments(x: f32, one: f64[1]) -> (s: f32[2]) { s[0] = sum(x*one[0]); s[1] = sum(x^2) }
kernel poly_backward = gradient poly of c
kernel shapes(x: f32) -> (r: f32[rows], [c | d]: f32[cols], o: f32[]) { r = sum(x); c = sum(x); d = sum(2*x); o = sum(x) }
K
npy f32 '(2, 2)' 1 2 3 4 > x.npy; npy bf16 '(3,)' 1 2 3 > c.npy; npy bf16 '(2,)' 1 2 > two.npy; npy f32 '(2, 2)' 1 1 1 2 > d.npy
actgen run k.act:poly --in x.npy --in c.npy --out y.npy && show y.npy
actgen run k.act:poly --in x.npy --in 2 --out y.npy && show y.npy
actgen run k.act:moments --in x.npy --in 1 --out s.npy && show s.npy; actgen run k.act:shapes --in x.npy --out r.npy --out m.npy --out o.npy && show r.npy && show m.npy && show o.npy
actgen run k.act:poly_backward --in x.npy --in c.npy --in d.npy --out g.npy && show g.npy
actgen run k.act:poly --in x.npy --in two.npy --out y.npy
actgen run k.act:poly --in x.npy --out y.npy
actgen compile k.act:poly_backward --isa avx2 -o k.o --header k.h && grep -E ' \*     (c|d_c):|^void poly_backward\(' k.h
--- exit 0
--- stdout
<f4 (2, 2)
6 17 34 57
<f4 (2, 2)
6 14 26 42
<f4 (2,)
10 30
<f4 (2,)
3 7
<f4 (4,)
4 6 8 12
<f4 ()
10
<u2 (3,)
40a0 4160 4238
 *     c: bf16, 3 values
 *     d_c: bf16, 3 values
void poly_backward(size_t rows, size_t cols, const float *x_data, const uint16_t *c_data, const float *d_y_data, uint16_t *d_c_data, void *workspace);
--- stderr
actgen: error: 'two.npy' has shape (2,), and 'c' of poly needs 3 values, by the shape of 'x.npy'
actgen: error: poly has 2 inputs (x, c), and --in is given 1 time
usage: actgen run WHAT --in FILE|NUMBERS... [--out FILE...] [OPTION...]
actgen help run says more.
