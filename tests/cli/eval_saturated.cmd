# A result that saturates as its type does has no error. So has the 0 that stands for NaN in integers.
cat > k.act <<'END'
kernel to_i8(x: f32) -> (y: i8) { y = 100*x }
kernel to_u8(x: f32) -> (y: u8) { y = 100*x }
kernel to_e4m3(x: f32) -> (y: e4m3) { y = 100*x }
END
for type in i8 u8 e4m3; do actgen eval k.act:to_$type 2 -2 100 -inf nan --isa x86-64 | sed -n '2,6s/  */ /gp'; done
--- exit 0
--- stdout
 2 127 100 200 0
 -2 -128 100 -200 0
 100 127 100 10000 0
-inf -128 100 -inf 0
 nan 0 100 - 0
 2 200 100 200 0
 -2 0 100 -200 0
 100 255 100 10000 0
-inf 0 100 -inf 0
 nan 0 100 - 0
 2 192 100 200 0.5
 -2 -192 100 -200 0.5
 100 448 100 10000 0
-inf -448 100 -inf 0
 nan nan 100 - 0
--- stderr
