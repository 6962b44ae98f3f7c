# C source of kernels with values of blocks: their passes, and what is refused.
printf 'kernel k(x: f32) -> (y: f32, s: f32[rows, cols/32]) { s = amax(abs(x), 32); y = x/amax(abs(x), 32) }\nkernel k_pass0(x: f32) -> (y: f32) { y = 2*x }\nkernel r(x: f32) -> (y: f32) { y = x/amax(x) + mean(x, 16) }\n' > blocks.act
actgen compile blocks.act:k --emit c -o k.h && grep -E '^static inline|^/\* It has' k.h
for args in 'blocks.act' 'blocks.act:r' 'blocks.act:k --style cuda'; do actgen compile $args --emit c -o no.h; done
--- exit 4
--- stdout
static inline float actgen_amax_magnitude_f32(const float *x, size_t n)
/* It has no function of values that are at hand: columns share values. */
static inline float k_pass0_value(float x_v, float total0_v)
static inline float k_pass1_value(float total0_v)
static inline void k_strided(size_t rows, size_t cols, const float *x_data, size_t x_stride,
static inline void k(size_t rows, size_t cols, const float *x_data, float *y_data, float *s_data)
--- stderr
actgen: error: two functions of C source would be named `k_pass0_value`; rename a kernel
actgen: error: `r` adds up over rows or columns, which C source cannot do: write an object instead
actgen: error: the style `cuda` of C source has no values of blocks of columns, which `k` needs; the styles `scalar`, `vector` and `intrinsics` have them
