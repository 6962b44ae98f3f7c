actgen compile relu -o relu.o --header nowhere/relu.h; echo $?; ls
--- exit 0
--- stdout
3
--- stderr
actgen: error: cannot write 'nowhere/relu.h': No such file or directory
