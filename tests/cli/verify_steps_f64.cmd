for f in 'round(x + 65)' 'round(x*x)' 'floor(x*3)'; do actgen verify -e "$f" --type f64 --isa avx2 > /dev/null && echo "$f"; done
actgen show -e 'round(x/10)' --type f64 --isa avx2 --stage plan 2> /dev/null | grep -c '^kept'
--- exit 1
--- stdout
round(x + 65)
round(x*x)
floor(x*3)
0
--- stderr
