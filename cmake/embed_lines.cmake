# embed_lines(NAME FILE ARRAY HEADER): makes NAME.c, which holds the lines of FILE as the array ARRAY, which HEADER
# declares. Adds it to the list `embedded`.
function(embed_lines name file array header)
  set(made ${CMAKE_CURRENT_BINARY_DIR}/${name}.c)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
  add_custom_command(
    OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DFILES=${file} -DOUT=${made} -DARRAY=${array} -DHEADER=${header} -P ${script}
    DEPENDS ${file} ${script}
    VERBATIM)
  set(embedded ${embedded} ${made} PARENT_SCOPE)
endfunction()
