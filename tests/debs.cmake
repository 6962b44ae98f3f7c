#    cmake -D BUILD=<a build of actgen> -D FOLDER=<scratch> -D COMPILER=cc -P debs.cmake
# Makes Debian's packages of the build. lintian must find no fault with them. Their files, unpacked into a folder, must
# be enough for the program, for pkg-config and for other programs (examples.cmake builds the examples against that
# folder as well).
find_program(DPKG_DEB dpkg-deb)
find_program(SHLIBDEPS dpkg-shlibdeps)
find_program(PKG_CONFIG pkg-config)
if(NOT DPKG_DEB OR NOT SHLIBDEPS OR NOT PKG_CONFIG)
  message("SKIPPED: no dpkg-deb, dpkg-shlibdeps (Debian's dpkg-dev) or pkg-config")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/step.cmake)

file(REMOVE_RECURSE ${FOLDER})
get_filename_component(bin ${CMAKE_COMMAND} DIRECTORY)
step(${CMAKE_COMMAND} --build ${BUILD} --target actgen_archive) # the archive, from objects that are there
set(cpack ${bin}/cpack --config ${BUILD}/CPackConfig.cmake -G DEB -B ${FOLDER} -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip)
execute_process(COMMAND ${cpack} -D CPACK_PACKAGE_CONTACT= RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE said)
if(result EQUAL 0 OR NOT said MATCHES "ACTGEN_MAINTAINER")
  message(FATAL_ERROR "packages that nobody answers for are made, or refused without a word: ${said}")
endif()
# cpack must not start without the programs that it needs. The path has none of them.
file(MAKE_DIRECTORY ${FOLDER}/path)
set(path $ENV{PATH})
set(ENV{PATH} ${FOLDER}/path)
execute_process(COMMAND ${cpack} -D "CPACK_PACKAGE_CONTACT=A Test <test@example.org>" RESULT_VARIABLE result OUTPUT_VARIABLE said
                ERROR_VARIABLE said)
set(ENV{PATH} "${path}")
file(GLOB made ${FOLDER}/*.deb ${FOLDER}/_CPack_Packages)
if(result EQUAL 0 OR made OR NOT said MATCHES "dpkg-shlibdeps.*dpkg-dev.* file ")
  message(FATAL_ERROR "packages are begun without dpkg-shlibdeps and file: ${made}: ${said}")
endif()
file(REMOVE_RECURSE ${FOLDER})
step(${cpack} -D "CPACK_PACKAGE_CONTACT=A Test <test@example.org>")
file(GLOB debs RELATIVE ${FOLDER} ${FOLDER}/*.deb)
foreach(name IN ITEMS libactgen0 libactgen-dev actgen)
  if(NOT debs MATCHES "(^|;)${name}_[0-9.]+_")
    message(FATAL_ERROR "there is no package ${name}: ${debs}")
  endif()
endforeach()
list(TRANSFORM debs PREPEND ${FOLDER}/)

find_program(LINTIAN lintian)
if(LINTIAN)
  execute_process(COMMAND ${LINTIAN} --allow-root --fail-on error ${debs} RESULT_VARIABLE result OUTPUT_VARIABLE said)
  # Later versions of lintian check more. The warnings of Debian 12's version are heeded, or answered in the packages
  # (debian.cmake).
  if(NOT result EQUAL 0 OR said MATCHES "W: [a-z0-9-]+: (extended-desc|maintscript|package-name|pkg-config)")
    message(FATAL_ERROR "lintian (${result}):\n${said}")
  endif()
else()
  message("LEFT OUT: what lintian says, which takes minutes and is not here")
endif()

set(system ${FOLDER}/unpacked)
foreach(deb IN LISTS debs)
  step(${DPKG_DEB} -x ${deb} ${system})
endforeach()
# The packages say what they contain of others: the licence of compiled code, and a list for programs.
file(READ ${system}/usr/share/doc/libactgen0/copyright copyright)
file(READ ${system}/usr/share/doc/actgen/actgen.cdx.json bill)
string(JSON count LENGTH "${bill}" components)
if(count LESS 5 OR NOT bill MATCHES "\"xxHash\", \"version\": \"[0-9.]+\"" OR NOT copyright MATCHES "\n Redistribution and use")
  message(FATAL_ERROR "the licences of others are not told: ${copyright} ${bill}")
endif()
set(ENV{LD_LIBRARY_PATH} ${system}/usr/lib)
set(ENV{PKG_CONFIG_PATH} ${system}/usr/lib/pkgconfig)
set(ENV{XDG_CACHE_HOME} ${FOLDER}/cache)
step(${system}/usr/bin/actgen verify -e x*x --isa x86-64)
# linked(FLAGS LINKS_LIBRARY): builds an example with the flags of pkg-config, and runs it with that folder as its
# system.
function(linked name)
  execute_process(COMMAND ${PKG_CONFIG} ${ARGN} --cflags --libs actgen OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  step(${COMPILER} ${system}/usr/share/doc/actgen/examples/jit/main.c ${flags} -lm -o ${FOLDER}/${name})
  step(${FOLDER}/${name})
endfunction()
linked(shared)
file(REMOVE ${system}/usr/lib/libactgen.so) # only the archive is left to link
linked(static --static)
file(CREATE_LINK libactgen.so.0 ${system}/usr/lib/libactgen.so SYMBOLIC)
