for f in vector scalar empty; do actgen run relu --in $DATA/$f.npy --out $f.npy && tr '\0' '\n' < $f.npy | LC_ALL=C grep -ao "'shape': .*), }" ; actgen run relu --in $f.npy --out again.npy && cmp $f.npy again.npy; done
--- exit 0
--- stdout
'shape': (5,), }
'shape': (), }
'shape': (0, 4), }
--- stderr
