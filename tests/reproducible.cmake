#    cmake -D BUILD=<a build of actgen> -D SOURCE=<actgen> -D FOLDER=<scratch> -D CONFIG=Release -D COMPILER=cc
#          -D GENERATOR=Ninja -P reproducible.cmake
# Builds actgen once more, from a copy of the source in another folder. Both builds must make equal packages: the
# archive, and Debian's packages where their tools are here. Whoever doubts a package can then build it and compare.
include(${CMAKE_CURRENT_LIST_DIR}/llvm_options.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${SOURCE}/ DESTINATION ${FOLDER}/a/copy REGEX "/(build|\\.git)$" EXCLUDE)
llvm_options(llvm ${BUILD})
set(other ${FOLDER}/another_build)
step(${CMAKE_COMMAND} -S ${FOLDER}/a/copy -B ${other} -G ${GENERATOR} -D CMAKE_BUILD_TYPE=${CONFIG} -D CMAKE_C_COMPILER=${COMPILER}
     -D ACTGEN_TESTS=OFF ${llvm})
step(${CMAKE_COMMAND} --build ${other} --config ${CONFIG} --target all actgen_archive)
step(${CMAKE_COMMAND} --build ${BUILD} --config ${CONFIG} --target actgen_archive)

set(generators TGZ)
find_program(DPKG_DEB dpkg-deb)
find_program(SHLIBDEPS dpkg-shlibdeps)
find_program(FILE file)
if(DPKG_DEB AND SHLIBDEPS AND FILE)
  set(generators "DEB\;TGZ")
endif()
get_filename_component(bin ${CMAKE_COMMAND} DIRECTORY)
set(ENV{SOURCE_DATE_EPOCH} 1700000000)
foreach(build IN ITEMS ${BUILD} ${other})
  string(MD5 folder ${build})
  list(APPEND made ${FOLDER}/${folder})
  step(${bin}/cpack --config ${build}/CPackConfig.cmake -G ${generators} -B ${FOLDER}/${folder} -C ${CONFIG}
       -D "CPACK_PACKAGE_CONTACT=A Test <test@example.org>")
endforeach()

list(GET made 0 first)
list(GET made 1 second)
file(GLOB packages RELATIVE ${first} ${first}/*.deb ${first}/*.tar.gz)
if(NOT packages)
  message(FATAL_ERROR "cpack made nothing in ${first}")
endif()
foreach(package IN LISTS packages)
  file(SHA256 ${first}/${package} one)
  file(SHA256 ${second}/${package} other)
  if(NOT one STREQUAL other)
    message(SEND_ERROR "${package} differs between two builds: compare ${first} and ${second}")
  endif()
endforeach()
