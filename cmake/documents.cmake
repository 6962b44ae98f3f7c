# What a user can read after `cmake --install`: the documents, the built-ins in their own language, and the examples.
install(DIRECTORY examples templates DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES CHANGELOG.md SECURITY.md LICENSE LICENSE-EXCEPTION TYPE DOC COMPONENT program)
file(GLOB pictures CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.svg)
install(FILES ${pictures} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT program)
install(DIRECTORY docs/pictures DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT program)

# actgen_document(PAGE FOLDER UP): installs a page of Markdown into a folder below the documents', from which UP leads
# back to these. The header is elsewhere after installation, and files about the source are absent: links to those
# become plain text.
function(actgen_document page folder up)
  file(RELATIVE_PATH to_include ${CMAKE_INSTALL_FULL_DOCDIR}/${folder} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
  file(READ ${page} text)
  string(REPLACE "](${up}include/" "](${to_include}/" text "${text}")
  string(REGEX REPLACE "\\[([^][]+)\\]\\([^)]*actgen\\.1\\)" "\\1" text "${text}") # a manual page, installed as such
  set(absent "(src|bench|tests|scripts|python|CONTRIBUTING)")
  string(REGEX REPLACE "\\[(${absent}[^][]*)\\]\\(${up}${absent}[^)\n]*\\)" "\\1 in the source" text "${text}")
  string(REGEX REPLACE "\\[([^][]+)\\]\\(${up}(${absent}[^)#\n]*)[^)\n]*\\)" "\\1 (\\2 in the source)" text "${text}")
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${page})
  file(WRITE ${PROJECT_BINARY_DIR}/documents/installed/${name} "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  install(FILES ${PROJECT_BINARY_DIR}/documents/installed/${name} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder} COMPONENT program)
endfunction()
actgen_document(${PROJECT_SOURCE_DIR}/README.md . "")
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
foreach(page IN LISTS pages)
  actgen_document(${page} docs ../)
endforeach()
