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
actgen eval mx.act q=1 scale=1; actgen compile mx.act --emit c --style scalar -o mx.c; actgen compile mx.act --isa ptx -o mx.ptx
actgen compile mx.act --isa avx2 -o mx.o --header mx.h && grep -o 'scale: .*' mx.h
actgen verify mx.act groups.act --isa host | grep 'equal to the interpreter'
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
--- stderr
actgen: error: 's.npy' has shape (1, 3), and 's' of groups needs (1, 2), by the shape of 'q.npy'
actgen: error: 'scale' has one value for several columns; `actgen run` takes it; mx has the inputs q, scale, as in q=1 scale=1
usage: actgen eval WHAT NUMBER... [NAME=NUMBER...] [OPTION...]
actgen help eval says more.
actgen: error: `mx` has an operand whose elements blocks of columns share, which C source cannot do; an object can: compile it without --emit c
actgen: error: mx (ptx): 'mx_ptx' has one value for a block of columns (`scale`), which code for GPUs (ptx) does not take yet; [rows] and [cols] work
