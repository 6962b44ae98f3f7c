actgen list --json=yes
--- exit 2
--- stdout
--- stderr
actgen: error: the option '--json=yes' takes no value
...
