cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
printf 'kernel act(x: f32) -> (y: f32) { y = gelu(x) }\n' > a.act
printf 'kernel act(x: f32) -> (y: f32) { y = silu(x) }\n' > b.act
for n in a b; do # two shared libraries with a kernel of one name, each called by a function of its own
    actgen compile $n.act -o $n.o --header $n.h || exit
    printf '#include "%s.h"\n__attribute__((visibility("default"))) float f%s(float x) { float y; act(1, 1, &x, &y); return y; }\n' $n $n > w$n.c
    $cc -O2 -fPIC -fvisibility=hidden -shared w$n.c $n.o -o lib$n.so || exit
    nm -D --defined-only lib$n.so | sed 's/.* //'
done
printf '#include <stdio.h>\nfloat fa(float), fb(float);\nint main(void) { return printf("%%.4f %%.4f\\n", fa(1), fb(1)) < 0; }\n' > m.c
$cc m.c -L. -la -lb -Wl,-rpath,. -o m && ./m
actgen compile a.act b.act -o ab.o; echo $?
actgen compile a.act -o a.o --header a.h --prefix a_ && actgen compile b.act -o b.o --header b.h --prefix b_ || exit
printf '#include "a.h"\n#include "b.h"\n#include <stdio.h>\nint main(void) { float x = 1, y, z; a_act(1, 1, &x, &y); b_act_strided(1, 1, &x, 1, &z, 1); return printf("%%.4f %%.4f\\n", y, z) < 0; }\n' > m.c
$cc m.c a.o b.o -o m && ./m
--- exit 0
--- stdout
fa
fb
0.8413 0.7311
1
0.8413 0.7311
--- stderr
actgen: error: two kernels are named `act`
