actgen run reglu --in $DATA/matrix.npy --in $DATA/matrix.npy --out y.npy && cmp -n 128 y.npy $DATA/matrix.npy
actgen run reglu --in $DATA/matrix.npy --in $DATA/vector.npy --out z.npy; echo $?; ls
--- exit 0
--- stdout
1
y.npy
--- stderr
actgen: error: '*vector.npy' has shape (5,), and 'up' of reglu needs (3, 4), by the shape of '*matrix.npy'
