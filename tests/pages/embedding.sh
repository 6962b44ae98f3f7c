#!/bin/sh
# embedding.sh SOURCE BUILD FOLDER: tests that the programs and build files of docs/embedding.md, docs/loops.md and
# docs/calling.md work, with the tools that are installed. The first line of a block of code there names its file. The
# test names the tools that are missing, and leaves them out.
source=$1 build=$2 folder=$3
rm -rf "$folder" && mkdir -p "$folder" && cd "$folder" || exit 1
cmake --install "$build" --prefix "$folder/installed" >installed.log || exit 1
PATH=$folder/installed/bin:$source/build/python-environment/bin:$PATH PKG_CONFIG_PATH=$folder/installed/lib/pkgconfig LD_LIBRARY_PATH=$folder/installed/lib
export PATH PKG_CONFIG_PATH LD_LIBRARY_PATH

# Writes each block of code into the file that its first line names: "# gate.act", "/* main.c */", "// src/main.rs", "!
# main.f90".
mkdir page && awk '
/^```/ { is_code = !is_code; is_first = is_code; file = ""; next }
is_first { is_first = 0; if (NF >= 2 && NF <= 3 && $1 ~ /^(#|!|\/\/|\/\*)$/ && $2 ~ /^[A-Za-z_\/]+(\.[a-z0-9]+)?$/) file = $2 }
file != "" && is_code { print > ("page/" file_name(file)) }
function file_name(name) { gsub(/\//, "+", name); return name }' "$source"/docs/embedding.md "$source"/docs/loops.md "$source"/docs/calling.md

failed=0
# Runs the commands in a folder that has some files of the page. The program must print the first numbers of the gate.
try() { # name, tool, files, commands
    command -v "$2" >/dev/null || { echo "LEFT OUT: $1, for want of $2"; return; }
    mkdir -p "$1"
    for file in $3; do
        mkdir -p "$(dirname "$1/$file")"
        cp "page/$(echo "$file" | tr / +)" "$1/$file" || { failed=1; return; }
    done
    (cd "$1" && sh -exc "$4") >"$1.log" 2>&1 && grep -Eq "${5:-1.691}" "$1.log" && return
    echo "FAILED: $1"
    cat "$1.log"
    failed=1
}
compiled='actgen compile gate.act -o gate.o --header gate.h'
try c cc 'gate.act main.c' "$compiled; cc -Wall -Wextra -Werror main.c gate.o -o main; ./main"
try source cc 'gate.act loop.c' \
    'actgen compile gate.act --emit c -o gate_source.h; cc -Wall -Wextra -Werror loop.c -o loop -lm; ./loop'
# The processor of the test may lack AVX2.
try registers cc 'registers.c' 'actgen compile gelu --emit c --style intrinsics --isa avx2 -o gelu.h
    cc -O2 -mavx2 -mfma -mf16c -Wall -Wextra -Werror registers.c -o registers
    grep -q avx2 /proc/cpuinfo && ./registers || echo "no AVX2 here: 0.841345 1.39979"' '0.841345 1.39979'
try tiles cc 'finish.act tiles.c' \
    'actgen compile finish.act -o finish.o --header finish.h; cc -Wall -Wextra -Werror tiles.c finish.o -o tiles; ./tiles' '^127 0 17'
cp page/gate.act page/gate_source.act
# The second build has only the header that the first one kept.
try cmake_source cmake 'gate_source.act loop.c vendored/CMakeLists.txt' "cp gate_source.act loop.c vendored
    cmake -S vendored -B build -D CMAKE_PREFIX_PATH='$folder/installed'; cmake --build build; rm vendored/gate_source.act
    cmake -S vendored -B without -D CMAKE_DISABLE_FIND_PACKAGE_actgen=ON; cmake --build without; without/loop"
try cpp c++ 'gate.act main.cpp' "$compiled; c++ -Wall -Wextra -Werror main.cpp gate.o -o main; ./main"
try cmake cmake 'gate.act main.c CMakeLists.txt' \
    "cmake -S . -B build -D CMAKE_PREFIX_PATH='$folder/installed'; cmake --build build; build/main"
try make make 'gate.act main.c Makefile' 'make -j4; ./main; touch gate.act; make -j4 | grep "actgen compile"'
try ninja ninja 'gate.act main.c build.ninja' 'ninja; ./main; ninja | grep "no work"; touch gate.act; ninja | grep "actgen compile"'
try meson meson 'gate.act main.c meson.build' 'meson setup build; meson compile -C build; build/main'
vector='actgen compile gelu -o gelu.o --header gelu.h --abi vector'
try vectors cc 'vectors.c' "$vector; cc -O3 -Wall -Wextra -Werror vectors.c gelu.o -o vectors; ./vectors" '^1.68269 5.9919'
try vectors_fortran gfortran 'vectors.f90' "$vector; gfortran -O3 -fopenmp-simd vectors.f90 gelu.o -o vectors; ./vectors" '1.6827  5.9919'
# Clang vectorises loops that call the inline function.
try clang clang-19 '' "actgen compile gelu --emit c --style scalar -o gelu.h
    printf '#include \"gelu.h\"\\nvoid loop(const float *x, float *restrict y) {\\n for (int i = 0; i < 999; i++) y[i] = gelu_value(x[i]); }\\n' >loop.c
    clang-19 -O3 -Rpass=loop-vectorize -c loop.c" 'loop.c.*vectorized loop'
cp -r "$source/examples/crate" crate
try crate cargo '' 'cargo test --offline' '2 passed'
# Zig comes as a program, or as a package of Python.
zig=zig
command -v zig >/dev/null || { python3 -m ziglang version >/dev/null 2>&1 && zig='python3 -m ziglang'; }
try zig "${zig%% *}" 'gate.act main.zig' "$compiled; $zig build-exe main.zig gate.o -lc; ./main"
try fortran gfortran 'gate.act main.f90' "$compiled; gfortran -Wall main.f90 gate.o -o main; ./main"
shared='actgen compile gate.act -o gate.o --visibility default; cc -shared gate.o -o libgate.so'
if python3 -c 'import numpy' 2>/dev/null; then
    try ctypes python3 'gate.act gate.py' "$shared; python3 gate.py"
else echo "LEFT OUT: ctypes, for want of NumPy"; fi
try julia julia 'gate.act gate.jl' "$shared; julia gate.jl"
try jit pkg-config 'jit.c' 'cc -Wall -Wextra -Werror jit.c $(pkg-config --cflags --libs actgen) -o jit; ./jit'
try jitcpp pkg-config 'jit.cpp' 'c++ -Wall -Wextra -Werror jit.cpp $(pkg-config --cflags --libs actgen) -o jit; ./jit' '^-0.154465 0 0.8455'
exit $failed
