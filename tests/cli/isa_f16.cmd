actgen compile gelu --type bf16 --isa avx512fp16 -o a.o && nm -g --defined-only a.o | sed 's/.* //'
actgen compile gelu --type f16 --accuracy 'abs 2^-8' --isa avx512fp16,avx512,x86-64 -o b.o && nm -g --defined-only b.o | sed 's/.* //'
actgen show gelu --type f16 --accuracy 'abs 2^-8' --isa avx512fp16 --stage lane | head -3
actgen show gelu --type f16 --accuracy 'abs 2^-8' --isa avx512fp16 --stage asm | grep -o 'vfmadd[0-9]*ph\|vcvt[a-z0-9]*' | sed 's/[0-9]//g' | sort -u
actgen show elu --type f16 --accuracy 'abs 2^-6' --isa avx512fp16 --stage asm | grep -o 'vfmadd[0-9]*ph\|vcvt[a-z0-9]*' | sed 's/[0-9]//g' | sort -u
actgen compile relu --isa all -o c.o && nm -g --defined-only c.o | grep -c fp16
actgen compile gelu --type f16 --accuracy 'abs 2^-8' --profile avx512fp16 --isa avx512 -o d.o
actgen show gelu --isa avx512fp61 --stage plan
--- exit 4
--- stdout
gelu
gelu_avx512
gelu_kernel
gelu_strided
gelu
gelu_avx512
gelu_avx512fp16
gelu_kernel
gelu_strided
gelu_x86_64
profile avx512fp16
%0: f16 = const *
%1: f16 = load 0
vfmaddph
vfmaddph
0
--- stderr
actgen: note: 'gelu' within 0.5 ulp uses nothing of avx512fp16, so it is compiled for avx512
actgen: error: gelu (avx512): 'gelu_avx512': its plan is made for profile avx512fp16, with arithmetic on f16, which avx512 lacks
actgen: error: there is no instruction set 'avx512fp61'; did you mean 'avx512fp16'?
