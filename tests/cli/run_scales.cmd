# Scales of 0, infinity and NaN, and a row of zeros with a scale of its own, have defined results on every set and tier.
. $DATA/npy.sh
cat > q.act <<'END'
kernel scales(n: f32) -> (s: f32) { s = if n > 2 then 0/0 else if n > 1 then 1/0 else n }
kernel to_i8(x: f32, s: f32[rows], z: f32[rows]) -> (q: i8) { q = i8(round(x/s) + z) }
kernel to_u8(x: f32, s: f32[rows]) -> (q: u8) { q = u8(round(x/s) + 128) }
kernel to_e4m3(x: f32, s: f32[rows]) -> (q: e4m3) { q = x/s }
kernel from_i8(q: i8, s: f32[rows], z: f32[rows]) -> (y: f32) { y = relu(s*(q - z)) }
kernel row_i8(x: f32) -> (q: i8, s: f32[rows]) { s = f32(amax(abs(x))/127); q = x/s }
kernel row_e4m3(x: f32) -> (q: e4m3) { s = f32(amax(abs(x))/448); q = x/s }
kernel row_guarded(x: f32) -> (q: e4m3) { s = f32(clamp(amax(abs(x))/448, 2^-140, 2^120)); q = x/s }
END
npy f32 '(4,)' 0 1 2 3 > n.npy; npy f32 '(4,)' 0 1 2 3 > z.npy
npy f32 '(4, 3)' 0 1 -1 0 1 -1 0 1 -1 0 1 -1 > x.npy; npy f32 '(2, 3)' 0 0 0 1 -2 0 > r.npy
actgen run q.act:scales --in n.npy --out s.npy
npy i8 '(4, 3)' 0 1 -1 0 1 -1 0 1 -1 0 1 -1 > q.npy
nans() { show "$1" | sed 's/-nan/nan/g; s/ff/7f/g'; } # whose sign is nobody's promise
results() { # of one set and tier
    actgen run q.act:to_i8 "$@" --in x.npy --in s.npy --in z.npy --out a.npy && show a.npy
    actgen run q.act:to_u8 "$@" --in x.npy --in s.npy --out b.npy && show b.npy
    actgen run q.act:to_e4m3 "$@" --in x.npy --in s.npy --out c.npy && nans c.npy
    actgen run q.act:from_i8 "$@" --in q.npy --in s.npy --in z.npy --out y.npy && nans y.npy
    actgen run q.act:row_i8 "$@" --in r.npy --out q2.npy --out s2.npy && show q2.npy && show s2.npy
    for kernel in row_e4m3 row_guarded; do actgen run q.act:$kernel "$@" --in r.npy --out q2.npy && nans q2.npy; done
}
results --tier interpreter | tee interpreter.txt
for isa in avx512 avx2 x86-64; do
    actgen run q.act:to_u8 --isa $isa --in x.npy --in s.npy --out b.npy 2> /dev/null || continue # not on this processor
    for tier in best quick; do results --isa $isa --tier $tier | cmp - interpreter.txt; done
done
--- exit 0
--- stdout
|i1 (4, 3)
0 127 -128 1 2 0 2 2 2 0 0 0
|u1 (4, 3)
00 ff 00 80 81 7f 80 80 80 00 00 00
|u1 (4, 3)
7f 7e fe 00 38 b8 00 00 80 7f 7f 7f
<f4 (4, 3)
0 0 -0 0 0 0 0 0 0 nan nan nan
|i1 (2, 3)
0 0 0 64 -127 0
<f4 (2,)
0 0.015748031
|u1 (2, 3)
7f 7f 7f 76 fe 00
|u1 (2, 3)
00 00 00 76 fe 00
