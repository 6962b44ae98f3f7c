# C source in the intrinsics of the set, or else for all sets. The program is that of the stage `lane`.
actgen show relu --isa avx512 --stage c | grep -E '^(static (inline|ACTGEN_INLINE)|    const __m512 v).*(relu|max)'
actgen show relu --isa rvv --stage c | grep -E '^static inline vfloat.*relu'
actgen show relu --isa vsx --stage c | grep -E '^static inline float relu'
actgen show softmax --isa avx2 --stage c
--- exit 1
--- stdout
static ACTGEN_INLINE __m512 relu_ps(__m512 x_v)
    const __m512 v2 = _mm512_max_ps(_mm512_set1_ps(0.0f), x_v);
static inline void relu_strided(size_t rows, size_t cols, const float *x_data, size_t x_stride,
static inline void relu(size_t rows, size_t cols, const float *x_data, float *y_data)
static inline vfloat32m1_t relu_f32m1(vfloat32m1_t x_v)
static inline float relu_value(float x_v)
--- stderr
actgen: error: softmax (avx2): `softmax` adds up over rows or columns, which C source cannot do: write an object instead
