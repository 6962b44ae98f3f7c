. $DATA/npy.sh
for type in f32 f64 f16 bf16; do
    npy $type '(2, 3)' 1 -2 3 -4 5 -6 > x.npy
    printf 'kernel k(x: %s, z: %s) -> (y: %s) { y = max(x, z) + z }\n' $type $type $type > k.act
    actgen run k.act --in x.npy --in x.npy --out y.npy && show y.npy
done
printf 'kernel k(a: bf16, b: f64, c: f16) -> (x: f16, y: f32, z: bf16) { x = f16(a*b); y = f32(a + b); z = c }\n' > mixed.act
npy bf16 '(1, 2)' 1 2 > a.npy; npy f64 '(1, 2)' 3 4 > b.npy; npy f16 '(1, 2)' -5 6 > c.npy
actgen run mixed.act --in a.npy --in b.npy --in c.npy --out x.npy --out y.npy --out z.npy && show x.npy && show y.npy && show z.npy
sed "s/<u2/|V2/" a.npy > opaque.npy; printf 'kernel k(x: bf16) -> (y: bf16) { y = x*x }\n' > square.act
actgen run square.act --in opaque.npy --out y.npy && show y.npy
npy e5m2 '(1, 3)' 1 -2 7 > x.npy; printf 'kernel k(x: e5m2) -> (y: e4m3, z: e5m2) { y = 65*x; z = 1000*x }\n' > bytes.act
actgen run bytes.act --in x.npy --out y.npy --out z.npy && show y.npy && show z.npy
for code in '<f1' '|V1'; do sed "s/|u1/$code/" x.npy > opaque.npy; actgen run bytes.act --in opaque.npy --out y.npy --out z.npy && show z.npy; done
printf 'kernel k(x: e4m3) -> (y: f32) { y = x }\n' > other.act; sed "s/|u1/<f1/" x.npy > opaque.npy; actgen run other.act --in opaque.npy
npy i8 '(1, 4)' 1 -2 100 -128 > q.npy; npy u8 '(1, 4)' 3 0 200 255 > u.npy
printf 'kernel k(q: i8, u: u8, s: f32[]) -> (x: f32, y: i8, z: u8) { x = 0.5*(q - u); y = s*q; z = (q + u)/2 }\n' > integers.act
actgen run integers.act --in q.npy --in u.npy --in 2 --out x.npy --out y.npy --out z.npy && show x.npy && show y.npy && show z.npy
actgen run integers.act --in q.npy --in u.npy --in nan --out x.npy --out y.npy --out z.npy && show y.npy
npy i32 '(1, 5)' 1 -2 16777217 2147483647 -2147483648 > acc.npy; npy i32 '(5,)' 4 5 6 7 8 > bias.npy
printf 'kernel k(acc: i32, bias: i32[cols]) -> (y: f64, q: i8) { y = acc; q = acc + bias }\n' > sums.act
actgen run sums.act --in acc.npy --in bias.npy --out y.npy --out q.npy && show y.npy && show q.npy
actgen run sums.act --in 2147483648 --in 1; actgen eval sums.act acc=16777217 bias=3 | grep 16777
printf 'kernel k(s: e8m0, x: f32) -> (y: f32, t: e8m0) { y = s*x; t = x }\n' > scales.act
npy u8 '(1, 4)' 0 127 128 255 > s.npy; npy f32 '(1, 4)' 1 -3 0 5 > x.npy; actgen run scales.act --in s.npy --in x.npy --out y.npy --out t.npy && show y.npy && show t.npy
actgen run scales.act --in 1.5,0.25 --in 6,7; actgen run scales.act --in 0 --in 1
--- exit 0
--- exit 1
--- stdout
<f4 (2, 3)
2 -4 6 -8 10 -12
<f8 (2, 3)
2 -4 6 -8 10 -12
<f2 (2, 3)
4000 c400 4600 c800 4900 ca00
<u2 (2, 3)
4000 c080 40c0 c100 4120 c140
<f2 (1, 2)
4200 4800
<f4 (1, 2)
4 6
<u2 (1, 2)
c0a0 40c0
<u2 (1, 2)
3f80 4080
|u1 (1, 3)
68 f0 7e
|u1 (1, 3)
64 e8 6f
|u1 (1, 3)
64 e8 6f
|u1 (1, 3)
64 e8 6f
<f4 (1, 4)
-1 -1 -50 -191.5
|i1 (1, 4)
2 -4 127 -128
|u1 (1, 4)
02 00 96 40
|i1 (1, 4)
0 0 0 0
<f8 (1, 5)
1 -2 16777216 2147483648 -2147483648
|i1 (1, 5)
5 3 127 127 -128
16777216     3  16777216             1              0  16777216           0
16777216     3  127             1              1  1.677722e+07           0
<f4 (1, 4)
5.877472e-39 -3 0 nan
|u1 (1, 4)
7f 80 00 81
y: 6 1.75
t: 4 4
--- stderr
actgen: error: 'opaque.npy' holds float8_e5m2 ('<f1'), and 'x' of k is e4m3, in files uint8 ('|u1')
actgen: error: '2147483648' is too large for 'acc', which is i32
actgen: error: '0' is no number from 2^-127 to 2^127, which 's' needs, as it is e8m0
