# run(COMMAND...): in FOLDER; what it prints is then in `said`. A command that fails ends the script.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# need(WHAT PROGRAM...): what is tested with the programs. Sets `missing`, and says so, where one of them is not installed.
function(need what)
  foreach(program IN LISTS ARGN)
    find_program(found ${program} NO_CACHE)
    if(NOT found)
      message(STATUS "SKIPPED: ${what} is tested with ${program}, which is not installed")
      set(missing ON PARENT_SCOPE)
    endif()
    unset(found)
  endforeach()
endfunction()

# Empties FOLDER.
function(begin)
  file(REMOVE_RECURSE ${FOLDER})
  file(MAKE_DIRECTORY ${FOLDER})
endfunction()

# The options and files with which the program `main` of a processor that the library may run on is compiled: src/target/ is among
# them, so that no library is needed, and it takes a second.
set(host_program -static -O1 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wconversion -Werror -I${SOURCE}/src/target
    -I${SOURCE}/src/base -I${SOURCE}/include -I${FOLDER})
file(GLOB host_sources ${SOURCE}/src/target/*.c)

# Sets `compiler` and `emulator`, and empties FOLDER; ends the script that calls it where one of them is not installed.
macro(begin_host architecture gcc qemu)
  set(compiler ${gcc})
  set(emulator ${qemu})
  need(${architecture} ${compiler} ${emulator})
  if(missing)
    return()
  endif()
  begin()
endmacro()
