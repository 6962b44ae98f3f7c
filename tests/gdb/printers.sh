#!/bin/sh
# printers.sh SOURCE PROGRAM FOLDER: compares what gdb prints by scripts/actgen_gdb.py with what the C printers print.
source=$1 program=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
if ! gdb -nx --batch -ex 'python print("has " + "python")' 2>&1 | grep -q '^has python$'; then
    echo "SKIPPED: gdb with Python is not installed"
    exit 77
fi
cat >commands <<EOF
set pagination off
source $source/scripts/actgen_gdb.py
break show
commands
silent
if e
  print e
else
  print *program
end
continue
end
run
EOF
gdb -nx --batch -x commands "$program" >said 2>&1 </dev/null
if grep -q 'ptrace: Operation not permitted\|Could not trace' said; then
    echo "SKIPPED: gdb may not start programs here"
    exit 77
fi
sed -n 's/^C: //p; /^profile /,/^end: /{ /^end: /!p; }' said >expected
sed -n 's/^\$[0-9]* = (expr \*) 0x[0-9a-f]*: //p; /^\$[0-9]* = profile /,/^profile /{ /^profile /!s/^\(\$[0-9]* = \)\{0,1\}//p; }' said >found
if [ "$(wc -l <expected)" -gt 25 ] && diff expected found; then exit 0; fi
cat said
exit 1
