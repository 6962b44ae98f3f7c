{ cat $DATA/matrix.npy; echo more; } > long.npy
for f in $DATA/double $DATA/fortran $DATA/huge $DATA/short long; do actgen run relu --in $f.npy --out y.npy; echo $?; done
actgen run relu --in $DATA/help.cmd --out y.npy; ls
{ cat $DATA/matrix.npy; cat /dev/zero; } | actgen run relu --in /dev/stdin --out y.npy
actgen run relu --in /dev/zero --out y.npy; echo $?
. $DATA/npy.sh
{ npy f32 '(1000000000000000,)'; head -c 1000000 /dev/zero; } | actgen run relu --in - --out y.npy; echo $?
--- exit 0
--- stdout
1
1
1
1
1
long.npy
1
1
--- stderr
actgen: error: '*double.npy' holds float64 ('<f8'), and 'x' of relu is f32, in files float32 ('<f4')*
actgen: error: cannot use '*fortran.npy': it is in Fortran order; *
actgen: error: cannot use '*huge.npy': its shape is too large
actgen: error: cannot use '*short.npy': it has 12 bytes of data where its shape needs 48
actgen: error: cannot use 'long.npy': it has 53 bytes of data where its shape needs 48
actgen: error: cannot use '*help.cmd': it is no .npy file
actgen: error: cannot use '/dev/stdin': it has * bytes of data where its shape needs 48
actgen: error: cannot use '/dev/zero': it is no .npy file
actgen: error: 'standard input' has 4000000000000128 bytes by its header, and there is no memory for them
