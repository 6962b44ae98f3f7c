cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
printf 'kernel gate([a | b]: bf16, bias: f32[cols]) -> (y: bf16) { y = max(a + bias, 0)*b }\n' > a.act
actgen compile a.act --isa ptx -o a.ptx --header a.h || exit
grep -o '^\.target .*\|^\.visible .entry [a-z_]*' a.ptx
sed -n '/Needs a GPU/p; /^.. Entries/,/;/p' a.h; grep -c 'gate_strided(' a.h
grep -E '(add|sub|mul)[.]f(32|64)|fma.*ftz|approx|[.]extern' a.ptx # what could be another result, or needs another file
printf '#include "a.h"\n#include <stdio.h>\nint main(void)\n{\n    size_t cols[] = {1, 1000, 100000000};\n    for (int i = 0; i < 3; i++) {\n        actgen_launch l = actgen_launch_for(100, cols[i]);\n        printf("%%u %%u %%u %%u\\n", l.blocks_x, l.blocks_y, l.threads_x, l.threads_y);\n    }\n    return 0;\n}\n' > m.c
$cc -std=c11 -Wall -Wextra -Werror -pedantic m.c -o m && ./m
printf 'kernel norm(x: f32) -> (y: f32[rows]) { y = sum(x) }\n' > s.act
actgen compile s.act --isa ptx -o s.ptx --header s.h && sed -n '/^.. Entries/,/;/p' s.h
grep -c 'shfl.sync.bfly.b32' s.ptx # a warp joins the 16 accumulators of a row
printf 'kernel total(x: f32) -> (y: f32[cols]) { y = sum(x) }\n' > t.act
actgen compile t.act --isa ptx -o b.o
actgen compile a.act --isa ptx,neon -o b.o
--- exit 4
--- stdout
.target sm_70
.visible .entry gate
.visible .entry gate_strided
.visible .entry gate_kernel
 * Needs a GPU: NVIDIA, of compute capability 7.0 or more.
/* Entries:
 *     void gate(size_t rows, size_t cols, const uint16_t *a_b_data, const float *bias_data, uint16_t *y_data);
1
1 13 32 8
1 51 128 2
2048 2 256 1
/* Entries:
 *     void norm(size_t rows, size_t cols, const float *x_data, float *y_data);
4
--- stderr
actgen: error: total (ptx): 'total_ptx' has a sum over rows (`y`), which code for GPUs (ptx) does not take yet; sums over columns work
actgen: error: one object cannot hold code for both ptx (nvptx64) and neon (arm64): compile one for each architecture
