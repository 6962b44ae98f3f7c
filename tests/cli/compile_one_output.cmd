actgen compile relu -o a --header a
--- exit 2
--- stdout
--- stderr
actgen: error: -o and --header name the same file: give each its own
...
