{ printf 'function f(x) = x'; i=0; while [ $i -lt 300 ]; do printf '+x'; i=$((i+1)); done; printf '+nonsense+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x+x\n'; } > long.act
actgen check long.act
--- exit 1
--- stdout
--- stderr
long.act:1:619: error: *
    1 | ...x+x+*+nonsense+x+x+x*...
      |                                                                ^~~~~~~~
