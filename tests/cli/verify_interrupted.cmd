timeout -k 10 -s INT --preserve-status 1 actgen verify gelu --exhaustive --isa x86-64 > result; echo $?; grep -c stopped result
--- exit 0
--- stdout
130
1
--- stderr
