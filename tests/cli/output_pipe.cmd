# A pipe that nobody reads is waited for, and that wait can be ended; a pipe that somebody reads is written.
mkfifo pipe; sh -c 'echo $$ > pid; exec actgen compile relu --isa x86-64 -o pipe' & process=$!
until child=$(cat /proc/$(cat pid)/task/*/children) && [ "$child" ] && grep -q '^State:.S' /proc/${child% }/status; do sleep 0.05; done 2> waiting
kill -TERM $process; wait $process; echo $?
head -c 4 pipe | tail -c 3 & actgen compile relu --isa x86-64 -o pipe; wait
--- exit 0
--- stdout
143
ELF*
--- stderr
