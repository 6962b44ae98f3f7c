# A file that is written over keeps its mode and its other names. A link to a missing file creates that file.
# A build that counts coverage would write its counts as well, where no file may grow.
for f in secret named; do echo old > $f.o; done; chmod 640 secret.o; ln named.o other.o; ln -s later.o link.o
for f in secret named link; do actgen compile relu --isa x86-64 -o $f.o || echo $f; done; stat -c '%a %h' secret.o; stat -c %h named.o; cmp secret.o other.o; cmp secret.o later.o; test -L link.o; echo $?
sh -c 'ulimit -f 0; exec env LLVM_PROFILE_FILE=/dev/null actgen compile relu --isa x86-64 -o new.o --no-cache' 2>&1 | cat; ls new.o*
actgen compile relu -o 'two
lines.o' --depfile two.d; echo $?
--- exit 0
--- stdout
640 1
2
0
actgen: error: cannot write 'new.o': File too large
2
--- stderr
ls: *new.o*
actgen: error: --depfile cannot name 'two
lines.o', whose name has an end of a line: rename it
