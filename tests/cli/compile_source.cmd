# C source: what it is called, and what is refused. test_source compares its bits.
printf 'kernel gate(g: bf16, u: f32[cols]) -> (y: bf16) { y = relu(g)*u }\n' > gate.act
actgen compile gate.act gelu --emit c --prefix my_ -o two.h --depfile two.d && cat two.d
grep -E '^static inline .*(_value|_strided|my_gelu|my_gate)\(|^#define ACTGEN_GEN|planned|Planned' two.h
actgen compile gelu --type i8 --emit c -o table.h && grep -c 'static const int8_t gelu_t0.256. = ' table.h
printf 'kernel s(x: f32) -> (y: f32[rows]) { y = sum(x) }\nkernel d(x: f32, s: u64[], o: u64[]) -> (y: f32) { y = x*uniform(s, o) }\n' > no.act
printf 'kernel k(c: f32[2], c_1: f32) -> (y: f32) { y = c[0]*c_1 + c[1] }\n' > clash.act
for args in 'softmax --emit c' 'no.act:s --emit c' 'no.act:d --emit c' 'clash.act --emit c' 'gelu --emit c --style scaler' 'gelu --emit d' \
    'gelu --style scalar' 'gelu --emit c --visibility default' 'gelu --emit c --compact' 'gelu --emit c --isa avx512,avx2' \
    'gelu --emit c --style intrinsics --isa vsx' 'gelu --type e4m3 --emit c --style intrinsics --isa neon' 'gelu --type u8 --emit c --style intrinsics --isa avx2'; do
    actgen compile $args -o no.h 2>&1 | head -1
done
actgen compile gelu -o no.h 2>&1 | head -1
actgen compile gelu --emit c 2>&1 | head -1
ls no.h 2>/dev/null
actgen compile gelu --emit c -o a.h && actgen compile gelu --emit c -o - > b.h; diff a.h b.h | grep '^[<>]'
--- exit 0
--- stdout
two.h: gate.act
#define ACTGEN_GENERATED_MY_TWO_H_*
 * Planned for generic (profile portable-nofma): 320 ulp of f32 for each function of one value, by
static inline float my_gate_value(float g_v, float u_v)
static inline void my_gate_strided(size_t rows, size_t cols, const uint16_t *g_data, size_t g_stride,
static inline void my_gate(size_t rows, size_t cols, const uint16_t *g_data, const float *u_data,
 * Planned for generic (profile portable-nofma): 3 ulp, by
static inline float my_gelu_value(float x_v)
static inline void my_gelu_strided(size_t rows, size_t cols, const float *x_data, size_t x_stride,
static inline void my_gelu(size_t rows, size_t cols, const float *x_data, float *y_data)
1
actgen: error: `softmax` adds up over rows or columns, which C source cannot do: write an object instead
actgen: error: `s` adds up over rows or columns, which C source cannot do: write an object instead
actgen: error: `d` draws random numbers, which C source cannot do: write an object instead
actgen: error: `c[1]` and `c_1` would share a name in C source; rename one
actgen: error: there is no style of C source 'scaler'; did you mean 'scalar'?
actgen: error: --emit is object or c, not 'd'
actgen: error: --style is for C source: add --emit c
actgen: error: --visibility is for objects, and --emit c writes C source
actgen: error: --compact is for objects, and --emit c writes C source
actgen: error: C source is for one instruction set, and --isa names avx512 and avx2: write a file for each
actgen: error: there is no C source in the style `intrinsics` for vsx; that style is for: avx512, avx2, x86-64, neon, sve2, sve, rvv, and `vector` and `scalar` are for every set
actgen: error: the style `intrinsics` for neon of C source has no inputs of e4m3, which `gelu` needs; the style `scalar` has them all
actgen: error: the style `intrinsics` for avx2 of C source has no inputs of u8, which `gelu` needs; the style `scalar` has them all
actgen: error: -o writes an object file; with --emit c it writes C source
actgen: error: -o is missing: the file to write
< #ifndef ACTGEN_GENERATED_A_H_*
< #define ACTGEN_GENERATED_A_H_*
> #ifndef ACTGEN_GENERATED_ACTGEN_KERNELS_H_*
> #define ACTGEN_GENERATED_ACTGEN_KERNELS_H_*
--- stderr
