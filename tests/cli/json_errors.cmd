# Every error of every command is an object of one form on stdout, in addition to the message on stderr. The JSON is one
# complete array.
printf '# two lines\nkernel k(x: f32) -> (y: f32) { y = geluu(x) }\n' > bad.act
cp "$DATA/matrix.npy" x.npy
try() { actgen "$@" --json 2>> messages > out; echo "$? $(grep -c . messages)" > code; cat code; cat out; : > messages; }
try check bad.act | grep -v '^[0-9]'
for c in 'show -e gelo(x) --stage spec' 'compile -e gelo(x) -o o.o' 'run -e gelo(x) --in x.npy --out y.npy' 'verify -e gelo(x)' 'bench -e gelo(x)' 'bench --latency -e gelo(x)'; do
    try $c | sed -n 's/^ .*"error": "\([a-z]*\)", "file": "expression", "line": 1, "column": 1, "message": "unknown function `gelo`.*", "hint": "did you mean `gelu`?"}$/\1/p'
done
for c in 'show gelu --stage spec' 'compile gelu -o o.o' 'run gelu --in x.npy --out y.npy' 'verify gelu' 'bench gelu' 'bench --latency gelu'; do
    try $c --isa avx51 | sed -n 's/^ .*"error": "\([a-z]*\)", .*, "hint": "did you mean .avx512.?"}$/\1/p'
done
try list gelu --cores | tail -3
try show gelu --stage spce | grep -o '"error": .*'
try run gelu --isa x86-64 --in none.npy --out y.npy | grep -o '"error": .*'
try compile relu -o - | grep -o '"message": .*'
try compile -e 'sin(exp(x))' --isa avx512 -o o.o
try help nope | tail -1
# Bytes that are not UTF-8 become U+FFFD.
try eval "$(printf 'a\377\303\251\303\340\200\200b')" | grep -o 'a.ufffd.*b`'
--- exit 0
--- stdout
[
 {"name": null, "isa": null, "error": "input", "file": "bad.act", "line": 2, "column": 36, "message": "unknown function `geluu`; did you mean `gelu`?", "hint": "did you mean `gelu`?"}
]
input
input
input
input
input
input
target
target
target
target
target
target
[
 {"name": null, "isa": null, "error": "usage", "file": null, "line": null, "column": null, "message": "'gelu' cannot be given here: names are for the list of built-ins", "hint": "usage: actgen list *"}
]
"error": "usage", "file": null, "line": null, "column": null, "message": "there is no stage 'spce'; *", "hint": "did you mean 'spec'?"}
"error": "file", "file": "none.npy", "line": null, "column": null, "message": "cannot open 'none.npy': No such file or directory", "hint": null}
"message": "--json prints to the standard output, so no file can be '-'", "hint": "usage: actgen compile *"}
1 1
[
 {"name": "expression", "isa": "avx512", "error": "input", "file": null, "line": null, "column": null, "message": "no plan keeps `3 ulp`*", "hint": null}
]
]
a\ufffdé\ufffd\ufffd\ufffd\ufffdb`
