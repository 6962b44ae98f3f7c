# A name may be as long as names can be, 255 bytes: the temporary has a short name of its own. Nothing is left beside the output.
name=$(printf '%0251d' 0)
actgen compile relu --isa x86-64 -o $name.obj && ls -A | wc -l && actgen compile relu --isa x86-64 -o $name.obj && ls -A | wc -l
actgen compile relu --isa x86-64 -o ${name}x.obj
--- exit 3
--- stdout
1
1
--- stderr
actgen: error: cannot write '*.obj': File name too long
