actgen check --stage spec a.act
--- exit 2
--- stdout
--- stderr
actgen: error: 'check' has no option '--stage'
...
