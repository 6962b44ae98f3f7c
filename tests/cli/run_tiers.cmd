. $DATA/npy.sh
npy f32 '(1, 5)' 1 -2 3 -4 7 > x.npy
for tier in best quick interpreter; do actgen run gelu --in x.npy --tier $tier --out $tier.npy || exit; done
cmp best.npy quick.npy && cmp best.npy interpreter.npy && echo equal
actgen run gelu --in x.npy --tier fast --out y.npy
--- exit 2
--- stdout
equal
--- stderr
actgen: error: --tier is best, quick or interpreter, not 'fast'
...
