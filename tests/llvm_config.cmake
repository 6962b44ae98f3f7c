#    cmake -D SOURCE=<actgen> -D FOLDER=<scratch> -P llvm_config.cmake
# The build, and the scripts that install what is missing, must find LLVM by an llvm-config of its version, under any
# name. The test puts stand-ins for llvm-config into folders of the path. The first of them are of other versions, or
# lack the headers.
cmake_minimum_required(VERSION 3.21)
include(${SOURCE}/cmake/find_llvm.cmake)
file(REMOVE_RECURSE ${FOLDER})
file(WRITE ${FOLDER}/include/llvm-c/Core.h "")

# stand_in(FOLDER NAME VERSION INCLUDES)
function(stand_in folder name version includes)
  file(WRITE ${FOLDER}/${folder}/${name} "#!/bin/sh\necho ${version}\necho '${includes}'\n")
  file(CHMOD ${FOLDER}/${folder}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()
stand_in(a llvm-config 14.0.6 ${FOLDER}/include)
stand_in(b llvm-config-91 91.1.0 ${FOLDER}/nowhere)
stand_in(c llvm-config 91.1.0 ${FOLDER}/include)
stand_in(d llvm-config-92 92.1.0 ${FOLDER}/include)
file(WRITE ${FOLDER}/e/llvm-config "#!/bin/sh\nexit 1\n")
file(CHMOD ${FOLDER}/e/llvm-config PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
set(ENV{PATH} ${FOLDER}/e:${FOLDER}/a:${FOLDER}/b:${FOLDER}/c:${FOLDER}/d:$ENV{PATH})

foreach(row IN ITEMS "91;${FOLDER}/c/llvm-config" "92;${FOLDER}/d/llvm-config-92" "93;")
  list(POP_FRONT row version expected)
  actgen_find_llvm_config(found ${version})
  if(NOT found STREQUAL "${expected}")
    message(SEND_ERROR "LLVM ${version} is found as '${found}', not '${expected}'")
  endif()
endforeach()

find_program(BASH bash)
if(NOT BASH)
  message("LEFT OUT: the scripts; no bash here")
  return()
endif()
foreach(row IN ITEMS "wanted_llvm='91'|" "wanted_llvm='93 92'|" "wanted_llvm='93'|llvm-93-dev" "choose_llvm -D ACTGEN_LLVM_VERSION=91|"
        "choose_llvm -D ACTGEN_LLVM_VERSION=93|llvm-93-dev" "choose_llvm -D ACTGEN_LLVM_CONFIG_93=/there|")
  string(REGEX MATCH "^([^|]*)[|](.*)$" row "${row}")
  set(expected "${CMAKE_MATCH_2}")
  execute_process(COMMAND ${BASH} -euc "source '${SOURCE}/scripts/setup.sh'; ${CMAKE_MATCH_1}; missing_llvm" OUTPUT_VARIABLE said
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(NOT said STREQUAL "${expected}")
    message(SEND_ERROR "${row}: '${said}' is missing, not '${expected}'")
  endif()
endforeach()
