actgen run relu --in $DATA/double.npy --out y.npy; actgen run -e 'x*x' --in $DATA/double.npy --out y.npy --type f64 && ls y.npy; actgen run $DATA/../../examples/ffn.act:ffn_gelu --in $DATA/double.npy --out z.npy
--- exit 1
--- stdout
y.npy
--- stderr
actgen: error: '*double.npy' holds float64 ('<f8'), and 'x' of relu is f32, in files float32 ('<f4'); it takes the file's with --type f64
actgen: error: '*double.npy' holds float64 ('<f8'), and 'x' of ffn_gelu is f32, in files float32 ('<f4')
