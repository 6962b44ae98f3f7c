# Makes one C array of the templates, with the place of each name: every templates/*.act, in the order of names. The
# glob finds new files.
file(GLOB templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*.act)
set(generated_templates ${PROJECT_BINARY_DIR}/generated/tokens/template_text.c)
add_custom_command(
  OUTPUT ${generated_templates}
  COMMAND ${CMAKE_COMMAND} "-DFILES=${templates}" -DOUT=${generated_templates} -P ${folder}/template_text.cmake
  DEPENDS ${templates} ${folder}/template_text.cmake
  VERBATIM
  COMMENT "Embedding the templates")
list(APPEND sources ${generated_templates})
