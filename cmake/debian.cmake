# cpack runs this script after it has put the files together and before it packs them. The script adds the files that
# Debian wants to the folder of each component.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
# Warnings of lintian about things that are intended.
set(calls_ldconfig "# CPack's scripts call it besides the trigger, which Debian wants: once more does no harm.\n")
foreach(name IN ITEMS ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} ${CPACK_DEBIAN_KERNELS_PACKAGE_NAME} actgen-mpi)
  set(overrides_${name} "${calls_ldconfig}${name}: maintscript-calls-ldconfig *\n")
endforeach()
string(APPEND overrides_actgen-mpi "# A module that the program loads: nothing is linked with it.\n"
       "actgen-mpi: package-name-doesnt-match-sonames libactgen-mpi*\n")
set(overrides_libactgen-dev "# The prefix is /usr on all architectures: these packages are for one of them on a machine.
libactgen-dev: pkg-config-unavailable-for-cross-compilation *\n")
string(REPLACE "libactgen-dev:" "libactgen-kernels-dev:" overrides_libactgen-kernels-dev "${overrides_libactgen-dev}")
string(TIMESTAMP date "%a, %d %b %Y 00:00:00 +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} upper)
  set(name ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(folder ${CPACK_TEMPORARY_DIRECTORY}/${component}/usr)
  file(MAKE_DIRECTORY ${folder}/share/doc/${name})

  file(WRITE ${folder}/share/doc/${name}/changelog
       "actgen (${CPACK_PACKAGE_VERSION}) unstable; urgency=low\n\n  * /usr/share/doc/actgen/CHANGELOG.md has what changed.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  file(WRITE ${folder}/share/doc/${name}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: actgen

Files: *
Copyright: 2026 The actgen authors
License: Apache-2.0
 On Debian systems, the text of this licence is in /usr/share/common-licenses/Apache-2.0.
 As an exception, its authors put no condition on what the program and the library write from their user's input.
")
  if(component STREQUAL library) # Debian's form of the licence: a blank at each line, and a full stop for an empty one
    file(READ ${CMAKE_CURRENT_LIST_DIR}/../python/licenses/xxhash.txt licence)
    string(REGEX REPLACE "\n([^\n])" "\n \\1" licence "${licence}")
    string(REGEX REPLACE "\n\n" "\n .\n" licence "${licence}")
    file(APPEND ${folder}/share/doc/${name}/copyright "
Files: src/base/hash.c
Copyright: 2012-2020 Yann Collet
License: BSD-2-Clause
 The code of xxHash is compiled into this file.
 ${licence}")
    file(REMOVE_RECURSE ${folder}/share/doc/actgen/licenses)
  endif()
  if(overrides_${name})
    file(WRITE ${folder}/share/lintian/overrides/${name} "${overrides_${name}}")
  endif()
  file(REMOVE ${folder}/share/doc/${name}/LICENSE) # every Debian has this licence

  file(GLOB_RECURSE compressed ${folder}/share/man/*.[1-9] ${folder}/share/doc/${name}/changelog)
  if(compressed)
    execute_process(COMMAND gzip -9 -n -f ${compressed} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(GLOB binaries ${folder}/bin/* ${folder}/lib/*.so.*) # the system finds libraries without a path in the binary
  foreach(binary IN LISTS binaries)
    if(NOT IS_SYMLINK ${binary})
      file(RPATH_REMOVE FILE ${binary})
    endif()
  endforeach()
endforeach()
