. $DATA/npy.sh
printf 'kernel mx(q: e4m3, scale: e8m0[rows, cols/32]) -> (x: bf16) { x = q * scale }\n' > mx.act
printf 'kernel groups([q | r]: i8, s: f32[rows, cols/16], z: i8[rows, cols/16]) -> (x: f32, y: f64) { x = (q - z)*s; y = r*s + z }\n' > groups.act
ones() { for i in $(seq "$1"); do printf '%s ' "$2"; done; }
npy u8 '(2, 40)' $(ones 80 68) > q.npy; npy u8 '(2, 2)' 127 128 129 126 > scale.npy
actgen run mx.act --in q.npy --in scale.npy --out x.npy && show x.npy | tr ' ' '\n' | uniq -c | tr -s ' '
npy i8 '(1, 36)' $(ones 18 5) $(ones 18 7) > q.npy; npy f32 '(1, 2)' 2 4 > s.npy; npy i8 '(1, 2)' 1 -1 > z.npy
actgen run groups.act --in q.npy --in s.npy --in z.npy
actgen run groups.act --in q.npy --in 2 --in 1 | head -1
npy f32 '(1, 3)' 2 4 3 > s.npy; actgen run groups.act --in q.npy --in s.npy --in z.npy
actgen eval mx.act q=1 scale=1; actgen compile mx.act --isa ptx -o mx.ptx
actgen compile mx.act --isa avx2 -o mx.o --header mx.h && grep -o 'scale: .*' mx.h
actgen verify mx.act groups.act --isa host | grep 'equal to the interpreter'
printf 'kernel peaks(x: f32) -> (y: f32, m: f32[rows, cols/16]) { m = amax(abs(x), 16); y = x / amax(abs(x), 16) }\n' > peaks.act
actgen run peaks.act --in 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,-5,2
printf 'kernel to_mx(x: f32) -> (q: e4m3, scale: e8m0[rows, cols/32]) { s = e8m0(amax(abs(x), 32)/256); scale = s; q = x/s }\n' > to.act
actgen run to.act --in 1,-2,511,0.25
npy f32 '(2, 40)' $(ones 40 4) $(ones 40 3) > x.npy; actgen run to.act --in x.npy --out q.npy --out s.npy && show s.npy
actgen verify peaks.act to.act --isa host | grep 'equal to the interpreter'
actgen compile to.act --isa ptx -o to.ptx; actgen compile to.act --isa avx2 -o to.o --header to.h && grep -o 'scale: .*' to.h
--- exit 0
--- stdout
 1 <u2
 1 (2,
 1 40)
 32 4040
 8 40c0
 32 4140
 8 3fc0
x: 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 24 24
y: 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 15 27 27
x: 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8 8
scale: e8m0[rows, cols/32]) -> (x: bf16) {
scale: e8m0, rows of cols/32 elements, rounded up, one for 32 columns
Every tested result was within its bound, and equal to the interpreter's in every bit.
y: 0.0625 0.125 0.1875 0.25 0.3125 0.375 0.4375 0.5 0.5625 0.625 0.6875 0.75 0.8125 0.875 0.9375 1 -1 0.4
m: 16 5
q: 1 -2 448 0.25
scale: 1
|u1 (2, 2)
79 79 78 78
Every tested result was within its bound, and equal to the interpreter's in every bit.
scale: e8m0[rows, cols/32]) {
scale: e8m0, rows of cols/32 elements, rounded up, one for 32 columns
--- stderr
actgen: error: 's.npy' has shape (1, 3), and 's' of groups needs (1, 2), by the shape of 'q.npy'
actgen: error: 'scale' has one value for several columns; `actgen run` takes it; mx has the inputs q, scale, as in q=1 scale=1
usage: actgen eval WHAT NUMBER... [NAME=NUMBER...] [OPTION...]
actgen help eval says more.
actgen: error: mx (ptx): 'mx_ptx' has one value for a block (`scale`), which code for GPUs (ptx) does not take yet; [rows] and [cols] work
actgen: error: to_mx (ptx): 'to_mx_ptx' reduces blocks of columns: GPUs cannot
