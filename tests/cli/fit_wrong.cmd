actgen fit gelu_tanh --to gelu; echo $?
actgen fit gelu_tanh --parameter a; echo $?
actgen fit gelu_tanh --to gelu --parameter b; echo $?
actgen fit nonsense --to gelu --parameter b; echo $?
actgen fit gelu_tanh --to 'gelu(' --parameter a; echo $?
actgen fit gelu_tanh --to gelu --parameter a=x; echo $?
actgen fit gelu_tanh --to gelu --parameter a --measure mean; echo $?
actgen fit gelu_tanh --to gelu --parameter a --points 1:2; echo $?
actgen fit gelu_tanh --to gelu --parameter a --points 1 --interval 1,2; echo $?
actgen fit -e 'log(x)*a' --to log --parameter a; echo $?
actgen fit gelu_tanh --to gelu --parameter a -o missing/x.svg; echo $?
actgen fit missing.act:f --to gelu --parameter a; echo $?
ls
--- exit 0
--- stdout
2
2
1
1
1
2
2
2
2
1
3
3
--- stderr
actgen: error: --parameter must be given 1 to 8 times
...
actgen: error: --to is missing: what to fit to
...
actgen: error: `gelu_tanh` has no parameter `b`*
...
actgen: error: there is no built-in 'nonsense'; a file's function is FILE:FUNCTION
fit:*error: *
...
actgen: error: '--parameter' wants NAME or NAME=NUMBER
...
actgen: error: there is no measure 'mean'; *
actgen: error: --points wants X,X,... or A:B:STEP,..., not '1:2'
...
actgen: error: --points and --interval contradict each other
...
actgen: error: a function is not finite at some of these inputs: choose others with --interval
actgen: error: cannot write 'missing/x.svg': No such file or directory
actgen: error: cannot open 'missing.act': No such file or directory
