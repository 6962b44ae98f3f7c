# `cpack --config build/release/CPackConfig.cmake` makes an archive of everything. It also makes Debian's packages of
# the components, if dpkg-deb is installed and ACTGEN_MAINTAINER names their maintainer. They are libactgen0,
# libactgen-dev, actgen, and actgen-mpi if MPI was found. Build the target actgen_archive first to include libactgen.a.
# With ACTGEN_BUILD_KERNELS they are also libactgen-kernels0 and libactgen-kernels-dev.
set(CPACK_GENERATOR TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/packages_check.cmake)
find_program(ACTGEN_DPKG_DEB dpkg-deb)
set(ACTGEN_MAINTAINER "" CACHE STRING "Who answers for Debian's packages of this build: Name <address>")
if(ACTGEN_DPKG_DEB AND ACTGEN_MAINTAINER)
  list(PREPEND CPACK_GENERATOR DEB) # first, so that missing tools are reported before anything is made
endif()
set(CPACK_PACKAGE_VENDOR actgen)
set(CPACK_PACKAGE_CONTACT ${ACTGEN_MAINTAINER})
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL library development program)
if(TARGET actgen_mpi)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
endif()

if(ACTGEN_BUILD_KERNELS)
  list(APPEND CPACK_COMPONENTS_ALL kernels kernels_development)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=") # programs linked with this release run with later ones of its major version
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake ${PROJECT_SOURCE_DIR}/cmake/package_dates.cmake)
set(ldconfig ${PROJECT_BINARY_DIR}/configured/triggers) # updates the system's list of libraries once, after all packages
file(WRITE ${ldconfig} "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${ldconfig})
set(CPACK_DEBIAN_MPI_PACKAGE_CONTROL_EXTRA ${ldconfig})
set(CPACK_DEBIAN_KERNELS_PACKAGE_CONTROL_EXTRA ${ldconfig})

# actgen_package(COMPONENT NAME SECTION SUMMARY DEPENDS TEXT): sets the name and the texts of the component's Debian
# package.
macro(actgen_package component name section summary depends text)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
endmacro()
set(same "(= ${PROJECT_VERSION})")
set(text "actgen makes vector machine code from the formula of an activation and the\nerror that is allowed, and measures what it promises.")
actgen_package(library libactgen${PROJECT_VERSION_MAJOR} libs "compiler for neural-network activations (library)" ""
  "${text}\nThis is the library.")
actgen_package(development libactgen-dev libdevel "compiler for neural-network activations (development)"
  "libactgen${PROJECT_VERSION_MAJOR} ${same}, actgen ${same}, libc6-dev" "${text}\nThese are its header, its manual page, and what CMake and pkg-config know\nof it.")
actgen_package(program actgen math "compiler for neural-network activations" "libactgen${PROJECT_VERSION_MAJOR} ${same}"
  "${text}\nThis is the program, with documents and examples.")
actgen_package(mpi actgen-mpi math "compiler for neural-network activations (MPI)" "actgen ${same}"
  "${text}\nThis lets ranks of MPI share an exhaustive verification.")
set(text "Plain functions for the activations of neural networks, their gates and gradients,\nwith stated errors. They need only the C library.")
actgen_package(kernels libactgen-kernels${PROJECT_VERSION_MAJOR} libs "activations of neural networks (library)" "" "${text}\nThis is the library.")
actgen_package(kernels_development libactgen-kernels-dev libdevel "activations of neural networks (development)"
  "libactgen-kernels${PROJECT_VERSION_MAJOR} ${same}, libc6-dev" "${text}\nThese are its header, its archive, and what CMake and pkg-config know of it.")
include(CPack)
