. $DATA/npy.sh
npy f32 '(2, 5)' 1 -2 3 -4 5 -1 2 -3 4 -5 > x.npy
npy f32 '(2, 4)' 9 9 9 9 9 9 9 9 > y.npy
actgen run relu --in x.npy --columns 1:4 --out first.npy && show first.npy
actgen run relu --in x.npy --columns 3: --out y.npy --columns :2 && show y.npy
actgen run reglu --in x.npy --columns :2 --in x.npy --columns 2:4 --out x.npy --columns=3: && show x.npy
--- exit 0
--- stdout
<f4 (2, 3)
0 3 0 2 0 4
<f4 (2, 4)
0 5 9 9 4 0 9 9
<f4 (2, 5)
1 -2 3 3 -0 -1 2 -3 -0 8
--- stderr
