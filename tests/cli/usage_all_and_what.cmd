actgen bench --all gelu
--- exit 2
--- stdout
--- stderr
actgen: error: --all already takes every built-in
...
