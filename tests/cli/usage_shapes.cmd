for o in "--rows 4" "--rows 4 --cols 5 -n 20" "-n 20 --cols 6" "--rows 0 --cols 5" "--rows 2 --cols 5 --stride 4" "-n 20 --rows 40" "-n 5 --stride x"; do actgen bench relu $o 2>&1 | head -1; done
--- exit 0
--- stdout
actgen: error: --rows needs --cols or -n, and so does --cols
actgen: error: --rows and --cols say how many elements there are: leave -n out
actgen: error: 20 elements do not make whole rows: change --rows or --cols
actgen: error: --rows wants a number from 1 to 2^32, not '0'
actgen: error: a --stride of 4 is less than the 5 columns of a row
actgen: error: 20 elements do not make whole rows: change --rows or --cols
actgen: error: --stride wants a number from 1 to 2^32, not 'x'
--- stderr
