verify() { actgen verify relu -e 'square = x*x' --type bf16 --isa x86-64 --exhaustive "$@" > table; echo $?; }
verify --report whole.json
verify --resume journal
head -n 20 journal > begun; printf ',{"name": "relu", "oper' >> begun
verify --resume begun --report resumed.json
for f in whole resumed; do sed 's/"compile_ms.*"undecided/"undecided/; s/"checksum.*//' $f.json > $f.txt; done; cmp whole.txt resumed.txt
grep -c '"max_ulp"' begun
verify --resume begun --accuracy '1 ulp'
actgen verify relu --exhaustive --isa x86-64 --resume journal; echo $?
sed 's/"bits_differ": 0/"bits_differ": 1/' journal > changed; verify --resume changed
verify --resume missing/journal
actgen verify add --exhaustive --resume journal --shard 1/2; echo $?
actgen verify relu --mpi; echo $?
actgen verify - --exhaustive --mpi; echo $?
--- exit 0
--- stdout
0
0
0
32
1
*
...
3
2
2
2
--- stderr
actgen: error: 'begun' is of another verification: *, different bounds, 1 ulp and 0.5 ulp; name another file
...
actgen: error: 'changed' is damaged: its checksum does not fit: it was changed
actgen: error: cannot open 'missing/journal': *
actgen: error: --resume does all parts: leave --shard out
...
actgen: error: --mpi needs --exhaustive
...
actgen: error: with --mpi, WHAT cannot be '-': only one rank has the standard input
...
