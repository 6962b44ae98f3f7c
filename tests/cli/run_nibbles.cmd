. $DATA/npy.sh
printf 'kernel halves(x: f32) -> (q: e2m1, n: i4) { q = x; n = x }\n' > halves.act
actgen run halves.act --in 0.3,-2.5,5,100,-9
npy f32 '(2, 3)' 1 2 3 4 5 6 > x.npy; actgen run halves.act --in x.npy --out q.npy --out n.npy && show q.npy && show n.npy
printf 'kernel both(q: e2m1, n: i4, s: f32[rows]) -> (y: f32) { y = (q + n) * s }\n' > both.act
actgen run both.act --in 0.5,-1.5,6 --in 1,-8,7 --in 2; actgen run both.act --in 5 --in 3 --in 1; actgen run both.act --in q.npy --in n.npy --in 1,2
actgen run both.act --in 7 --in 1 --in 1; actgen run both.act --in nan --in 1 --in 1; actgen run both.act --in 1,2,3 --in 1,2 --in 1
actgen verify halves.act both.act --isa host | grep 'equal to the interpreter'
actgen compile both.act --emit c --style intrinsics --isa neon -o both.c; actgen compile both.act --isa ptx -o both.ptx
actgen compile both.act --isa avx2 -o both.o --header both.h && grep -o 'q: .*' both.h
--- exit 0
--- stdout
q: 0.5 -2 4 6 -6
n: 0 -2 5 7 -8
|u1 (2, 2)
42 05 66 07
|u1 (2, 2)
21 03 54 06
3 -19 26
7
2 4 6 0
16 18 24 0
Every tested result was within its bound, and equal to the interpreter's in every bit.
q: e2m1, n: i4, s: f32[rows]) -> (y: f32) {
q: e2m1, rows of cols elements, 2 per byte, the even one in the low half; a row begins at a byte
--- stderr
actgen: error: '7' is too large for 'q', which is e2m1
actgen: error: 'nan' is too large for 'q', which is e2m1
actgen: error: 'n' has 2 numbers, and needs 3, one per column
actgen: error: the style `intrinsics` for neon of C source has no inputs of e2m1, which `both` needs; the style `scalar` has them all
actgen: error: both (ptx): 'both_ptx' has elements of part of a byte (`q`), which code for GPUs (ptx) does not take yet; u8 and i8 work
