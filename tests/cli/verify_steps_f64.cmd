for f in 'round(x + 65)' 'round(x*x)' 'floor(x*3)'; do actgen verify -e "$f" --type f64 --isa avx2 > /dev/null && echo "$f"; done
--- exit 0
--- stdout
round(x + 65)
round(x*x)
floor(x*3)
--- stderr
