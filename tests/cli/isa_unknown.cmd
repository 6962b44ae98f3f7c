actgen show relu --stage asm --isa avx51
--- exit 4
--- stdout
--- stderr
actgen: error: there is no instruction set 'avx51'; did you mean 'avx512'?
