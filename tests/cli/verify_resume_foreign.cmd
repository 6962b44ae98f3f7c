# A file that is no journal stays as it is, byte for byte. A pipe or a device is no journal.
# A build that counts coverage would write its counts as well, where no file may grow.
verify() { actgen verify relu --type bf16 --isa x86-64 --exhaustive --resume "$@" > table; echo $?; }
printf 'a note\nwithout an end' > note; printf '[1, 2]' > list; printf '[{"begun_by": 0,\0\n' > bytes; head -c 3000 $DATA/huge.npy > array
verify begun; { head -n 3 begun; printf '\0more\n'; } > damaged
for f in note list bytes array damaged; do cp $f copy; verify $f; cmp $f copy; done
mkfifo pipe; verify pipe; verify /dev/zero
sh -c 'ulimit -f 0; LLVM_PROFILE_FILE=/dev/null actgen verify relu --type bf16 --isa x86-64 --exhaustive --no-cache --resume full; echo $?' 2>&1 | cat
--- exit 0
--- stdout
0
1
1
1
1
1
1
1
actgen: error: cannot write 'full': File too large
3
--- stderr
actgen: error: 'note' is no journal of actgen verify: it does not begin as a journal does; it is left as it is
actgen: error: 'list' is no journal of actgen verify: it does not begin as a journal does; it is left as it is
actgen: error: 'bytes' is no journal of actgen verify: it is no text; it is left as it is
actgen: error: 'array' is no journal of actgen verify: it does not begin as a journal does; it is left as it is
actgen: error: 'damaged' is no journal of actgen verify: it is no text; it is left as it is
actgen: error: 'pipe' is no regular file, which a journal must be
actgen: error: '/dev/zero' is no regular file, which a journal must be
