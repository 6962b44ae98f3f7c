# A file that cannot be written is an error before the work begins. Nothing is printed, and no temporary file stays.
mkdir folder; chmod a-w folder
actgen verify gelu --isa x86-64 --report missing/r.json; echo $?
actgen verify gelu --isa x86-64 --report folder; echo $?
actgen compile -e 'erf(x)*1.0625' -o missing/k.o; echo $?
actgen compile -e 'erf(x)*1.0625' -o k.o --header missing/k.h; echo $?
actgen run gelu --in none.npy --out missing/y.npy; echo $?
ls
--- exit 0
--- stdout
3
3
3
3
3
folder
--- stderr
actgen: error: cannot write 'missing/r.json': No such file or directory
actgen: error: cannot write 'folder': Is a directory
actgen: error: cannot write 'missing/k.o': No such file or directory
actgen: error: cannot write 'missing/k.h': No such file or directory
actgen: error: cannot write 'missing/y.npy': No such file or directory
