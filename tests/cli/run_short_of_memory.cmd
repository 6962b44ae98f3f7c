# Refuses a stream whose header asks for more memory than the limit of address space allows. The machine has that memory.
. $DATA/npy.sh
limited() { sh -c 'ulimit -v 100000; exec actgen "$@"' limited "$@"; }
limited --version > version || { echo 'a program that runs in 100 MB of addresses'; exit 77; }
{ npy f32 '(50000000,)'; head -c 1000000 /dev/zero; } | limited run relu --tier interpreter --isa x86-64 --in - --out y.npy; echo $?; ls
--- exit 0
--- stdout
1
version
--- stderr
actgen: error: 'standard input' has 200000128 bytes by its header, and there is no memory for them
