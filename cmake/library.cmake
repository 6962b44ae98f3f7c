# Links the rooms into libactgen and the program, and says where `cmake --install` puts the files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

list(JOIN actgen_rooms_of_llvm "|" rooms_of_llvm)
set(objects)            # objects of all rooms
set(objects_of_backend) # objects of the rooms that compile, and of the rooms below them
foreach(room IN LISTS actgen_rooms)
  list(APPEND objects $<TARGET_OBJECTS:${room}>)
  if(room MATCHES "^actgen_(base|target|lane|schedule|${rooms_of_llvm})$")
    list(APPEND objects_of_backend $<TARGET_OBJECTS:${room}>)
  endif()
endforeach()
get_target_property(llvm_version actgen_libllvm ACTGEN_VERSION_SOURCE)

# A target that links a library of this project is linked again only when its own files change, not when the library
# does.
set(CMAKE_LINK_DEPENDS_NO_SHARED ON)

# Makes one library of all rooms that exports every function, for the tests of the rooms: actgen_internal_library(TARGET
# LLVM OBJECTS...). Users link libactgen.
function(actgen_internal_library target llvm)
  add_library(${target} SHARED ${ARGN})
  target_link_libraries(${target} PUBLIC actgen_dependencies PRIVATE ${llvm})
  target_include_directories(${target} PUBLIC ${actgen_floors_below})
  # Missing symbols are reported once, here. Otherwise the link of each of a hundred tests would read all of LLVM for
  # them, which takes half a second.
  if(NOT ACTGEN_SANITIZE) # a sanitizer's run time may be in the program
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  target_link_options(${target} INTERFACE LINKER:--allow-shlib-undefined)
endfunction()
actgen_internal_library(actgen_internal actgen_libllvm ${objects} ${llvm_version})

# Makes a library that libactgen loads when it needs it, and that exports one function: actgen_loaded_library(TARGET
# NAME FUNCTION SOURCES...)
function(actgen_loaded_library target name function)
  add_library(${target} SHARED ${ARGN})
  set(shown ${PROJECT_BINARY_DIR}/configured/${function}.map)
  file(CONFIGURE OUTPUT ${shown} CONTENT "{ global: ${function}; local: *; };\n")
  target_link_options(${target} PRIVATE LINKER:--version-script=${shown})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE C LINK_DEPENDS ${shown} C_VISIBILITY_PRESET default
                                             VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
endfunction()

# Makes the library that compiles. It is separate, because loading LLVM takes longer than everything else that most
# processes do: actgen_backend_library(TARGET LLVM OBJECTS...)
function(actgen_backend_library target llvm)
  actgen_loaded_library(${target} actgen-llvm backend_module ${ARGN})
  target_link_libraries(${target} PRIVATE ${llvm} actgen_dependencies)
  target_link_options(${target} PRIVATE LINKER:--as-needed)
endfunction()

# The same rooms for users. Only the functions of actgen.h are visible. In the archive, which has one object, all other
# names are local, so that they meet no name of the program that links the archive.
add_library(actgen_llvm_version OBJECT ${llvm_version})
set(combined ${PROJECT_BINARY_DIR}/archive/actgen.o)
add_custom_command(
  OUTPUT ${combined}
  COMMAND ${CMAKE_LINKER} -r -o ${combined} ${objects} $<TARGET_OBJECTS:actgen_llvm_version>
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=actgen_* ${combined}
  DEPENDS ${objects}
  COMMAND_EXPAND_LISTS VERBATIM)
# Builds a target after all rooms. A command that depends on objects does not depend on the targets that make these
# objects, and Make builds a target from files that other targets must have made already.
function(actgen_after_rooms target)
  add_dependencies(${target} ${actgen_rooms} actgen_llvm_version)
endfunction()
# Adds a target whose only source is the combined object.
function(actgen_archive_library target)
  add_library(${target} STATIC ${ARGN} ${combined})
  actgen_after_rooms(${target})
endfunction()
set_source_files_properties(${combined} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/archive)
set(is_static OFF)
if(DEFINED BUILD_SHARED_LIBS AND NOT BUILD_SHARED_LIBS)
  set(is_static ON)
  actgen_archive_library(actgen)
else()
  set(own_objects ${objects})
  list(FILTER own_objects EXCLUDE REGEX "actgen_(${rooms_of_llvm})>")
  add_library(actgen SHARED ${own_objects} ${llvm_version})
  actgen_backend_library(actgen_backend actgen_libllvm ${objects_of_backend})
  add_dependencies(actgen actgen_backend)
  include(cmake/imports.cmake)
  if(actgen_has_imports)
    actgen_imports(imports numbers ${own_objects})
    target_sources(actgen PRIVATE ${imports})
    target_include_directories(actgen PRIVATE src/modules src/base)
    actgen_loaded_library(actgen_numbers actgen-numbers numbers_module ${numbers})
    target_include_directories(actgen_numbers PRIVATE src/modules src/base)
    target_link_libraries(actgen_numbers PRIVATE ${actgen_numbers_libraries})
    # The library calls nothing in libc, but Debian wants it linked with libc.
    target_link_options(actgen_numbers PRIVATE LINKER:--no-as-needed)
    actgen_after_rooms(actgen_numbers)
    add_dependencies(actgen actgen_numbers)
  endif()
  actgen_archive_library(actgen_archive EXCLUDE_FROM_ALL) # for the test of packages
  set_target_properties(actgen_archive PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME actgen
                                                  ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/archive)
