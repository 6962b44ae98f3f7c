# Plan files join by cat. A kernel that no part has is noted. The messages name lines of the joined file.
gate() { actgen compile -e 'gate = x*sigmoid(1.25*x)' --accuracy 'abs 2^-10' --isa x86-64 -o gate.o "$@"; }
value() { actgen eval gelu --accuracy 'abs 2^-16' --isa avx2 --plans "$1" 0.7 --json | grep -o '"value": [^,]*'; }
actgen tune -e 'gate = x*sigmoid(1.25*x)' --accuracy 'abs 2^-10' --isa x86-64 --export gate.plans --brief > /dev/null &&
cat $DATA/pinned.plans gate.plans > both.plans && cat gate.plans $DATA/pinned.plans > reversed.plans &&
for file in gate both reversed; do gate --plans $file.plans --header $file.h && grep -c 'planned by times on' $file.h && cp gate.o $file.kept; done &&
cmp both.kept reversed.kept && cmp both.kept gate.kept &&
for file in both reversed; do value $file.plans; done &&
gate --plans $DATA/pinned.plans && echo compiled &&
sed 's/$/\r/' gate.plans > windows.plans && ! gate --plans windows.plans &&
{ cat both.plans; echo more; } > longer.plans && ! gate --plans longer.plans &&
{ cat gate.plans; sed 's/^processor /processor x/' gate.plans; } > changed.plans && gate --plans changed.plans
--- exit 1
--- stdout
1
1
1
"value": 0.5306215286254883
"value": 0.5306215286254883
compiled
--- stderr
actgen: note: the plan file has none for 'gate' within abs 2^-10 on x86-64, so its plan is an estimate
actgen: error: *plan file, line 1: lines end in CR LF, as editors and git on Windows write them; restore the LF that actgen tune --export wrote
actgen: error: *plan file, line 10: text after the end; only another plan file may follow there
actgen: error: *plan file, line 8: the hash is another one: the file is damaged, or was changed by hand
