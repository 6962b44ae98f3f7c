for type in f32 bf16; do
    echo "kernel add([a | b]: $type) -> (y: $type) { y = a + b }" > $type.act
    for i in 1 2; do actgen verify ./$type.act --exhaustive --shard $i/2 --isa x86-64 --report $type$i.json > table || cat table; done
done
actgen verify --merge bf162.json f321.json bf161.json f322.json --json
actgen verify --merge bf162.json f321.json
--- exit 1
--- stdout
[
 {"name": "add", "operands": "([a | b]: bf16) -> (y: bf16)", "isa": "x86-64", *"ok": true, *},
 {"name": "add", "operands": "([a | b]: f32) -> (y: f32)", "isa": "x86-64", *"ok": true, *}
]
--- stderr
actgen: error: part 1/2 of add (x86-64) is missing
actgen: error: part 2/2 of add (x86-64) is missing