endif()
add_library(actgen::actgen ALIAS actgen)
set_target_properties(actgen PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR} LINKER_LANGUAGE C)
target_include_directories(actgen PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                         $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set(libraries) # files, which a package can name
set(dependencies actgen_dependencies)
if(is_static) # one archive, which loads nothing
  list(PREPEND dependencies actgen_libllvm)
endif()
foreach(dependency IN LISTS dependencies)
  get_target_property(linked ${dependency} INTERFACE_LINK_LIBRARIES)
  list(APPEND libraries ${linked})
endforeach()
set(linked ${libraries})
if(TARGET actgen_numbers)
  list(REMOVE_ITEM linked ${actgen_numbers_libraries})
endif()
target_link_libraries(actgen PRIVATE ${linked})
set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
if(NOT is_static)
  target_link_options(actgen PRIVATE LINKER:--version-script=${exports})
  set_target_properties(actgen PROPERTIES LINK_DEPENDS ${exports})
endif()
if(NOT is_static AND NOT ACTGEN_SANITIZE) # a sanitizer's functions are in the program, not in the library
  target_link_options(actgen PRIVATE LINKER:-z,defs)
endif()

# The program finds the library next to itself, wherever both are installed or moved. The path in the build is relative
# too, so that builds in two folders have equal bytes.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN/${bin_to_lib})
add_subdirectory(src/cli)
set_target_properties(actgen_cli PROPERTIES EXPORT_NAME compiler)
add_executable(actgen::compiler ALIAS actgen_cli)
include(cmake/actgen-functions.cmake) # for projects that add actgen as a subdirectory

# The package for find_package(actgen) and pkg-config. There is none if actgen is part of another project.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/actgen)
# The components are Debian's packages (packages.cmake).
install(TARGETS actgen EXPORT actgen-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development
                                              ARCHIVE COMPONENT development)
install(TARGETS actgen_cli EXPORT actgen-targets RUNTIME COMPONENT program)
if(NOT is_static)
  install(TARGETS actgen_backend LIBRARY NAMELINK_SKIP COMPONENT library) # nobody links it
  if(TARGET actgen_numbers)
    install(TARGETS actgen_numbers LIBRARY NAMELINK_SKIP COMPONENT library)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/archive/libactgen.a TYPE LIB COMPONENT development OPTIONAL) # if it was built
endif()
if(TARGET actgen_mpi)
  install(TARGETS actgen_mpi LIBRARY NAMELINK_SKIP COMPONENT mpi)
endif()
install(DIRECTORY include/ TYPE INCLUDE COMPONENT development)
install(EXPORT actgen-targets NAMESPACE actgen:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/actgen-config.cmake.in actgen-config.cmake INSTALL_DESTINATION ${package_dir})
configure_file(cmake/actgen-config-version.cmake.in actgen-config-version.cmake @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/actgen-config.cmake ${PROJECT_BINARY_DIR}/actgen-config-version.cmake
              cmake/actgen-functions.cmake DESTINATION ${package_dir} COMPONENT development)

# Folders may be absolute (Nix, Guix). The description then has them unchanged.
file(RELATIVE_PATH pkgconfig_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(folder IN ITEMS LIB INCLUDE BIN)
  set(pkgconfig_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}DIR}")
  if(IS_ABSOLUTE "${CMAKE_INSTALL_${folder}DIR}")
    set(pkgconfig_${folder} ${CMAKE_INSTALL_${folder}DIR})
  endif()
endforeach()
# Everything that a program must link with the archive. `pkg-config --static` says it if the shared library is installed
# as well.
set(needed ${libraries})
if(NOT is_static)
  get_target_property(linked actgen_libllvm INTERFACE_LINK_LIBRARIES)
  list(PREPEND needed ${linked})
endif()
set(named) # as -l, except archives
foreach(item IN LISTS needed)
  if(item MATCHES "^(/.*)/lib([^/]*)\\.so[0-9.]*$")
    if(NOT CMAKE_MATCH_1 IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      list(APPEND named -L${CMAKE_MATCH_1})
    endif()
    string(REGEX REPLACE "^.*/lib([^/]*)\\.so[0-9.]*$" "-l\\1" item ${item})
  endif()
  list(APPEND named ${item})
endforeach()
list(JOIN named " " needed)
string(REPLACE Threads::Threads -pthread needed "${needed}")
if(is_static)
  set(pkgconfig_LIBRARIES ${needed})
else()
  set(pkgconfig_PRIVATE_LIBRARIES ${needed})
endif()
configure_file(cmake/actgen.pc.in actgen.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/actgen.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
include(cmake/documents.cmake)
actgen_bill_of_materials(${PROJECT_BINARY_DIR}/configured/actgen.cdx.json ${PROJECT_SOURCE_DIR}/python/LIBRARIES.md)
install(FILES ${PROJECT_BINARY_DIR}/configured/actgen.cdx.json TYPE DOC COMPONENT library)
install(FILES python/licenses/xxhash.txt DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses COMPONENT library) # a part of libactgen

include(cmake/packages.cmake)
