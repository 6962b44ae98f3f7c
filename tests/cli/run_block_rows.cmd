# Rows and columns that are no multiple of the block have a last block of fewer.
. $DATA/npy.sh
printf 'kernel w(q: i8, s: f32[rows/16, cols/16]) -> (x: f32) { x = q * s }\n' > w.act
printf 'kernel r(q: i8, s: f32[rows/16], t: f32[rows/32, cols]) -> (x: f32) { x = q*s + t }\n' > r.act
ones() { for i in $(seq "$1"); do printf '%s ' "$2"; done; }
npy i8 '(33, 18)' $(ones 594 1) > q.npy; npy f32 '(3, 2)' 1 2 3 4 5 6 > s.npy
actgen run w.act --in q.npy --in s.npy --out x.npy && show x.npy | tr ' ' '\n' | uniq -c | tr -s ' ' | sort | uniq -c | tr -s ' '
npy i8 '(33, 2)' $(ones 66 1) > q.npy; npy f32 '(3,)' 1 2 3 > s.npy; npy f32 '(2, 2)' 4 5 6 7 > t.npy
actgen run r.act --in q.npy --in s.npy --in t.npy --out x.npy && show x.npy | tr ' ' '\n' | sort | uniq -c | tr -s ' '
npy f32 '(2, 2)' 1 2 3 4 > s.npy; actgen run w.act --in q.npy --in s.npy --out x.npy
npy f32 '(4,)' 1 2 3 4 > s.npy; actgen run r.act --in q.npy --in s.npy --in t.npy --out x.npy
actgen eval r.act q=1 s=1 t=1 2>&1 | head -1; actgen compile r.act --emit c --style scalar -o r.c; actgen compile r.act --isa ptx -o r.ptx
actgen compile w.act r.act --isa avx2 -o x.o --header x.h && grep -ho ' [st]: f32, .*' x.h
actgen verify w.act r.act --isa host | grep 'equal to the interpreter'
--- exit 0
--- stdout
 1 1 (33,
 1 1 18)
 1 1 <f4
 16 16 1
 16 16 3
 1 16 5
 16 2 2
 16 2 4
 1 2 6
 1 (33,
 1 10
 1 2)
 16 5
 32 6
 16 7
 1 9
 1 <f4
actgen: error: 's' has one value for several rows; `actgen run` takes it; r has the inputs q, s, t, as in q=1 s=1 t=1
 s: f32, rows/16 rows of cols/16 elements, both rounded up, one for 16 rows and 16 columns
 s: f32, rows/16 values, rounded up, one per 16 rows
 t: f32, rows/32 rows, rounded up, of cols elements, one for 32 rows
Every tested result was within its bound, and equal to the interpreter's in every bit.
--- stderr
actgen: error: 's.npy' has shape (2, 2), and 's' of w needs (3, 1), by the shape of 'q.npy'
actgen: error: 's.npy' has shape (4,), and 's' of r needs (3,), by the shape of 'q.npy'
actgen: error: `r` has an operand whose elements blocks of rows or columns share, which C source cannot do; an object can: compile it without --emit c
actgen: error: r (ptx): 'r_ptx' has one value for a block (`s`), which code for GPUs (ptx) does not take yet; [rows] and [cols] work
