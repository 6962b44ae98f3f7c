actgen run reglu --in $DATA/matrix.npy --out y.npy
--- exit 2
--- stdout
--- stderr
actgen: error: reglu has 2 inputs, and --in is given 1 times
...
