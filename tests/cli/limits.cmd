limited() { actgen show --stage lane --no-cache "$@"; echo $?; }
limited -e 'sin(3*x+1)*exp(x/7)+tanh(x)' --accuracy '0.5 ulp' --time-limit 0.1
limited -e 'tanh(1.0625*x)' --memory-limit 100k
limited gelu --time-limit 60 --memory-limit 1G > good; tail -n 1 good
for t in 0 -1 nan 1e99 2s 0x2; do limited gelu --time-limit $t 2>&1 | head -n 1; done
for b in 0 -1 1P 1.5G 0x10 18446744073709551616 99999999999999999999 99999999999999999999G 18446745T; do limited gelu --memory-limit $b 2>&1 | head -n 1; done
for b in 1T 18446744T 18446744073709551615; do limited gelu --memory-limit $b > good; tail -n 1 good; done
limited gelu --plan-limit 18446744073709551616 2>&1 | head -n 1
sh -c 'ulimit -s 128; exec actgen check -e "tanh(x)"'; echo $?
sh -c 'ulimit -s 64; exec actgen check -e "tanh(x)"' 2>&1 | grep -c 'stack'
--- exit 0
--- stdout
5
5
0
*--time-limit wants a number of seconds above 0, not '0'*
*--time-limit wants a number of seconds above 0, not '-1'*
*--time-limit wants a number of seconds above 0, not 'nan'*
*--time-limit wants a number of seconds above 0, not '1e99'*
*--time-limit wants a number of seconds above 0, not '2s'*
*--time-limit wants a number of seconds above 0, not '0x2'*
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '0'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '-1'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '1P'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '1.5G'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '0x10'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '18446744073709551616'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '99999999999999999999'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '99999999999999999999G'
*--memory-limit wants a number of bytes above 0 and below 2^64, *not '18446745T'
0
0
0
*--plan-limit wants a whole number from 1 to 2^64 - 1, not '18446744073709551616'
6
1
--- stderr
actgen: error: expression (*): `expression` was not compiled within 0.1 s, the limit of time (options.time_limit, --time-limit)
actgen: error: expression (*): it takes more than 100000 bytes of memory, the limit of one kernel (options.memory_limit, --memory-limit)
expression: error: the thread has * KiB of stack left, and this may take 224: *
