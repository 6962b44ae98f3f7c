# Makes the build's id, a hash of all sources that decide what is planned and emitted. Keys of the disk cache depend on
# the id, so this build does not find entries of an older build.
file(GLOB_RECURSE id_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.c ${PROJECT_SOURCE_DIR}/src/*.h
     ${PROJECT_SOURCE_DIR}/src/*.def ${PROJECT_SOURCE_DIR}/src/*.inc ${PROJECT_SOURCE_DIR}/src/headers/*.txt
     ${PROJECT_SOURCE_DIR}/plans/*.txt ${PROJECT_SOURCE_DIR}/templates/*.act)
list(FILTER id_sources EXCLUDE REGEX "/src/(cli|measure)/")
list(SORT id_sources)
set(generated_id ${PROJECT_BINARY_DIR}/generated/base/build_id.c)
add_custom_command(
  OUTPUT ${generated_id}
  COMMAND ${CMAKE_COMMAND} "-DSOURCES=${id_sources}" -DOUT=${generated_id} -P ${folder}/build_id.cmake
  DEPENDS ${id_sources} ${folder}/build_id.cmake
  VERBATIM
  COMMENT "Hashing the sources")
list(APPEND sources ${generated_id})
