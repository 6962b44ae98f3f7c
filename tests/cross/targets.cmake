# Instruction sets of other machines, and what they are tested with: a row is
#     ISA | compiler and its options | lanes of f32, emulator and its options | ...
# with an emulator for each length that vectors may have there.
set(cross_targets
    "neon|aarch64-linux-gnu-gcc -static|4 qemu-aarch64-static"
    "vsx|powerpc64le-linux-gnu-gcc -static|4 qemu-ppc64le-static"
    "s390x|s390x-linux-gnu-gcc -static|4 qemu-s390x-static")
