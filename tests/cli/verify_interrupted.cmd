timeout -k 20 -s INT --preserve-status 3 actgen verify relu --exhaustive --isa x86-64 --report r.json > result; echo $?; grep -c 'interrupted at' result
grep -c '"interrupted": true, "done": 0.*"ok": null' r.json
--- exit 0
--- stdout
130
1
1
--- stderr
