actgen show -e 'x*x+1' --stage asm --cache folder >1 && ls folder | wc -l
ACTGEN_CACHE_DIR=other actgen show -e 'x*x+1' --stage asm >2 && ls other | wc -l
ACTGEN_CACHE_DIR=third actgen show -e 'x*x+1' --stage asm --no-cache >3 && ls third
cmp 1 2 && cmp 1 3
chmod go+w folder && actgen show -e 'x*x+1' --stage asm --cache folder >4 && cmp 1 4
actgen show -e 'x*x+1' --stage asm --cache folder --no-cache
--- exit 2
--- stdout
2
2
--- stderr
*third*
*nothing is cached: folder can be written by others*
actgen: error: --cache and --no-cache contradict each other
...
