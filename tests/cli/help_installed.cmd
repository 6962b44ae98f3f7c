# Help names files of examples/. It says where that folder is, unless the folder is here.
actgen --help | grep -o 'The folder examples is /.*examples\.$' | sed 's/.* is //; s/\.$//' > where; test -e "$(cat where)/ffn.act" && actgen help compile | grep -c 'The folder examples is'
actgen help list | grep -c 'The folder'; cp -r "$(cat where)" . && actgen --help | grep -c 'The folder'
--- exit 1
--- stdout
1
0
0
--- stderr
