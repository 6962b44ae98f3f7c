# A constant part that is infinite or NaN is refused at its place. Infinities by name, branches of a choice, and branches that
# are never chosen are accepted.
say() { printf '%s\n' "$1" > c.act; actgen check c.act 2>&1 | sed -n 's/^c.act:\([0-9:]*\): error: \(.*\)/\1 \2/p; t; s/^.*| \( *^.*\)$/\1/p'; }
for e in '1/0 + x' 'sqrt(-1)*x' 'x*log(-1)' '0/0*x' 'x + (inf - inf)' 'x*log(1 - e)' 'x/(1 - 1)' '0^-1 + x' 'x*log(sin(pi))' \
    'elu(x, alpha = 1/0)' 'x < 1/0' 'if x > 0 then 1/0 + x else x'; do
    say "kernel k(x: f32) -> (y: f32) { y = $e }"
done
echo
say 'function f(x; a = 1/0) = a*x'
say 'function f(x; a = 0, b = 1/a) = x + b*x'
say 'kernel k(x: f32) -> (y: f32) { t = x/sum(x*log(0)); y = t }'
say 'kernel k(x: f32) -> (y: f32) { accuracy 1/0 ulp; y = exp(x) }'
actgen check -e 'x*sqrt(-2)' 2>&1 | head -1
for e in 'inf*x' 'max(x, -inf)' 'where(x > -inf, x, 0)' 'if x > 0 then x else -inf' 'if x < 0 then 0/0 else sqrt(x)' 'if x > 9 then 1/0 else x' \
    'x/exp(-1000)' 'x*exp(1000)' 'x*exp(-inf)' 'if 1 > 2 then x/0 else x' 'where(1 < 2, x, 1/0 + x)' 'e4m3(x, saturate = 0)'; do
    say "kernel k(x: f32) -> (y: f32) { y = $e }"
done
large() { # 1000 constants below each of 1000 others; written one by one they would take minutes
    awk -v n=1000 -v more="$1" 'BEGIN {
        printf "kernel k(x: f32) -> (y: f32) {\n s = 0"; for (i = 1; i <= n; i++) printf " + sin(exp(%d))", i
        printf "\n y = x"; for (i = 1; i <= n; i++) printf " + x*sin(s + %d)", i
        print more "\n}" }' > large.act
    actgen check large.act 2>&1 | sed -n 's/^large.act:[0-9:]*: error: //p'
}
large; large ' + x*log(1/3*3 - 1)'; large ' + x/(s - s)'
--- exit 0
--- stdout
1:36 the constant `1 / 0` is infinite; an infinity that is meant is written `inf` or `-inf`
                                   ^~~
1:36 the constant `sqrt(-1)` has no value (NaN); *branch of its own: `if x < 0 then 0/0 else sqrt(x)`
                                   ^~~~~~~~
1:38 the constant `log(-1)` has no value (NaN); *branch of its own: `if x < 0 then 0/0 else sqrt(x)`
                                     ^~~~~~~
1:36 the constant `0 / 0` has no value (NaN); *branch of its own: `if x < 0 then 0/0 else sqrt(x)`
                                   ^~~
1:41 the constant `inf - inf` has no value (NaN); *branch of its own: `if x < 0 then 0/0 else sqrt(x)`
                                        ^~~~~~~~~
1:38 the constant `log(1 - exp(1))` has no value (NaN); *branch of its own: `if x < 0 then 0/0 else sqrt(x)`
                                     ^~~~~~~~~~
1:36 the divisor `1 - 1` is 0
                                   ^~~~~~~~~
1:36 the constant `0^-1` is infinite; an infinity that is meant is written `inf` or `-inf`
                                   ^~~~
1:38 the constant `log(sin(pi))` is infinite; an infinity that is meant is written `inf` or `-inf`
                                     ^~~~~~~~~~~~
1:51 the constant `1 / 0` is infinite; an infinity that is meant is written `inf` or `-inf`
                                                  ^~~
1:40 the constant `1 / 0` is infinite; an infinity that is meant is written `inf` or `-inf`
                                       ^~~
1:50 the constant `1 / 0` is infinite; an infinity that is meant is written `inf` or `-inf`
                                                 ^~~

1:19 the constant `1 / 0` is infinite; an infinity that is meant is written `inf` or `-inf`
                  ^~~
1:26 the constant `1 / 0` is infinite; an infinity that is meant is written `inf` or `-inf`
                         ^~~
1:44 the constant `log(0)` is infinite; an infinity that is meant is written `inf` or `-inf`
                                           ^~~~~~
1:41 expected a number such as 3, 0.5 or 2^-22
                                        ^~~
expression:1:3: error: the constant `sqrt(-2)` has no value (NaN); *branch of its own: `if x < 0 then 0/0 else sqrt(x)`
the constant `log(1 / 3 * 3 - 1)` is infinite; an infinity that is meant is written `inf` or `-inf`
the divisor `0 + sin(exp(1)) + sin(exp(2))*` is 0
