# Compares the errors of all numbers of a 16-bit type with the error that verify finds.
actgen plot sigmoid --type f16 --isa x86-64 -o a.svg --panels error --json | grep -o '"inputs.*'
actgen verify sigmoid --type f16 --isa x86-64 --json | grep -o '"max_ulp": [^,]*'
--- exit 0
--- stdout
"inputs": 63486, "max_ulp": 0.4*}
"max_ulp": 0.4*
--- stderr
