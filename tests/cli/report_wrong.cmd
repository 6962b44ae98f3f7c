mkdir folder; printf 'function f(x) = x\n' > none.act
actgen report gelu; echo $?
actgen report gelu -o missing/x.html; echo $?
actgen report none.act -o x.html; echo $?
actgen report relu -o x.html --isa x86-64 --value up=1; echo $?
actgen report relu -o - --json; echo $?
ls
--- exit 0
--- stdout
2
3
1
2
[
 {"name": null, *}
]
2
folder
none.act
--- stderr
actgen: error: -o is missing: the page to write
usage: *
*
actgen: error: cannot write 'missing/x.html': No such file or directory
actgen: error: 'none.act' has no kernel; functions alone make no code
actgen: error: --value: no kernel has an input 'up'
usage: *
*
actgen: error: --json prints to the standard output, so no file can be '-'
usage: *
*
