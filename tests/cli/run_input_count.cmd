actgen run reglu --in $DATA/matrix.npy --out y.npy
--- exit 2
--- stdout
--- stderr
actgen: error: reglu has 2 inputs (gate, up), and --in is given 1 time
...
