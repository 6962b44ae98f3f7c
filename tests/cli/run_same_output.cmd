. $DATA/npy.sh
npy f32 '(2,)' 1 2 > x.npy
printf 'kernel both(x: f32) -> (y: f32, z: f32) { y = relu(x); z = x*x }\n' > both.act
actgen run both.act --in x.npy --out y.npy --out ./y.npy; echo $?
actgen run both.act --in x.npy --out y.npy --out no/z.npy; echo $?; ls
actgen run both.act --in x.npy --out y.npy --out z.npy && show y.npy && show z.npy
actgen run both.act --in x.npy --out y.npy --out ./y.npy
--- exit 2
--- stdout
3
3
both.act
x.npy
<f4 (2,)
1 2
<f4 (2,)
1 4
--- stderr
actgen: error: cannot write './y.npy': File exists
actgen: error: cannot write 'no/z.npy': No such file or directory
actgen: error: two results cannot both go to './y.npy'
...
