printf 'kernel k(n: f32, i: f32, NAN: f32, INFINITY: f32, linux: f32, drawn_0: f32) -> (size_t: f32) { size_t = n*i + exp(NAN) - INFINITY*linux*drawn_0 }\n' >a.act
actgen show a.act --stage libm >a.c
cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
$cc -c a.c -o a.o
--- exit 0
--- stdout
--- stderr
