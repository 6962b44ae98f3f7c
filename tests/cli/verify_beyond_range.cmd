for f in 'exp(x)/(exp(x)+2)' 'cosh(x)/exp(x)' 'if x > 1 then x*sigmoid(x)*1.2+x else if x < 0 then 0.5*(exp(x)-1) else x'; do for a in '0.5 ulp' '1 ulp'; do actgen verify -e "$f" --type bf16 --isa x86-64 --accuracy "$a" --exhaustive > /dev/null && echo "$f, $a"; done; done
--- exit 0
--- stdout
exp(x)/(exp(x)+2), 0.5 ulp
exp(x)/(exp(x)+2), 1 ulp
cosh(x)/exp(x), 0.5 ulp
cosh(x)/exp(x), 1 ulp
if x > 1 then x*sigmoid(x)*1.2+x else if x < 0 then 0.5*(exp(x)-1) else x, 0.5 ulp
if x > 1 then x*sigmoid(x)*1.2+x else if x < 0 then 0.5*(exp(x)-1) else x, 1 ulp
--- stderr
