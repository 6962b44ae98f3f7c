timeout -k 10 -s INT --preserve-status 1 actgen verify gelu --exhaustive --isa x86-64 --report r.json > result; echo $?; grep -c 'interrupted at' result
grep -c '"interrupted": true, "done": 0.*"ok": null' r.json
--- exit 0
--- stdout
130
1
1
--- stderr
