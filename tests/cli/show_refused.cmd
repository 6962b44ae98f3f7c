actgen show -e 'sin(exp(x))' --stage plan --isa avx512 > plan.txt; echo $?; grep -c '^lost' plan.txt; actgen show -e 'sin(exp(x))' --stage expr --isa avx512
--- exit 0
--- stdout
1
*
y = sin(exp(x))
  = sin(exp(x))
--- stderr
actgen: error: *no plan keeps `3 ulp`; the best found: *
