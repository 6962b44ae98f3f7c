actgen list | head -1
--- exit 0
--- stdout
name *
--- stderr
