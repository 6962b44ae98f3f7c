actgen run relu --in $DATA/matrix.npy --out y.npy && cmp y.npy $DATA/relu_matrix.npy && actgen run relu --in - --out - < $DATA/matrix.npy | cmp - $DATA/relu_matrix.npy
--- exit 0
--- stdout
--- stderr
