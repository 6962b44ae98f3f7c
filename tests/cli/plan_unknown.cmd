actgen run gelu --in 1 --plan fast --out y.npy
--- exit 2
--- stderr
actgen: error: --plan is estimate or measure, not 'fast'
...
