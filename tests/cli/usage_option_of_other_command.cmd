actgen check --json a.act
--- exit 2
--- stdout
--- stderr
actgen: error: 'check' has no option '--json'
...
