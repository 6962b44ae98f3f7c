. $DATA/interrupt.sh
ready=$is_handled
interrupted actgen verify relu --exhaustive --isa x86-64 --report r.json > result; tail -n 1 result; grep -c 'interrupted at' result
grep -c '"interrupted": true, "done": [0-9.e-]*, "ok": null' r.json
--- exit 0
--- stdout
130
1
1
--- stderr
