# Libraries that are loaded are found by their names and version.
set_source_files_properties(${folder}/backend_find.c ${folder}/numbers_find.c PROPERTIES COMPILE_DEFINITIONS
                            ACTGEN_SOVERSION="${PROJECT_VERSION_MAJOR}")

# The built-in plans as one C array.
set(generated_plans ${PROJECT_BINARY_DIR}/generated/api/builtin_plans.c)
add_custom_command(
  OUTPUT ${generated_plans}
  COMMAND ${CMAKE_COMMAND} -DIN=${folder}/builtin_plans.txt -DOUT=${generated_plans} -P ${folder}/builtin_plans.cmake
  DEPENDS ${folder}/builtin_plans.txt ${folder}/builtin_plans.cmake
  VERBATIM
  COMMENT "Embedding the built-in plans")
list(APPEND sources ${generated_plans})
