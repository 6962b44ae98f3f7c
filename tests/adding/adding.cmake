#    cmake -D BUILD=folder -D SOURCE=<actgen> -D COMPILER=cc -D GENERATOR=Ninja -D CMOCKA=libcmocka.so -D LIKE=<a build> -P adding.cmake
# Adds an activation, a function of each kind, a reduction, an op, an element type, an instruction set, a command and an
# option to a copy of the sources, each by its patch. Builds library and program from the copy, and checks that all of
# them work (added.c). A patch may touch no more files than CONTRIBUTING.md says.
cmake_minimum_required(VERSION 3.21)
include(${SOURCE}/tests/llvm_options.cmake)
llvm_options(llvm ${LIKE})
set(copy ${BUILD}/source)
set(ENV{GIT_CEILING_DIRECTORIES} ${BUILD}) # otherwise git would take the copy for a part of the repository around it
file(REMOVE_RECURSE ${BUILD})
file(MAKE_DIRECTORY ${copy})
file(COPY ${SOURCE}/CMakeLists.txt ${SOURCE}/LICENSE ${SOURCE}/README.md ${SOURCE}/cmake ${SOURCE}/docs ${SOURCE}/include
          ${SOURCE}/kernels ${SOURCE}/plans ${SOURCE}/src ${SOURCE}/templates DESTINATION ${copy})
file(COPY ${SOURCE}/bench/rivals DESTINATION ${copy}/bench) # `actgen bench` is built with it
file(COPY ${SOURCE}/python/LIBRARIES.md DESTINATION ${copy}/python) # cmake/bill_of_materials.cmake reads it

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}\n${output}")
  endif()
endfunction()

find_program(GIT git)
if(NOT GIT)
  message("SKIPPED: no git, by which patches are applied")
  return()
endif()
file(STRINGS ${SOURCE}/CONTRIBUTING.md rows REGEX "^\\| an? .* \\| [0-9]+ \\|")
file(GLOB patches ${CMAKE_CURRENT_LIST_DIR}/*.patch)
foreach(patch IN LISTS patches)
  get_filename_component(kind ${patch} NAME_WE)
  string(REPLACE "_" " " words ${kind})
  set(row ${rows})
  list(FILTER row INCLUDE REGEX "^\\| an? ${words} ") # the first, if there are two
  string(REGEX MATCH "\\| ([0-9]+) \\|" promised "${row}")
  set(promised "${CMAKE_MATCH_1}")
  file(STRINGS ${patch} files REGEX "^\\+\\+\\+ ")
  list(LENGTH files count)
  if(NOT promised)
    message(FATAL_ERROR "CONTRIBUTING.md does not say how many files ${words} takes")
  elseif(count GREATER promised)
    message(FATAL_ERROR "${words} takes ${count} files, and CONTRIBUTING.md says ${promised}")
  endif()
  message(STATUS "${words}: ${count} of ${promised} files")
  execute_process(COMMAND ${GIT} apply -C1 ${patch} WORKING_DIRECTORY ${copy} RESULT_VARIABLE result ERROR_VARIABLE errors)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "${patch} fits the sources no more; it shows how this is added, so bring it up to date:\n${errors}")
  endif()
endforeach()
list(LENGTH patches count)
if(count LESS 9)
  message(FATAL_ERROR "only ${count} patches in ${CMAKE_CURRENT_LIST_DIR}")
endif()

# A quick build, because nothing runs long. It ignores the rooms' own flags for speed.
file(GLOB rooms ${copy}/src/*/room.cmake)
foreach(room IN LISTS rooms)
  file(READ ${room} text)
  string(REPLACE "-O3" "-O0" text "${text}")
  file(WRITE ${room} "${text}")
endforeach()
step(${CMAKE_COMMAND} -S ${copy} -B ${BUILD}/build -G ${GENERATOR} -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=None
     -D CMAKE_C_FLAGS=-O0 -D ACTGEN_WERROR=ON -D ACTGEN_TESTS=OFF ${llvm})
step(${CMAKE_COMMAND} --build ${BUILD}/build --target actgen_internal actgen_cli)
file(GLOB folders LIST_DIRECTORIES ON ${copy}/src/*)
list(TRANSFORM folders PREPEND -I)
step(${COMPILER} -std=c11 -D_GNU_SOURCE -fPIC -I${copy}/include ${folders} ${CMAKE_CURRENT_LIST_DIR}/added.c -o ${BUILD}/added
     -L${BUILD}/build -lactgen_internal ${CMOCKA} -lm -Wl,-rpath,${BUILD}/build)
step(${BUILD}/added)

# expect(what a command line of the program must print | its words)
function(expect wanted)
  execute_process(COMMAND ${BUILD}/build/actgen ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR NOT output MATCHES "${wanted}")
    message(FATAL_ERROR "actgen ${ARGN} (exit code ${result}) does not print '${wanted}':\n${output}")
  endif()
endfunction()
expect("\n  added    Print the words\n" help)
expect("^one\ntwo\n$" added one two)
expect("^Print the words.*--json" help added)
expect("\n  --added-option WORD +an added option\n" help check)
expect("^red\ngreen\n$" list --values-of added-option)
expect("gelu" list --added-option red gelu)
