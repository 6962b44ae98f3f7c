# cmake -D BUILD=<a build of actgen> -D SOURCE=<actgen> -D CONFIG=Release -D COMPILER=cc -D GENERATOR=Ninja -P examples.cmake
# Installs the build into a fresh folder, moves that elsewhere, builds examples/ against it, and runs them.
set(root ${BUILD}/package-test)
file(REMOVE_RECURSE ${root})

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${root}/installed)
file(RENAME ${root}/installed ${root}/moved) # a package must not remember where it was installed
step(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${root}/examples -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${root}/moved
     -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_C_FLAGS=-Wall\ -Wextra\ -Wpedantic\ -Werror)
step(${CMAKE_COMMAND} --build ${root}/examples)
step(${CMAKE_CTEST_COMMAND} --test-dir ${root}/examples --output-on-failure --no-tests=error -V)
