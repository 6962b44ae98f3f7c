echo 'kernel add(a: f32, b: f32) -> (y: f32) { y = a + b }' > add.act
for i in 1 2 3; do actgen verify ./add.act --exhaustive --shard $i/3 --isa x86-64 --report $i.json > table; done
actgen verify ./add.act --exhaustive --isa x86-64 --report whole.json > table
actgen verify --merge 3.json 1.json 2.json --report merged.json > table; echo $?
for f in whole merged; do sed 's/"compile_ms.*"undecided/"undecided/; s/"checksum.*//' $f.json > $f.txt; done; cmp whole.txt merged.txt
actgen verify --merge 1.json 3.json; echo $?
actgen verify --merge 1.json 2.json 2.json 3.json; echo $?
actgen verify ./add.act --exhaustive --shard 2/4 --isa x86-64 --report other.json > table
actgen verify --merge 1.json other.json 3.json; echo $?
actgen verify ./add.act --exhaustive --shard 2/3 --isa x86-64 --accuracy '2 ulp' --report bound.json > table
actgen verify --merge 1.json bound.json 3.json; echo $?
sed 's/"bits_differ": 0/"bits_differ": 1/' 2.json > changed.json
head -c 200 2.json > cut.json
actgen verify --merge changed.json cut.json whole.json none.json; echo $?
actgen verify --merge whole.json; echo $?
actgen verify ./add.act --shard 1/2; echo $?
actgen verify ./add.act --exhaustive --shard 3/2; echo $?
--- exit 0
--- stdout
0
1
1
1
1
3
1
2
2
--- stderr
actgen: error: part 2/3 of add (x86-64) is missing
actgen: error: part 2/3 of add (x86-64) is in '2.json' and in '2.json'
actgen: error: '1.json' and 'other.json': add (x86-64) in parts of 3 and of 4
actgen: error: '1.json' and 'bound.json': add (x86-64) of different bounds, 3 ulp and 2 ulp
actgen: error: 'changed.json' is damaged: its checksum does not fit: it was changed
actgen: error: 'cut.json' is damaged: it is cut off, or no report of actgen verify
actgen: error: cannot open 'none.json': *
actgen: error: 'whole.json': add (x86-64) is no part: it was made without --shard
actgen: error: --shard needs --exhaustive
...
actgen: error: '3/2' is no part: 1/N to N/N, N at most 16384
...
