# For the tests of what users get: installs the build into a fresh folder of the test's own, ${root}, and moves the package
# elsewhere, to ${package}, which must not matter to it. step() runs a command that has to succeed.
get_filename_component(name ${CMAKE_SCRIPT_MODE_FILE} NAME_WE)
set(root ${BUILD}/package-test/${name})
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
