# Runs examples/attention.act: a causal mask by the numbers of rows and columns, a sink, and two parts that join to the softmax of 1, 2, 3.
act=$DATA/../../examples/attention.act
digits() { awk '{ for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]/) $i = sprintf("%.5f", $i) } 1'; } # those of every set
actgen run $act:causal_softmax --in 1,2,3 --in 1 | digits
actgen run $act:causal_softmax --in 1,2,3 --in 18446744073709551615
actgen run $act:causal_softmax --in 1,2,3 --in -3
actgen run $act:softmax_sink --in 1,2,-inf --in 1 | digits
actgen run $act:softmax_part --in 1,2 | digits
actgen run $act:softmax_part --in -inf,-inf
actgen run $act:softmax_join --in 2 --in 1.3678794 --in 3 --in 1 | digits
actgen run $act:softmax_share --in 0.36787945,1 --in 2 --in 3 --in 1.5032147 | digits
actgen run $act:softmax_share --in 0,0 --in -inf --in -inf --in 0
--- exit 0
--- stdout
0.26894 0.73106 0.00000
0 0 0
0 0 0
0.21194 0.57612 0.00000
p: 0.36788 1.00000
top: 2.00000
total: 1.36788
p: 0 0
top: -inf
total: 0
top: 3.00000
total: 1.50321
0.09003 0.24473
0 0
