# A toolchain file for arm64 on a machine of another kind. It uses Debian's cross compiler, an emulator, and libraries
# of Debian's arm64 packages, unpacked in the folder ACTGEN_ARM64 (`scripts/test arm64` does it).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(root $ENV{ACTGEN_ARM64})
set(CMAKE_FIND_ROOT_PATH ${root} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(folders ${root}/usr/lib/aarch64-linux-gnu ${root}/lib/aarch64-linux-gnu)
list(JOIN folders ":" paths)
set(CMAKE_C_FLAGS_INIT "-isystem ${root}/usr/include -isystem ${root}/usr/include/aarch64-linux-gnu")
foreach(kind IN ITEMS EXE SHARED)
  set(CMAKE_${kind}_LINKER_FLAGS_INIT "-Wl,-rpath-link,${paths}")
endforeach()
# Debian's libLLVM signs the return address of each call, which takes an emulator four times as long as everything else.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu max,sve-default-vector-length=16,pauth=off -L /usr/aarch64-linux-gnu -E
                                  LD_LIBRARY_PATH=${paths}:/usr/aarch64-linux-gnu/lib)
