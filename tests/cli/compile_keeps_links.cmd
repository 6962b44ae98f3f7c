echo old > real.o && ln -s real.o link.o && actgen compile relu -o link.o && test -L link.o && head -c 4 real.o | tail -c 3 && test -c /dev/null && actgen compile relu -o /dev/null && test -c /dev/null && actgen compile relu -o - | cmp - real.o
--- exit 0
--- stdout
ELF*
--- stderr
