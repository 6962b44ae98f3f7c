# Instruction sets of other machines, and the tools of their tests. A row is
#     ISA | compiler and its options | main | lanes of f32, emulator and its options | ...
# with an emulator for each length that vectors may have there. `main` is one of these:
#     main     for systems with files
#     wasm     for systems without files
#     ptx      for this machine, which reads the texts itself (ptx_machine.c)
#     hashes   for sets that other tests run here, only to test that their bits equal those of all others
foreach(bytes 16 32 64 128 256)
  math(EXPR lanes "${bytes} / 4")
  math(EXPR bits "${bytes} * 8")
  string(APPEND sve_lengths "|${lanes} qemu-aarch64-static -cpu max,sve-default-vector-length=${bytes}")
  if(bits LESS_EQUAL 1024) # qemu's longest
    string(APPEND rvv_lengths "|${lanes} qemu-riscv64-static -cpu rv64,v=true,vext_spec=v1.0,vlen=${bits}")
  endif()
endforeach()
# Compilers of C source, where they are not the row's: SVE is an option, and GCC before 14 has no intrinsics of RISC-V.
set(cross_source_sve "aarch64-linux-gnu-gcc -march=armv8-a+sve")
set(cross_source_sve2 "aarch64-linux-gnu-gcc -march=armv8-a+sve2")
set(cross_source_rvv "clang-19 --target=riscv64-linux-gnu -march=rv64gcv")
set(cross_targets
    "avx512|cc|hashes|16 env" "avx2|cc|hashes|8 env" "x86-64|cc|hashes|4 env"
    "sve2|aarch64-linux-gnu-gcc -static|main${sve_lengths}"
    "sve|aarch64-linux-gnu-gcc -static|main${sve_lengths}"
    "neon|aarch64-linux-gnu-gcc -static|main|4 qemu-aarch64-static"
    "armv7|arm-linux-gnueabihf-gcc -static|main|4 qemu-arm-static"
    "vsx|powerpc64le-linux-gnu-gcc -static|main|4 qemu-ppc64le-static"
    "s390x|s390x-linux-gnu-gcc -static|main|4 qemu-s390x-static"
    "rvv|riscv64-linux-gnu-gcc -static|main${rvv_lengths}"
    "wasm|clang-19 --target=wasm32 -msimd128 -nostdlib|wasm|4 node"
    "ptx|cc|ptx|8 env PTX_ON=machine"
    "ptx80|cc|ptx|8 env PTX_ON=machine"
    "ptx100|cc|ptx|8 env PTX_ON=machine")
