# Masks are numbers 0 and 1, also after the eighth column. A u64 has all its digits.
cat > k.act <<'END'
kernel masked(x: f32, k: u1) -> (y: f32) { y = where(k, x, -1) }
kernel alone(k: u1) -> (y: f32) { y = k + 1 }
kernel drawn(x: f32, s: u64[], o: u64[]) -> (y: f32) { y = x*uniform(s, o) }
END
actgen eval k.act:masked x=1,2,3,4,5,6,7,8,9 k=0,1,1,1,1,1,1,1,0 --isa x86-64 | sed -n '2,3p;10p'
actgen eval k.act:masked x=1,2 k=1 --isa x86-64 | sed -n '2,3p'
actgen run k.act:masked --in 1,2,3 --in 1,0,1 --isa x86-64
actgen run k.act:alone --in 1,0,1 --isa x86-64
actgen run k.act:masked --in 4 --in 0 --isa x86-64
actgen eval k.act:drawn 1 s=18446744073709551615 o=9007199254740993 --isa x86-64 | sed -n '2s/  */ /gp'
actgen eval k.act:masked x=2 k=2
actgen run k.act:masked --in 1,2,3 --in 1,0,0,1
actgen eval k.act:drawn 1 s=18446744073709551616 o=0
actgen eval k.act:drawn 1 s=1.5 o=0
--- exit 1
--- stdout
1  0  -1      0     -1           0
2  1   2      1      2           0
9  0  -1      0     -1           0
1  1  1      1      1           0
2  1  2      1      2           0
1 -1 3
2 1 2
-1
1 18446744073709551615 9007199254740993 0.*
--- stderr
actgen: error: '2' is not 0 or 1, which 'k' needs, as it is u1
actgen: error: 'k' has 4 numbers, and needs 3, one per column
actgen: error: '18446744073709551616' is no whole number from -2^63 to 2^64 - 1, which 's' needs, as it is u64
actgen: error: '1.5' is no whole number from -2^63 to 2^64 - 1, which 's' needs, as it is u64
