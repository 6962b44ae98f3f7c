printf 'function f(x) = x*x\n' > f.act
actgen show f.act --stage expr
--- exit 1
--- stdout
--- stderr
actgen: error: 'f.act' has no kernel; functions alone make no code
