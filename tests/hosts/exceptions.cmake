#    cmake -D SOURCE=<actgen> -D LIBRARY=<libactgen.so> -D FOLDER=<for the program> -P exceptions.cmake
# Builds exceptions.cc and runs it. Skips itself where there is no C++ compiler.
include(${SOURCE}/tests/step.cmake)
find_program(CXX NAMES c++ g++ clang++)
if(NOT CXX)
  message("SKIPPED: no C++ compiler here")
  return()
endif()
get_filename_component(libraries ${LIBRARY} DIRECTORY)
file(MAKE_DIRECTORY ${FOLDER})
step(${CXX} -std=c++17 -Wall -Wextra -Werror -I ${SOURCE}/include ${SOURCE}/tests/hosts/exceptions.cc ${LIBRARY} -Wl,-rpath,${libraries}
     -o ${FOLDER}/exceptions)
step(${FOLDER}/exceptions)
