# run(COMMAND...): runs the command in FOLDER. Its output is then in `said`. A command that fails ends the script.
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${FOLDER} RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  if(NOT status EQUAL 0)
    string(JOIN " " command ${ARGN})
    message(FATAL_ERROR "${command}\n${said}")
  endif()
  set(said "${said}" PARENT_SCOPE)
endfunction()

# need(WHAT PROGRAM...): looks for the programs that test WHAT. If one is not installed, sets `missing` and prints a
# message.
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

# Options and files to compile the program `main` for a processor on which the library may run. src/target/ is among the
# files, so that this needs no library and takes a second.
set(host_program -static -O1 -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wpedantic -Wconversion -Werror -I${SOURCE}/src/target
    -I${SOURCE}/src/base -I${SOURCE}/include -I${FOLDER})
file(GLOB host_sources ${SOURCE}/src/target/*.c)

# Sets `compiler` and `emulator`, and empties FOLDER. If one of them is not installed, ends the script that calls it.
macro(begin_host architecture gcc qemu)
  set(compiler ${gcc})
  set(emulator ${qemu})
  need(${architecture} ${compiler} ${emulator})
  if(missing)
    return()
  endif()
  begin()
endmacro()
