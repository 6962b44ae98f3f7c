#    cmake -D BUILD=<a build of actgen> -D SOURCE=<actgen> -D CONFIG=Release -D COMPILER=cc -D GENERATOR=Ninja -P examples.cmake
# Builds examples/ against an installed package, and runs them. If debs.cmake has made Debian's packages, the examples
# are built against their files.
include(${CMAKE_CURRENT_LIST_DIR}/installed.cmake)
if(EXISTS ${DEBS}/unpacked)
  set(package ${DEBS}/unpacked/usr)
  set(ENV{LD_LIBRARY_PATH} ${package}/lib) # programs of Debian's packages look for libraries where the system has them
endif()

file(COPY ${package}/share/doc/actgen/examples DESTINATION ${root}) # the installed examples
step(${CMAKE_COMMAND} -S ${root}/examples -B ${root}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${package}
     -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_C_FLAGS=-Wall\ -Wextra\ -Wpedantic\ -Werror)
step(${CMAKE_COMMAND} --build ${root}/build)
step(${CMAKE_CTEST_COMMAND} --test-dir ${root}/build --output-on-failure --no-tests=error -V)

# A changed spec is compiled again. With another formula in the spec, the program that checks the formula must complain.
file(READ ${root}/examples/ffn.act spec)
string(REPLACE "y = silu(gate) * up" "y = gelu(gate) * up" changed "${spec}")
if(changed STREQUAL spec)
  message(FATAL_ERROR "examples/ffn.act no longer has the line that this test changes")
endif()
file(WRITE ${root}/examples/ffn.act "${changed}")
step(${CMAKE_COMMAND} --build ${root}/build --target aot)
execute_process(COMMAND ${root}/build/aot/aot RESULT_VARIABLE result)
if(NOT result EQUAL 1)
  message(FATAL_ERROR "the spec changed, and the program built from it did not (${result})")
endif()
