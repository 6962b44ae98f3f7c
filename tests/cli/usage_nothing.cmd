actgen
--- exit 2
--- stdout
--- stderr
actgen: error: a command is missing
usage: actgen COMMAND ...
actgen --help lists the commands.
