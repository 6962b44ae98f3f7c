# Refuses numbers in place of a file that the type does not have, and texts that are no list of numbers.
for n in '' 1, 1,,2 ,1 , 1e400 -1e400 1,1e400 1e39 x,1; do actgen run gelu --in "$n"; echo $?; done
actgen run gelu --in 1 --out ''; echo $?
actgen run gelu --in 1e-400,inf,-inf
: > 1, ; actgen run gelu --in ./1,
--- exit 1
--- stdout
2
1
1
1
1
1
1
1
1
3
2
0 inf -0
--- stderr
actgen: error: --in wants a file or numbers, and not an empty text
...
actgen: error: the list of numbers '1,' has an empty place (a file of that name: './1,')
actgen: error: the list of numbers '1,,2' has an empty place (a file of that name: './1,,2')
actgen: error: the list of numbers ',1' has an empty place (a file of that name: './,1')
actgen: error: the list of numbers ',' has an empty place (a file of that name: './,')
actgen: error: '1e400' for 'x' is too large for f64
actgen: error: '-1e400' for 'x' is too large for f64
actgen: error: '1e400' for 'x' is too large for f64
actgen: error: '1e39' is too large for 'x', which is f32
actgen: error: cannot open 'x,1': No such file or directory
actgen: error: --out wants a file, and not an empty text
...
actgen: error: cannot use './1,': it is no .npy file
