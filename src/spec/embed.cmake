# Writes ${TEMPLATES} (a list of files) as C text into ${OUT}: one string a line, since compilers limit their length.
set(body "")
foreach(template IN LISTS TEMPLATES)
  file(READ ${template} text)
  # Brackets and semicolons would be read as list syntax.
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\",\n    \"" text "${text}")
  string(APPEND body "    \"${text}\",\n")
endforeach()
file(WRITE ${OUT} "/* Generated from templates/ by embed.cmake. */\n#include \"templates.h\"\n\n"
                  "const char *const spec_template_lines[] = {\n${body}    0,\n};\n")
