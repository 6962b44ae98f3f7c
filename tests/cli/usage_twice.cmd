actgen compile gelu -o a.o -o b.o
--- exit 2
--- stdout
--- stderr
actgen: error: '-o' is given twice
...
