# --depfile names the files whose changes make Make and Ninja compile again. Built-ins and the standard input are not among them.
mkdir 'a b'; printf 'kernel first(x: f32) -> (y: f32) { y = x }\n' > 'a b/1#$.act'
printf 'kernel second(x: f32) -> (y: f32) { y = -x }\nkernel third(x: f32) -> (y: f32) { y = 2*x }\n' > 2.act
actgen compile 'a b/1#$.act' 2.act:third relu -o k.o --header k.h --depfile k.d --isa x86-64 && cat k.d
printf 'kernel k(x: f32) -> (y: f32) { y = x }\n' | actgen compile - -o k.o --depfile - --isa x86-64
printf 'k.o:\n\tactgen compile 2.act -o k.o --depfile k.d --isa x86-64\n-include k.d\n' > Makefile
is_old() { rm k.o && make > log && touch -d '1 minute ago' k.o && ! make -q; }
if ! command -v make > log || is_old; then echo old; fi
actgen compile relu -o k.o --depfile k.o
--- exit 2
--- stdout
k.o k.h: a\ b/1\#$$.act 2.act
k.o:
old
--- stderr
actgen: error: -o and --depfile name the same file: give each its own
...
