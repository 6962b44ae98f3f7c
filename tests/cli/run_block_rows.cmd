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
actgen eval r.act q=1 s=1 t=1 2>&1 | head -1; actgen compile r.act --isa ptx -o r.ptx
actgen compile w.act r.act --isa avx2 -o x.o --header x.h && grep -ho ' [st]: f32, .*' x.h
# Where no input is [rows, cols], blocks are whole, unless another input tells the number itself.
cat > n.act <<'END'
kernel a(s: f32[rows/16]) -> (y: f32) { y = 2*s }
kernel b(s: f32[rows/16, cols/32]) -> (y: f32) { y = s }
kernel c(s: f32[rows/16], t: f32[rows/32, cols], u: f32[rows]) -> (y: f32) { y = s + t + u }
kernel d(q: e2m1, s: f32[rows, cols/16]) -> (y: f32) { y = q*s }
END
actgen run n.act:a --in 3,4 | uniq -c | tr -s ' '; actgen run n.act:a --in 3 | tr -s ' '
npy f32 '(2, 2)' 1 2 3 4 > s.npy; actgen run n.act:b --in s.npy --out x.npy && show x.npy | tr ' ' '\n' | uniq -c | tr -s ' ' | sort | uniq -c | tr -s ' '
npy f32 '(1, 3)' 1 2 3 > t.npy; npy f32 '(17,)' $(ones 17 1) > u.npy; npy f32 '(2,)' 1 2 > s.npy
actgen run n.act:c --in s.npy --in t.npy --in u.npy | uniq -c | tr -s ' '; actgen run n.act:c --in 1,2,3 --in t.npy --in u.npy
npy u8 '(2, 1)' 17 34 > q.npy; npy f32 '(2, 1)' 1 2 > s.npy; actgen run n.act:d --in q.npy --in s.npy
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
 16 6
 16 8
6
 1 1 (32,
 1 1 64)
 1 1 <f4
 16 32 1
 16 32 2
 16 32 3
 16 32 4
 16 3 4 5
 1 4 5 6
0.5 0.5
2 2
Every tested result was within its bound, and equal to the interpreter's in every bit.
--- stderr
actgen: error: 's.npy' has shape (2, 2), and 's' of w needs (3, 1), by the shape of 'q.npy'
actgen: error: 's.npy' has shape (4,), and 's' of r needs (3,), by the shape of 'q.npy'
actgen: error: r (ptx): 'r_ptx' has one value for a block (`s`), which code for GPUs (ptx) does not take yet; [rows] and [cols] work
actgen: error: '1,2,3' has shape (3,), and 's' of c needs (2,)
