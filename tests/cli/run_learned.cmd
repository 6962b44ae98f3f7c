# Runs examples/learned.act: a Padé unit (1 + 2x + x^5)/(1 + abs(x)), cubics on and beyond intervals, and the gradients of their
# coefficients.
. $DATA/npy.sh
act=$DATA/../../examples/learned.act
npy f32 '(2, 2)' 0 1 3 -3 > x.npy; npy f32 '(6,)' 1 2 0 0 0 1 > a.npy; npy f32 '(4,)' 1 0 0 0 > b.npy; npy f32 '(2, 2)' 1 1 1 1 > d.npy
actgen run $act:pade_unit --in x.npy --in a.npy --in b.npy --out y.npy && show y.npy
actgen run $act:pade_unit_backward --in x.npy --in a.npy --in b.npy --in d.npy --out dx.npy --out da.npy --out db.npy && show dx.npy && show da.npy && show db.npy
npy f32 '(1, 5)' -7 0 7 9 -9 > q.npy; actgen run -e 'x/2' --in q.npy --out x.npy; npy f32 '(8,)' 0 1 2 3 4 5 6 7 > c.npy; npy f32 '(1, 5)' 1 1 1 1 1 > d.npy
actgen run $act:cubics --in x.npy --in c.npy --in 1 --in 0 --in 1 --out y.npy && show y.npy
actgen run $act:cubics_backward_x --in x.npy --in c.npy --in 1 --in 0 --in 1 --in d.npy --out dx.npy && show dx.npy
actgen run $act:cubics_backward_low --in x.npy --in c.npy --in 1 --in 0 --in 1 --in d.npy --out e.npy --out f.npy && show e.npy && show f.npy
actgen run $act:cubics_backward_high --in x.npy --in c.npy --in 1 --in 0 --in 1 --in d.npy --out e.npy --out f.npy && show e.npy && show f.npy
--- exit 0
--- stdout
<f4 (2, 2)
1 2 62.5 -62
<f4 (2, 2)
2 2.5 86.125 86.25
<f4 (6,)
2 0.5 5 0.5 41 0.5
<f4 (4,)
-1.375 -281.125 -4.375 -2522.125
<f4 (1, 5)
0.625 4 7.625 11.875 -0.625
<f4 (1, 5)
1.75 1 1.75 7.75 1.75
<f4 (8,)
2 0 0 0 1 0 0 2
<f4 (8,)
0 0 0 0 0 0 0 2
<f4 (8,)
0.5 0 0 0 0 0 0 2.5
<f4 (8,)
0 0 0 0 0 0 0 3.5
