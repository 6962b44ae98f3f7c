# The message says if the address space is too small for LLVM, because then no library is missing.
limited() { sh -c 'ulimit -v 60000; exec actgen "$@"' limited "$@"; }
limited --version > version || { echo 'a program that starts in 60 MB of addresses'; exit 77; }
limited compile gelu --isa x86-64 -o e.o --no-cache; echo $?; ls
--- exit 0
--- stdout
6
version
--- stderr
actgen: error: gelu (x86-64): nothing can be compiled: memory ran out while libactgen-llvm.so.0 was loaded; the limit of address space (ulimit -v) is too low: *
