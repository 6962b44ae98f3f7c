actgen show relu --stage spec --tune zen6; echo $?; actgen show relu --stage spec --tune 8086; echo $?; actgen show relu --stage spec --isa avx2 --tune skylake-x
--- exit 4
--- stdout
4
4
--- stderr
actgen: error: there is no core 'zen6'; did you mean 'zen5'?
actgen: error: there is no core '8086'; known are host, skylake-x, *
actgen: error: the core 'skylake-x' is one of avx512, which is not among the instruction sets
