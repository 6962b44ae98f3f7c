. $DATA/npy.sh
npy f32 '(2, 5)' 1 -2 3 -4 5 -1 2 -3 4 -5 > x.npy
npy f32 '(3, 5)' 1 2 3 4 5 1 2 3 4 5 1 2 3 4 5 > tall.npy
for columns in 2:1 0:6 1 a:b 1:2:3 -1:2 2:2 :; do actgen run relu --in x.npy --columns $columns --out y.npy; done
actgen run reglu --in x.npy --columns 0:2 --in x.npy --columns 2:5 --out y.npy
actgen run relu --in x.npy --columns 0:2 --out x.npy --columns 2:5
actgen run relu --in x.npy --columns 0:2 --out tall.npy --columns 2:4
actgen run relu --in x.npy --columns 0:2 --out none.npy --columns 2:4
actgen run relu --columns 0:2 --in x.npy --out y.npy
actgen run relu --in x.npy --columns 0:2 --columns 0:2 --out y.npy
ls
--- exit 0
--- stdout
tall.npy
x.npy
y.npy
--- stderr
actgen: error: 'x.npy' has no columns '2:1': it has 5, from 0, and A:B means A to B - 1
actgen: error: 'x.npy' has no columns '0:6': *
actgen: error: 'x.npy' has no columns '1': *
actgen: error: 'x.npy' has no columns 'a:b': *
actgen: error: 'x.npy' has no columns '1:2:3': *
actgen: error: 'x.npy' has no columns '-1:2': *
actgen: error: 'x.npy' has no columns '2:2': *
actgen: error: 'x.npy' has shape (2, 5), of which columns 2:5, and 'up' of reglu needs (2, 2), by the shape of 'x.npy'
actgen: error: 'x.npy' has shape (2, 5), of which columns 2:5, and 'y' of relu needs (2, 2), by the shape of 'x.npy'
actgen: error: 'tall.npy' has shape (3, 5), of which columns 2:4, and 'y' of relu needs (2, 2), by the shape of 'x.npy'
actgen: error: cannot open 'none.npy': No such file or directory
actgen: error: '--columns' must follow the --in or --out that it is about
...
actgen: error: '--columns' is given twice
...
