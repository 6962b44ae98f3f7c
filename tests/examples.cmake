# cmake -D BUILD=<a build of actgen> -D SOURCE=<actgen> -D CONFIG=Release -D COMPILER=cc -D GENERATOR=Ninja -P examples.cmake
# Installs the build into a fresh folder, moves that elsewhere, builds examples/ against it, and runs them.
set(root ${BUILD}/package-test)
set(package ${root}/moved)
file(REMOVE_RECURSE ${root})

function(step)
  execute_process(COMMAND ${ARGN} COMMAND_ECHO STDOUT RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "failed (${result}): ${ARGN}")
  endif()
endfunction()

step(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${root}/installed)
file(RENAME ${root}/installed ${package}) # a package must not remember where it was installed
file(COPY ${SOURCE}/examples DESTINATION ${root})
step(${CMAKE_COMMAND} -S ${root}/examples -B ${root}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${package}
     -D CMAKE_C_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_C_FLAGS=-Wall\ -Wextra\ -Wpedantic\ -Werror)
step(${CMAKE_COMMAND} --build ${root}/build)
step(${CMAKE_CTEST_COMMAND} --test-dir ${root}/build --output-on-failure --no-tests=error -V)

# A changed spec is compiled again: with another formula in it, the program that checks the formula must complain.
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

# The same library by pkg-config.
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  file(GLOB_RECURSE description ${package}/*/actgen.pc)
  get_filename_component(folder ${description} DIRECTORY)
  set(ENV{PKG_CONFIG_PATH} ${folder})
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs actgen OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  step(${COMPILER} ${root}/examples/jit/main.c ${flags} -lm -o ${root}/jit)
  get_filename_component(libraries ${folder} DIRECTORY)
  set(ENV{LD_LIBRARY_PATH} ${libraries})
  step(${root}/jit)
endif()
