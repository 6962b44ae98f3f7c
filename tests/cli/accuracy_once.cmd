actgen verify --all --accuracy '3 upl'; echo $?; actgen verify --all --isa avx2,x86-64 --accuracy '3 upl' --json | grep -c '"message": "expected `ulp`'
--- exit 0
--- stdout
1
1
--- stderr
--accuracy:1:3: error: *
    1 | 3 upl
      |   ^~~
--accuracy:1:3: error: *
    1 | 3 upl
      |   ^~~
