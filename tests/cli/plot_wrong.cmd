mkdir folder
actgen plot gelu; echo $?
actgen plot gelu -o missing/x.svg; echo $?
actgen plot gelu -o folder; echo $?
actgen plot gelu -o x.svg --interval 3,-3; echo $?
actgen plot gelu -o x.svg --panels curve,slope; echo $?
actgen plot relu -o x.svg --isa x86-64 --panels curve --vary up; echo $?
actgen plot relu -o x.svg --isa x86-64 --panels curve --value up=1; echo $?
actgen plot reglu -o x.svg --value up; echo $?
actgen plot reglu -o x.svg --value up=1e300 --isa x86-64; echo $?
actgen plot nonsense -o x.svg; echo $?
ls
--- exit 0
--- stdout
2
3
3
2
2
2
2
2
1
1
folder
--- stderr
actgen: error: -o is missing: the picture to write
usage: *
*
actgen: error: cannot write 'missing/x.svg': No such file or directory
actgen: error: cannot write 'folder': Is a directory
actgen: error: --interval wants A,B with A below B, not '3,-3'
usage: *
*
actgen: error: there is no panel 'slope'; *
actgen: error: --vary: no kernel has an input 'up'
usage: *
*
actgen: error: --value: no kernel has an input 'up'
usage: *
*
actgen: error: '--value' wants NAME=NUMBER
usage: *
*
actgen: error: 1e+300 is too large for 'up', which is f32
actgen: error: unknown built-in `nonsense`
*
