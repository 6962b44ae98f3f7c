# backend_find.c and numbers_find.c load libraries by their names and version.
set_source_files_properties(${folder}/backend_find.c ${folder}/numbers_find.c PROPERTIES COMPILE_DEFINITIONS
                            ACTGEN_SOVERSION="${PROJECT_VERSION_MAJOR}")

# Makes one C array of the built-in plans, which scripts/plans writes.
set(generated_plans ${PROJECT_BINARY_DIR}/generated/api/builtin_plans.c)
add_custom_command(
  OUTPUT ${generated_plans}
  COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/plans/builtin_plans.txt -DOUT=${generated_plans} -P ${folder}/builtin_plans.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/plans/builtin_plans.txt ${folder}/builtin_plans.cmake
  VERBATIM
  COMMENT "Embedding the built-in plans")
list(APPEND sources ${generated_plans})

# Makes an array of lines of the names that belong to C.
embed_lines(c_name_lines ${folder}/c_names.txt c_name_lines header.h)
list(APPEND sources ${embedded})
