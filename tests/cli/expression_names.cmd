# Several formulas are several kernels. The user or the program gives them different names.
actgen compile -e 'x*x' -e '2*x' -e 'mine = x' -e 'x*3' relu -o k.o --header k.h --isa x86-64 && sed -n 's/^void \([a-z0-9]*\)(.*/\1/p' k.h
actgen show -e 'x*x' -e 'mine = x' -e '2*x' --stage spec | grep kernel
actgen compile -e 'a = x*x' -e 'a = x' -o k.o --isa x86-64
actgen show -e 'x*x' -e 'x + q' --stage spec
--- exit 1
--- stdout
expression
expression2
mine
expression3
relu
kernel expression(x: f32) -> (y: f32) {
kernel mine(x: f32) -> (y: f32) {
kernel expression2(x: f32) -> (y: f32) {
--- stderr
actgen: error: *`a`*
expression:1:5: error: unknown name `q`*
    1 | x + q
      |     ^
