# softmin is the softmax of -x, to the last bit. Rows of -inf only are 0 in safe_softmax, and NaN in softmax.
actgen run softmax --in 1,-2,3.5,0 | tee softmax; actgen run softmin --in=-1,2,-3.5,0 | diff softmax - && echo equal
actgen run softmax --in=-inf,-inf; actgen run safe_softmax --in=-inf,-inf; actgen run safe_log_softmax --in=-inf,-inf
actgen run logsumexp --in=-inf,-inf; actgen run logsumexp --in=-inf,inf; actgen run logmeanexp --in=0,0,0
--- exit 0
--- stdout
0.*
equal
nan nan
0 0
-inf -inf
-inf
inf
0
--- stderr
