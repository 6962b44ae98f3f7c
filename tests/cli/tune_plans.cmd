actgen tune -e 'gate = x*sigmoid(1.25*x)' --accuracy 'abs 2^-10' --isa x86-64 --export gate.plans --cache there | sed -n 1p &&
head -1 gate.plans && cut -d' ' -f3- gate.plans | sed -n 3p &&
actgen compile -e 'gate = x*sigmoid(1.25*x)' --accuracy 'abs 2^-10' --isa x86-64 --plans gate.plans -o a.o --header a.h &&
grep -o 'planned by times on' a.h &&
actgen compile -e 'gate = x*sigmoid(1.25*x)' --accuracy 'abs 2^-10' --isa x86-64 --plan measure --cache there -o b.o && cmp a.o b.o &&
sed s/gate,/gate2,/ gate.plans > changed.plans && actgen show -e 'gate = x' --plans changed.plans --stage lane
--- exit 1
--- stdout
kernel *isa *plan *ns/element *of estimate*
actgen plans 1
gate, abs 2^-10, x86-64
planned by times on
--- stderr
actgen: error: *plan file, line 4: the hash is another one: the file is damaged, or was changed by hand
