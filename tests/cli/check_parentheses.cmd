{ printf 'function f(x) = '; head -c 10000000 /dev/zero | tr '\0' '('; } > deep.act
actgen check deep.act
--- exit 1
--- stdout
--- stderr
deep.act:*error: *
...
