for f in 'x/(exp(x) - 14.05939)' 'log(0.1*x)' '0.3*x - 0.9' 'if 3.026784*x > 300 then 0 else x'; do actgen verify -e "$f" --isa x86-64 --accuracy '3 ulp' > /dev/null && echo "$f"; done
--- exit 0
--- stdout
x/(exp(x) - 14.05939)
log(0.1*x)
0.3*x - 0.9
if 3.026784*x > 300 then 0 else x
--- stderr
