actgen show relu --stage asm --isa AVX2; actgen show relu --stage asm --isa x86_64; actgen show relu --stage asm --isa avx51
--- exit 4
--- stdout
--- stderr
actgen: error: there is no instruction set 'AVX2'; did you mean 'avx2'?
actgen: error: there is no instruction set 'x86_64'; did you mean 'x86-64'?
actgen: error: there is no instruction set 'avx51'; did you mean 'avx512'?
