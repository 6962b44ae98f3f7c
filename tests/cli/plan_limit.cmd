actgen show -e 'x*tanh(x)' --stage plan --accuracy 'abs 2^-10' --plan-limit 1000000000 --no-cache | grep -c ' units of work, of 1000000000$'
actgen show gelu --stage plan --plan-limit 0
--- exit 2
--- stdout
1
--- stderr
actgen: error: --plan-limit wants a whole number from 1 to 2^64 - 1, not '0'
...
