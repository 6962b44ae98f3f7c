# cpack reads this file before it starts a generator. It checks for the tools that Debian's packages need in addition to
# those of the build. Without `file`, CPack fails halfway. Without dpkg-shlibdeps, it makes packages that depend on
# nothing.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
if(NOT CPACK_PACKAGE_CONTACT)
  message(FATAL_ERROR "Debian's packages name who answers for them: configure with -D ACTGEN_MAINTAINER='Name <address>', or give cpack "
                      "-D CPACK_PACKAGE_CONTACT='Name <address>'")
endif()
set(missing "")
foreach(row IN ITEMS "dpkg-deb;dpkg" "dpkg-shlibdeps;dpkg-dev" "file;file" "gzip;gzip" "objdump;binutils")
  list(POP_FRONT row program package)
  find_program(ACTGEN_FOUND_${program} ${program} PATHS ENV PATH NO_DEFAULT_PATH NO_CACHE)
  if(NOT ACTGEN_FOUND_${program})
    string(APPEND missing " ${program} (of the package ${package})")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "Debian's packages cannot be made without${missing}: install what is missing. `cpack -G TGZ` makes an archive "
                      "without it")
endif()
