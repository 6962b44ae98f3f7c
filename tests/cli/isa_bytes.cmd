actgen show gelu --type i8 --isa avx512vbmi --stage lane | sed -n 1,6p
printf 'kernel k(a: u8, b: i8) -> (y: u8, z: e4m3) { y = tanh(a/9)*200; z = gelu(b) }\nkernel l(a: u8, s: f32[]) -> (y: u8) { y = a*s }\n' > k.act
actgen show k.act:k --isa neon --stage lane | grep -v '^ '
actgen compile k.act:l --isa avx512vbmi -o l.o
--- exit 0
--- stdout
profile avx512vbmi
%0: i8 = load 0
%1: i8 = lookup table 0, %0
store 1, %1
table 0: 256 i8
    00 01 02 03 04 05 06 07
profile neon
%0: i8 = load 0
%1: i8 = lookup table 0, %0
store 2, %1
%3: i8 = load 1
%4: i8 = lookup table 1, %3
store 3, %4
table 0: 256 i8
table 1: 256 i8
--- stderr
actgen: note: 'l' within 3 ulp uses nothing of avx512vbmi, so it is compiled for avx512
