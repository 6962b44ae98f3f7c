# A plan of a minute: the first interrupt ends it, without an error or a file; a terminal shows what is being done.
stop() { timeout -k 9 -s INT --preserve-status "${seconds:-1}" "$@"; echo $?; }
long='x*sigmoid(1.7*x) + 0.1*sin(1.1*x)'
seconds=3; stop actgen verify -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 > verified; tail -1 verified; grep -c 'interrupted at' verified
seconds=1; stop actgen bench -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 > measured; tail -1 measured
stop actgen compile -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 -o k.o --header k.h
stop actgen run -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 --in x.npy --out y.npy 2> message
ls
rm -f *
script -qec "timeout -k 9 -s INT --preserve-status 4 actgen show --stage lane -e '$long' --accuracy '0.5 ulp' --no-cache --isa x86-64" terminal > /dev/null
grep -c 'expression x86-64  [a-z]' terminal
--- exit 0
--- stdout
130
1
130
130
130
measured
message
verified
1
--- stderr
