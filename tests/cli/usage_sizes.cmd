actgen bench relu -n 12,x
--- exit 2
--- stdout
--- stderr
actgen: error: -n wants numbers from 1 to 2^32, not 'x'
...
