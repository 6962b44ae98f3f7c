actgen show gelu --stage
--- exit 2
--- stdout
--- stderr
actgen: error: the option '--stage' needs a value: STAGE
...
