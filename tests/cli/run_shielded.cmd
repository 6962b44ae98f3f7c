# A branch that is not chosen has no effect, also in sums over the row and in gradients. A NaN operand still makes the row NaN.
. $DATA/npy.sh
cat > k.act <<'END'
kernel values(n: f32) -> (x: f32) { x = if abs(n) > 8 then 0/0 else if n > 7 then inf else if n < -7 then -inf else n }
kernel soft(x: f32) -> (y: f32) { m = amax(x); t = exp(x - m); y = where(m > -inf, t/sum(t), 0) }
kernel soft_back = gradient soft
kernel masked(x: f32, mask: f32) -> (y: f32, s: f32[rows]) { t = x + mask; m = amax(t); p = exp(t - m); s = if m > -inf then sum(p) else -1; y = where(m > -inf, p/sum(p), 0) }
kernel roots(x: f32, w: f32) -> (y: f32) { y = where(x > 0, w*sum(sqrt(w)), 0) }
kernel roots_back = gradient roots
kernel tests(x: f32, w: f32[cols]) -> (b: u1, c: u1) { s = sum(sqrt(x)*w); b = s > 0; c = not s > x }
kernel nested(x: f32, g: f32[rows]) -> (y: f32[rows]) { y = sum(where(g > 0, x/sum(log(x)), 1))/2 }
END
# 8 and -8 are infinities, 9 NaN: a row of -infinity, one with some, with NaN in x, +infinity, numbers, NaN in the other operand
npy f32 '(6, 3)' -8 -8 -8  1 -8 2  9 -8 2  8 1 2  3 2 1  -1 -8 2 > n.npy; actgen run k.act:values --in n.npy --out x.npy
npy f32 '(6, 3)' 1 -1 1  1 2 1  1 0 1  1 1 -8  8 1 1  -9 1 1 > n.npy; actgen run k.act:values --in n.npy --out w.npy
npy f32 '(6,)' 1 -1 -1 0 -1 9 > n.npy; actgen run k.act:values --in n.npy --out g.npy
npy f32 '(3,)' 1 2 1 > n.npy; actgen run k.act:values --in n.npy --out c.npy
numbers() { # to three digits, which are those of every set
    show "$1" | awk 'NR > 1 { for (i = 1; i <= NF; i++) if ($i ~ /[0-9]/) $i = sprintf("%.3f", $i) } 1' | sed 's/-nan/nan/g; s/-0\.000/0.000/g'
}
results() { # of one set and tier
    actgen run k.act:soft "$@" --in x.npy --out y.npy && numbers y.npy
    actgen run k.act:soft_back "$@" --in x.npy --in w.npy --out y.npy && numbers y.npy
    actgen run k.act:masked "$@" --in x.npy --in w.npy --out y.npy --out s.npy && numbers y.npy && numbers s.npy
    actgen run k.act:roots "$@" --in x.npy --in w.npy --out y.npy && numbers y.npy
    actgen run k.act:roots_back "$@" --in x.npy --in w.npy --in w.npy --out y.npy --out s.npy && numbers y.npy && numbers s.npy
    actgen run k.act:tests "$@" --in x.npy --in c.npy --out y.npy --out s.npy && show y.npy && show s.npy
    actgen run k.act:nested "$@" --in x.npy --in g.npy --out y.npy && numbers y.npy
}
results --tier interpreter | tee interpreter.txt
for isa in avx512 avx2 x86-64; do
    actgen run k.act:values --isa $isa --in n.npy --out y.npy 2> /dev/null || continue # not on this processor
    results --isa $isa | cmp - interpreter.txt
done
for kernel in soft soft_back masked roots roots_back tests; do actgen verify k.act:$kernel | grep -i wrong; done
echo verified
--- exit 0
--- stdout
<f4 (6, 3)
0.000 0.000 0.000 0.269 0.000 0.731 nan nan nan nan nan nan 0.665 0.245 0.090 0.047 0.000 0.953
<f4 (6, 3)
0.000 0.000 0.000 0.000 0.000 0.000 nan nan nan nan nan nan nan -inf -inf nan nan nan
<f4 (6, 3)
0.000 0.000 0.000 0.269 0.000 0.731 nan nan nan nan nan nan nan nan nan nan nan nan
<f4 (6,)
-1.000 1.368 nan nan nan nan
<f4 (6, 3)
0.000 0.000 0.000 3.414 0.000 3.414 nan 0.000 2.000 nan nan nan inf inf inf nan nan nan
<f4 (6, 3)
0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000 0.000
<f4 (6, 3)
0.000 0.000 0.000 4.414 0.707 4.414 nan nan nan nan nan nan nan inf inf nan nan nan
|u1 (6, 1)
00 00 00 07 07 00
|u1 (6, 1)
07 07 00 01 00 07
<f4 (6,)
nan 1.500 nan 1.500 1.500 nan
verified
