echo mine > y.o && chmod 444 y.o && { [ -w y.o ] && echo "actgen: error: cannot write 'y.o': Permission denied" >&2 || actgen compile relu --isa x86-64 -o y.o; }; cat y.o
--- exit 0
--- stdout
mine
--- stderr
actgen: error: cannot write 'y.o': Permission denied
