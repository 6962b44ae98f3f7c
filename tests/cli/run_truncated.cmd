i=0; while [ $i -lt 176 ]; do head -c $i $DATA/matrix.npy > cut.npy; actgen run relu --in cut.npy --out y.npy 2> message; [ $? = 1 ] && grep -q 'cannot use' message || echo $i; i=$((i+16)); done; ls y.npy
--- exit 2
--- stdout
