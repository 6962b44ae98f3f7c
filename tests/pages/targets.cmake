# Compares the table of CMake targets in CONTRIBUTING.md with the targets of a build.
#    cmake -D SOURCE=<actgen> -D BUILD=<a build of actgen> -P targets.cmake
cmake_minimum_required(VERSION 3.20)
file(READ ${SOURCE}/CONTRIBUTING.md page)
if(NOT page MATCHES "\n\\| target \\| makes \\|\n[^\n]*\n(([|][^\n]*\n)+)")
  message(FATAL_ERROR "CONTRIBUTING.md has no table of targets")
endif()
string(REGEX MATCHALL "\n[|] `[^`]+`" rows "\n${CMAKE_MATCH_1}")
list(TRANSFORM rows REPLACE "\n[|] `([^`]+)`" "\\1")

execute_process(COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(^|\n)([.][.][.] )?[A-Za-z0-9_]+(\n|:|$)" lines "${help}")
list(TRANSFORM lines REPLACE "[.\n: ]" "" OUTPUT_VARIABLE targets)

set(wrong "")
foreach(row IN LISTS rows)
  if(NOT row IN_LIST targets AND NOT row MATCHES "[A-Z.]") # ROOM stands for several, and a file is no target
    string(APPEND wrong "\nCONTRIBUTING.md names the target ${row}, which the build does not have")
  endif()
endforeach()
foreach(target IN LISTS targets)
  string(REGEX REPLACE "^actgen_" "" room ${target})
  if(target MATCHES "^actgen_" AND NOT target IN_LIST rows AND NOT IS_DIRECTORY ${SOURCE}/src/${room})
    string(APPEND wrong "\nCONTRIBUTING.md does not name the target ${target}")
  endif()
endforeach()
if(wrong)
  message(FATAL_ERROR "${wrong}")
endif()
