# An empty file is an error in every command. A file of functions only is right for check, and makes no code.
: > e.act; printf ' \n\n' > b.act; printf 'function f(x) = x*x\n' > f.act
for command in check 'show --stage expr'; do for file in e b f; do actgen $command $file.act; echo $?; done; done; actgen check - < /dev/null; echo $?
--- exit 0
--- stdout
1
1
0
1
1
1
1
--- stderr
actgen: error: 'e.act' is empty: a spec has kernels or functions
actgen: error: 'b.act' is empty: a spec has kernels or functions
actgen: error: 'e.act' is empty: a spec has kernels or functions
actgen: error: 'b.act' is empty: a spec has kernels or functions
actgen: error: 'f.act' has no kernel; functions alone make no code
actgen: error: '<stdin>' is empty: a spec has kernels or functions
