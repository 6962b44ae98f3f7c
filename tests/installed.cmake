# For the tests of what users get. Installs the build into a fresh folder of the test, ${root}, and moves the package to
# ${package}. The package must work there as well.
get_filename_component(name ${CMAKE_SCRIPT_MODE_FILE} NAME_WE)
set(root ${BUILD}/package-test/${name})
set(package ${root}/moved)
file(REMOVE_RECURSE ${root})

include(${CMAKE_CURRENT_LIST_DIR}/llvm_options.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

step(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${root}/installed)
file(RENAME ${root}/installed ${package}) # a package must not remember where it was installed
