for core in skylake-x zen5 host; do actgen show silu --stage plan --isa avx512 --tune $core --no-cache | grep -m1 '^kept' | cut -d' ' -f1; done
actgen show silu --stage plan --isa avx512,avx2 --tune skylake-x --no-cache | grep -E '^(==|# candidates)'
actgen show silu --stage plan --isa avx512,avx2 --tune zen5 --no-cache | grep -E '^(==|# candidates)'
actgen show silu --stage plan --isa avx512,avx2 --tune zen4 --no-cache | grep -E '^(==|# candidates)'
actgen show tanh --accuracy 'abs 2^-22' --stage plan --isa avx512 --tune zen5 --no-cache | grep -m1 '^kept'
actgen compile relu -o relu.o --tune zen4 --isa avx512,avx2,x86-64 && test -s relu.o && echo written
--- exit 0
--- stdout
kept
kept
kept
== silu, avx512 ==
# candidates for skylake-x, *
== silu, avx2 ==
# candidates for generic-avx2, *
== silu, avx512 ==
# candidates for zen5, *
== silu, avx2 ==
# candidates for zen5, *
== silu, avx512 ==
# candidates for zen4, *
== silu, avx2 ==
# candidates for zen4, *
kept       piecewise *
written
--- stderr
