actgen verify
--- exit 2
--- stdout
--- stderr
actgen: error: a WHAT is missing: a file, a built-in's name or -e EXPR
...
