# The first interrupt ends a search that would take a minute, without an error or a file. A terminal shows the current work.
. $DATA/interrupt.sh
long='x*sigmoid(1.7*x) + 0.1*sin(1.1*x)'
ready=$is_handled
interrupted actgen verify -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 > verified; tail -n 1 verified; grep -c 'interrupted at' verified
interrupted actgen bench -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 > measured; tail -n 1 measured
ready=$is_working
interrupted actgen compile -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 -o k.o --header k.h
interrupted actgen run -e "$long" --accuracy '0.5 ulp' --no-cache --isa x86-64 --in x.npy --out y.npy 2> message
ls
rm -f *
script -qefc "sh -c 'echo \$\$ > pid; exec actgen show --stage lane -e \"$long\" --accuracy \"0.5 ulp\" --no-cache --isa x86-64'" terminal > shown &
until grep -q 'expression x86-64  [a-z]' terminal; do kill -0 $! && sleep 0.1 || break; done 2> watching
kill $(cat pid); wait $!; echo $?; grep -c 'expression x86-64  [a-z]' terminal
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
143
1
--- stderr
