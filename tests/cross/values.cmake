#    cmake -D ACTGEN=<the program> -D SOURCE=<actgen> -D FOLDER=<of its own> -P values.cmake
# Tests functions of values on other machines. Each machine with files runs functions of one value. arm64 has vector
# functions: those of NEON and SVE, from code for either set, at all lengths of vectors, and a loop that GCC vectorises.
cmake_minimum_required(VERSION 3.21)
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/targets.cmake)
need("functions of values" aarch64-linux-gnu-gcc qemu-aarch64-static aarch64-linux-gnu-nm)
if(missing)
  return()
endif()
begin()
set(f32 relu gelu silu tanh sigmoid mish elu softplus erf gelu_tanh exp log selu hardswish swiglu mod) # mod of zeros raises an exception
set(f64 gelu silu tanh exp log mish)
set(compiler aarch64-linux-gnu-gcc -static -std=gnu11 -Wall -Wextra -Werror -I${FOLDER})

# Compiles the kernels of the lists f32 and f64 for the sets. kernels.inc has their names: KERNEL(type, name).
function(compile isas abi)
  set(lines)
  foreach(type IN ITEMS f32 f64)
    run(${ACTGEN} compile ${${type}} --type ${type} --isa ${isas} --abi ${abi} --prefix ${type}_ -o ${type}.o --header ${type}.h)
    foreach(name IN LISTS ${type})
      set(inputs)
      if(name MATCHES "^(swiglu|mod)$")
        set(inputs 2)
      endif()
      string(APPEND lines "KERNEL${inputs}(${type}, ${name})\n")
    endforeach()
  endforeach()
  file(WRITE ${FOLDER}/kernels.inc "${lines}")
endfunction()

# check(ISAS CPU...): compiles the kernels for the sets. On each CPU, compares their vector functions with their rows.
function(check isas)
  compile(${isas} vector)
  set(defines)
  if(isas MATCHES "sve")
    set(defines -DHAS_SVE)
  endif()
  run(${compiler} -O1 ${defines} ${SOURCE}/tests/cross/vectors.c f32.o f64.o -lm -Wl,--fatal-warnings -o vectors)
  foreach(cpu IN LISTS ARGN)
    run(qemu-aarch64-static -cpu ${cpu} ./vectors)
    message(STATUS "${isas}, ${cpu}: ${said}")
  endforeach()
endfunction()

check(neon cortex-a72)
set(lengths)
foreach(bytes IN ITEMS 16 32 64 128 256)
  list(APPEND lengths max,sve-default-vector-length=${bytes})
endforeach()
check(sve ${lengths})
check(sve2,sve,neon max,sve-default-vector-length=32 cortex-a72)

run(${ACTGEN} compile gelu --isa neon --abi vector -o gelu.o --header gelu.h)
file(WRITE ${FOLDER}/loop.c "#include \"gelu.h\"
void loop(int n, const float *restrict x, float *restrict y, float w);
void loop(int n, const float *restrict x, float *restrict y, float w) { for (int i = 0; i < n; i++) y[i] = gelu(x[i]*w)*w; }
")
run(${compiler} -O3 -c loop.c -o loop.o)
run(aarch64-linux-gnu-nm loop.o)
if(NOT said MATCHES "U _ZGVnN4v_gelu")
  message(FATAL_ERROR "GCC does not vectorise the loop:\n${said}")
endif()
file(WRITE ${FOLDER}/main.c "#include \"gelu.h\"
void loop(int n, const float *restrict x, float *restrict y, float w);
int main(void) {
  enum { N = 1003 };
  static float x[N], y[N];
  for (int i = 0; i < N; i++) x[i] = (float)(i - N / 2) * 0.01f;
  loop(N, x, y, 0.75f);
  for (int i = 0; i < N; i++) if (y[i] != gelu(x[i]*0.75f)*0.75f) return 1;
  return 0;
}
")
run(${compiler} -O1 main.c loop.o gelu.o -Wl,--fatal-warnings -o main)
run(qemu-aarch64-static ./main)

# Functions of one value, on the machines of targets.cmake that have files, with their shortest vectors.
set(f32 relu gelu silu tanh exp log mish)
set(f64 gelu tanh)
foreach(row IN LISTS cross_targets)
  string(REPLACE "|" ";" row "${row}")
  list(GET row 0 isa)
  list(GET row 1 cross)
  list(GET row 2 main)
  list(GET row 3 emulator)
  string(REGEX REPLACE "^[0-9]+ " "" emulator "${emulator}")
  separate_arguments(cross UNIX_COMMAND "${cross}")
  separate_arguments(emulator UNIX_COMMAND "${emulator}")
  list(GET cross 0 program)
  list(GET emulator 0 runs)
  unset(missing)
  if(main STREQUAL "main")
    need("functions of one value for ${isa}" ${program} ${runs})
  endif()
  if(NOT main STREQUAL "main" OR missing)
    continue()
  endif()
  compile(${isa} scalar)
  run(${cross} -std=gnu11 -Wall -Wextra -Werror -I${FOLDER} -O1 ${SOURCE}/tests/cross/scalars.c f32.o f64.o -Wl,--fatal-warnings
      -o scalars)
  run(${emulator} ./scalars)
  message(STATUS "${isa}: ${said}")
endforeach()
file(REMOVE_RECURSE ${FOLDER})
