# Makes one C array of the built-in plans, which scripts/plans writes.
set(generated_plans ${PROJECT_BINARY_DIR}/generated/records/builtin_plans.c)
add_custom_command(
  OUTPUT ${generated_plans}
  COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/plans/builtin_plans.txt -DOUT=${generated_plans} -P ${folder}/builtin_plans.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/plans/builtin_plans.txt ${folder}/builtin_plans.cmake
  VERBATIM
  COMMENT "Embedding the built-in plans")
list(APPEND sources ${generated_plans})
