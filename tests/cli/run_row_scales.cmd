# The row scales of docs/language.md work for every kind of row: zeros, subnormal numbers, huge ones, infinities, NaN.
. $DATA/npy.sh
cat > q.act <<'END'
kernel values(n: f32) -> (x: f32) {
    x = sign(n)*(if abs(n) > 8 then 0/0 else if abs(n) > 7 then inf else if abs(n) > 6 then 0x1.fffffep127 else if abs(n) > 5 then 2^-130 else
        if abs(n) > 4 then 672*2^-149 else if abs(n) > 3 then 2^-149 else if abs(n) > 2 then 2^-104 else abs(n)/2)
}
kernel row_e4m3(x: f32) -> (q: e4m3, s: f32[rows]) { s = f32(clamp(amax(abs(x))/448, 2^-140, 2^120)); q = x/s }
kernel row_e5m2(x: f32) -> (q: e5m2, s: f32[rows]) { s = f32(clamp(amax(abs(x))/57344, 2^-133, 2^113)); q = e5m2(x/s, saturate = 1) }
kernel row_i8(x: f32) -> (q: i8, s: f32[rows]) { s = f32(clamp(amax(abs(x))/127, 2^-139, 2^122)); q = x/s }
kernel back_e4m3(q: e4m3, s: f32[rows]) -> (y: f32) { y = s*q }
kernel back_e5m2(q: e5m2, s: f32[rows]) -> (y: f32) { y = s*q }
kernel back_i8(q: i8, s: f32[rows]) -> (y: f32) { y = s*q }
END
# 1, 2: halves; 3: 2^-104; 4: the least number; 5: 672 of them; 6: 2^-130; 7: the largest number; 8: infinity; 9: NaN
npy f32 '(10, 3)' 0 0 0  1 -2 0  2 1 0  3 -3 1  4 -4 0  5 -4 0  6 -4 5  7 -1 0  8 -1 7  9 1 0 > n.npy
actgen run q.act:values --in n.npy --out x.npy
show x.npy | sed 's/-nan/nan/g'
results() { # of one set and tier
    for type in e4m3 e5m2 i8; do
        actgen run q.act:row_$type "$@" --in x.npy --out q.npy --out s.npy || return
        actgen run q.act:back_$type "$@" --in q.npy --in s.npy --out y.npy || return
        case $type in e4m3) nan='s/ff/7f/g' ;; e5m2) nan='s/fe/7e/g' ;; i8) nan= ;; esac # its sign is nobody's promise
        show q.npy | sed "$nan"
        for file in s y; do show $file.npy | sed 's/-nan/nan/g'; done
    done
}
results --tier interpreter | tee interpreter.txt
for isa in avx512 avx2 x86-64; do
    actgen run q.act:values --isa $isa --in n.npy --out x.npy 2> /dev/null || continue # not on this processor
    for tier in best quick; do results --isa $isa --tier $tier | cmp - interpreter.txt; done
done
--- exit 0
--- stdout
<f4 (10, 3)
0 0 0 0.5 -1 0 1 0.5 0 4.9303807e-32 -4.9303807e-32 0.5 1e-45 -1e-45 0 9.42e-43 -1e-45 0 7.34684e-40 -1e-45 9.42e-43 3.4028235e+38 -0.5 0 inf -0.5 3.4028235e+38 nan 0.5 0
|u1 (10, 3)
00 00 00 76 fe 00 7e 76 00 00 80 7e 01 81 00 3a 81 00 7e 80 31 7e 80 00 7e 80 78 7f 7f 7f
<f4 (10,)
7.17e-43 0.002232143 0.002232143 0.0011160715 7.17e-43 7.17e-43 1.64e-42 7.595588e+35 1.329228e+36 nan
<f4 (10, 3)
0 0 0 0.5 -1 0 1 0.5 0 0 -0 0.5 1e-45 -1e-45 0 8.97e-43 -1e-45 0 7.34505e-40 -0 9.22e-43 3.4028235e+38 -0 0 inf -0 inf nan nan nan
|u1 (10, 3)
00 00 00 77 fb 00 7b 77 00 00 80 7b 01 81 00 21 81 00 48 81 21 7b 80 00 7b 80 78 7e 7e 7e
<f4 (10,)
9.1835e-41 1.7438617e-05 1.7438617e-05 8.719308e-06 9.1835e-41 9.1835e-41 9.1835e-41 5.934053e+33 1.0384594e+34 nan
<f4 (10, 3)
0 0 0 0.5 -1 0 1 0.5 0 0 -0 0.5 1e-45 -1e-45 0 8.97e-43 -1e-45 0 7.34684e-40 -1e-45 8.97e-43 3.4028235e+38 -0 0 inf -0 inf nan nan nan
|i1 (10, 3)
0 0 0 64 -127 0 127 64 0 0 0 127 0 0 0 1 0 0 127 0 0 127 0 0 127 0 64 0 0 0
<f4 (10,)
1.435e-42 0.007874016 0.007874016 0.003937008 1.435e-42 1.435e-42 5.785e-42 2.6793884e+36 5.316912e+36 nan
<f4 (10, 3)
0 0 0 0.503937 -1 0 1 0.503937 0 0 0 0.5 0 0 0 1.435e-42 0 0 7.34639e-40 0 0 3.4028233e+38 0 0 inf 0 inf nan nan nan
