# cmake -D WRITE=<the program write> -D SOURCE=<tests/cross> -D FOLDER=<of its own> -D ROW=<of targets.cmake> -P cross.cmake
# Kernels for one instruction set of another machine: compiled here, linked by that machine's toolchain, run by an emulator, and
# compared with the interpreter's results, bit for bit.
cmake_minimum_required(VERSION 3.21) # what is quoted is text, not a variable
string(REPLACE "|" ";" row "${ROW}")
list(POP_FRONT row isa compiler main)
separate_arguments(compiler UNIX_COMMAND "${compiler}")

function(need program)
  find_program(found ${program} NO_CACHE)
  if(NOT found)
    message(STATUS "SKIPPED: ${isa} is tested with ${program}, which is not installed")
    set(missing ON PARENT_SCOPE)
  endif()
endfunction()

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

list(GET compiler 0 program)
need(${program})
foreach(emulator IN LISTS row)
  separate_arguments(words UNIX_COMMAND "${emulator}")
  list(GET words 1 program)
  need(${program})
endforeach()
if(missing)
  return()
endif()

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
run(${WRITE} ${isa} ${FOLDER})
file(GLOB objects ${FOLDER}/*.o)
set(sources ${main} table)
set(linked ${objects})
set(texts)
if(main STREQUAL "wasm") # what a module has in place of a system
  list(APPEND linked -Wl,--no-entry)
elseif(main STREQUAL "ptx") # texts, which the program itself reads
  set(sources main ptx_table ptx_machine ptx_ops ptx_gpu)
  set(linked -ffp-contract=off -lm -ldl)
  set(texts ${objects})
endif()
list(TRANSFORM sources REPLACE "(.+)" "${SOURCE}/\\1.c")
run(${compiler} -std=gnu11 -O1 -Wall -Wextra -Werror -I${SOURCE} -I${FOLDER} ${sources} ${SOURCE}/check.c ${linked}
    -Wl,--fatal-warnings -o ${FOLDER}/main)
# Position-independent, without relocations of text or an executable stack, and in need of nothing.
if(main STREQUAL "main")
  list(REMOVE_ITEM compiler -static)
  run(${compiler} -shared -nostdlib ${objects} -Wl,-z,text -Wl,-z,defs -Wl,--fatal-warnings -o ${FOLDER}/kernels.so)
endif()
foreach(emulator IN LISTS row)
  separate_arguments(words UNIX_COMMAND "${emulator}")
  list(POP_FRONT words lanes)
  if(main STREQUAL "wasm")
    list(APPEND words ${SOURCE}/wasm.mjs)
  endif()
  run(${words} ${FOLDER}/main ${FOLDER}/data.bin ${lanes} ${texts})
  message(STATUS "${isa}, ${words}: ${said}")
endforeach()
if(NOT main STREQUAL "ptx") # ptx.cmake takes what lies there
  file(REMOVE_RECURSE ${FOLDER})
endif()
