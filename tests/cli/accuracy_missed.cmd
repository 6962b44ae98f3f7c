actgen verify gelu --accuracy '0.5 ulp'
--- exit 1
--- stderr
*error: *
...
