# The program waits for a reader of a pipe, and a signal can end the wait. A pipe with a reader is written.
mkfifo pipe; sh -c 'echo $$ > pid; exec actgen compile relu --isa x86-64 -o pipe' & process=$!
until child=$(cat /proc/$(cat pid)/task/*/children) && [ "$child" ] && grep -q '^State:.S' /proc/${child% }/status; do sleep 0.05; done 2> waiting
kill -TERM $process; wait $process; echo $?
head -c 4 pipe | tail -c 3 & actgen compile relu --isa x86-64 -o pipe; wait
--- exit 0
--- stdout
143
ELF*
--- stderr
