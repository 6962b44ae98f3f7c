# Inputs come from the command line. Results are printed, one row per line, with the fewest digits. A number stands for all
# values of an input.
. $DATA/npy.sh
actgen run relu --in -0.1 && actgen run relu --in -1,0.1,nan,-inf,inf,1e-45,16777217
actgen run relu --in 0.1,3 --type bf16 && actgen run -e 'x/3' --type f64 --in 1 && actgen run -e 'x > 3' --in 3,4
actgen run reglu --in 1,-2,3 --in 2
cat > k.act <<'K'
kernel several([a | b]: f32, c: f32[]) -> (y: f32, m: u1, s: f32[rows]) { y = a*c; m = b > a; s = sum(a) }
kernel scaled(x: f32, s: f32[cols]) -> (y: f32) { y = x*s }
K
npy f32 '(2, 4)' 1 2 3 1 5 6 7 8 > x.npy
actgen run k.act:several --in x.npy --in 10
actgen run k.act:several --in 1,2,3,4 --in 10 --json
actgen run k.act:scaled --in 2 --in 1,2,3
actgen run k.act:scaled --in 1,2 --in 1,2,3
actgen run relu --in 1,1e39
actgen run relu --in 1,2,
cp x.npy 7,8 && actgen run relu --in ./7,8
--- exit 0
--- stdout
0
0 0.1 nan 0 inf 1e-45 16777216
0.1 3
0.3333333333333333
0 1
2 0 6
y: 10 20
y: 50 60
m: 1 0
m: 1 1
s: 3 11
[
 {"name": "several", * "rows": 1, "cols": 2, "result_y": [10, 20], "result_m": [1, 1], "result_s": [3]}
]
2 4 6
1 2 3 1
5 6 7 8
--- stderr
actgen: error: '1,2,3' has shape (3,), and 's' of scaled needs (2,), by the shape of '1,2'
actgen: error: '1e39' is too large for 'x', which is f32
actgen: error: the list of numbers '1,2,' has an empty place (a file of that name: './1,2,')
