# What a user can read after `cmake --install`: the documents, the built-ins in their own language, and the examples.
install(DIRECTORY examples templates DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
install(FILES CHANGELOG.md LICENSE LICENSE-EXCEPTION TYPE DOC COMPONENT program)
install(FILES docs/language.md docs/statements.md docs/curves.svg docs/python_speed.svg DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs
        COMPONENT program)

# README.md links what lies beside it in the source. Installed, the header stands elsewhere, and what is about the source is not
# there at all: those links become plain text.
file(RELATIVE_PATH doc_to_include ${CMAKE_INSTALL_FULL_DOCDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
file(READ README.md readme)
string(REPLACE "](include/" "](${doc_to_include}/" readme "${readme}")
string(REGEX REPLACE "\\[([^]\n]+)\\]\\((src|bench|tests|scripts|python|CONTRIBUTING)[^)\n]*\\)" "\\1 of the source" readme "${readme}")
file(WRITE ${PROJECT_BINARY_DIR}/documents/README.md "${readme}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS README.md)
install(FILES ${PROJECT_BINARY_DIR}/documents/README.md TYPE DOC COMPONENT program)
